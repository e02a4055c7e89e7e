package killtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Send sends a request, with its credential, to the server that is watched. A
// nil body is none; that of a PATCH is a JSON merge patch.
type Send func(ctx context.Context, method, path string, body []byte) (*http.Response, error)

// codeError is an answer that is no success.
type codeError struct {
	method, path string
	code         int
	body         []byte
}

func (e *codeError) Error() string {
	return fmt.Sprintf("%s %s: %d: %s", e.method, e.path, e.code, e.body)
}

func (s Send) get(ctx context.Context, path string) (io.ReadCloser, error) {
	resp, err := s(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return nil, &codeError{http.MethodGet, path, resp.StatusCode, text}
	}
	return resp.Body, nil
}

// write sends one change and reads the whole answer.
func (s Send) write(ctx context.Context, method, path, body string) error {
	var bytes []byte
	if body != "" {
		bytes = []byte(body)
	}
	resp, err := s(ctx, method, path, bytes)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = &codeError{method, path, resp.StatusCode, text}
	}
	return err
}

// refused is the code of an answer that is no success; 0 when no answer came.
func refused(err error) int {
	var e *codeError
	if errors.As(err, &e) {
		return e.code
	}
	return 0
}

// Collection is the path of the ConfigMaps.
const Collection = "/api/v1/namespaces/" + Namespace + "/configmaps"

// writer makes random changes, to few objects, so that they are deleted and
// made again under the same name.
type writer struct {
	send   Send
	random *rand.Rand
	paused sync.Mutex // held while nothing may be written
	count  int
}

const names = 60

// write goes on until ctx is done, and ends with an answer: a request that is
// abandoned may change the server later, when nobody expects it. A server that does not answer is down, and
// is tried again; one that refuses what is right is an error.
func (w *writer) write(ctx context.Context) error {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for ctx.Err() == nil {
		w.paused.Lock()
		err := w.answered(ctx)
		w.paused.Unlock()
		wait := time.Duration(w.random.Int64N(int64(4 * time.Millisecond)))
		switch code := refused(err); {
		case err == nil, code == http.StatusNotFound, code == http.StatusConflict:
		case code == 0, code >= 500:
			wait = 20 * time.Millisecond
		default:
			return err
		}
		pause.Reset(wait)
		select {
		case <-pause.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// answered makes a change whether ctx is done or not.
func (w *writer) answered(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return w.change(ctx)
}

func (w *writer) change(ctx context.Context) error {
	w.count++
	name := fmt.Sprint("c", w.random.IntN(names))
	if w.random.IntN(4) == 0 {
		return w.send.write(ctx, http.MethodDelete, Collection+"/"+name, "")
	}
	data := fmt.Sprintf(`"data":{%q:"%d"}`, ContentKey, w.count)
	err := w.send.write(ctx, http.MethodPatch, Collection+"/"+name, "{"+data+"}")
	if refused(err) != http.StatusNotFound {
		return err
	}
	return w.send.write(ctx, http.MethodPost, Collection, fmt.Sprintf(`{"metadata":{"name":%q},%s}`, name, data))
}
