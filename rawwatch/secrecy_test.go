package rawwatch_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// errorKeeper is a hook that keeps the errors of requests.
type errorKeeper struct {
	mu   sync.Mutex
	text []string // as they were when the hook was called
	errs []error
}

func (k *errorKeeper) OnRequestEnd(_ rawwatch.RequestInfo, r rawwatch.RequestResult) {
	if r.Err == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.text, k.errs = append(k.text, allOf(r.Err)), append(k.errs, r.Err)
}

// allOf is an error's text, and whatever can be reached in it.
func allOf(err error) string {
	text := err.Error()
	if status, ok := errors.AsType[*decode.StatusError](err); ok {
		text += fmt.Sprintf(" %+v", status.Status)
		if d := status.Status.Details; d != nil {
			text += fmt.Sprintf(" %+v", *d)
		}
	}
	if body, ok := errors.AsType[*rawwatch.BodyError](err); ok {
		text += fmt.Sprintf(" %+v", *body)
	}
	return text
}

func answerOf(code int, contentType, body string) watchtest.Fault {
	return watchtest.Fault{Verb: "create", Answer: &watchtest.Answer{
		Code: code, Header: map[string][]string{"Content-Type": {contentType}}, Body: []byte(body),
	}}
}

// TestHooksSeeNoValues: what is kept from the caller is kept from hooks, too.
func TestHooksSeeNoValues(t *testing.T) {
	const invalid = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,
		"message":"Secret \"x\" is invalid: data[a]: Invalid value: \"s3cret\": no",
		"details":{"causes":[{"reason":"FieldValueInvalid","message":"Invalid value: \"s3cret\": no","field":"data[a]"}]}}`
	for name, fault := range map[string]watchtest.Fault{
		"a Status":                 answerOf(422, "application/json", invalid),
		"a Status with 200":        answerOf(200, "application/json", invalid),
		"a proxy's page":           answerOf(403, "text/html", "<p>blocked: s3cret</p>"),
		"a proxy's page, with 200": answerOf(200, "text/html", "<p>blocked: s3cret</p>"),
	} {
		t.Run(name, func(t *testing.T) {
			k := &errorKeeper{}
			inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{Hooks: []rawwatch.Hook{k}}, func(w *world) {
				w.server.Inject(fault)
				o := rawwatch.Object{Raw: []byte(`{"metadata":{"name":"x","namespace":"n"},"data":{"a":"s3cret"}}`)}
				_, err := w.client.Create(w.Context(), rawwatch.Secrets, o, rawwatch.WriteOptions{})
				if err == nil {
					w.Fatal("no error")
				}
				for _, text := range append(k.text, allOf(err)) {
					if strings.Contains(text, "s3cret") {
						w.Error(text)
					}
				}
			})
		})
	}
}

// TestHooksKeepErrors: nobody changes an error that a hook has been given. It is
// for the race detector.
func TestHooksKeepErrors(t *testing.T) {
	k := &errorKeeper{}
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{Hooks: []rawwatch.Hook{k}}, func(w *world) {
		done := make(chan struct{})
		var read sync.WaitGroup
		read.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				k.mu.Lock()
				all := k.errs
				k.mu.Unlock()
				for _, err := range all {
					_ = allOf(err)
				}
			}
		})
		for range 20 {
			_, err := w.client.Get(w.Context(), rawwatch.Pods, decode.Key{Namespace: "n", Name: "x"}, rawwatch.GetOptions{})
			if e, ok := errors.AsType[*rawwatch.RequestError](err); !ok || e.Name != "x" {
				w.Fatal(err)
			}
		}
		close(done)
		read.Wait()
	})
}

// TestNoExcerptOfObjects: an object is no text of a proxy's, whatever its
// content type says.
func TestNoExcerptOfObjects(t *testing.T) {
	for _, c := range [][2]string{
		{"text/plain", `{"kind":"Secret","apiVersion":"v1","data":{"a":"s3cret"}}`},
		{"text/plain", ` {"data":{"a":"s3cret"}}`},
		{"application/yaml", "apiVersion: v1\nkind: Secret\ndata:\n  a: s3cret\n"},
		{"", "k8s\x00\n\f\n\x02v1\x12\x06Secret\x12\x06s3cret"},
	} {
		inWorld(t, watchtest.Options{}, func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "get", Count: -1, Answer: &watchtest.Answer{Code: 200, Header: map[string][]string{"Content-Type": {c[0]}}, Body: []byte(c[1])}})
			_, err := w.client.Get(w.Context(), rawwatch.Secrets, decode.Key{Namespace: "n", Name: "x"}, rawwatch.GetOptions{})
			if err == nil || strings.Contains(allOf(err), "s3cret") {
				w.Errorf("%q: %v", c, err)
			}
		})
	}
}

// TestFailureWith200: some proxies answer with HTTP 200 whatever happened.
func TestFailureWith200(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Inject(watchtest.Fault{Verb: "delete", Answer: &watchtest.Answer{
			Code: 200, Header: map[string][]string{"Content-Type": {"application/json"}},
			Body: []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}`),
		}})
		_, err := w.client.Delete(w.Context(), rawwatch.Pods, decode.Key{Namespace: "n", Name: "x"}, rawwatch.DeleteOptions{})
		if status, ok := errors.AsType[*decode.StatusError](err); !ok || !status.IsForbidden() || rawwatch.MayHaveHappened(err) {
			w.Errorf("%v", err)
		}
	})
}
