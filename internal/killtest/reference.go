package killtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// Reference follows a collection of ConfigMaps with net/http and encoding/json
// alone, and writes down its history. One goroutine may use it at a time.
type Reference struct {
	History *History
	send    Send
	path    string
	from    string // the version that the watch begins at

	cancel  context.CancelFunc
	running sync.WaitGroup
	err     error // of the watch; read after running is done
}

// object is what is read of a ConfigMap.
type object struct {
	Metadata struct {
		Namespace, Name, UID, ResourceVersion string
	}
	Data map[string]string
	Code int // of a Status
}

// Refer begins to follow the collection at path.
func Refer(ctx context.Context, send Send, path string) (*Reference, error) {
	r := &Reference{History: &History{}, send: send, path: path}
	state, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	r.History.Begin(state)
	r.watch(ctx)
	return r, nil
}

// Stop ends the watch, and says whether it has lived until then.
func (r *Reference) Stop() error {
	r.cancel()
	r.running.Wait()
	return r.err
}

// Resume follows the collection again after Stop, or after a server that was
// restarted has ended the watch. Nothing may have changed in between that was
// not told: the error says what did.
func (r *Reference) Resume(ctx context.Context) error {
	state, err := r.list(ctx)
	if err != nil {
		return err
	}
	if d := difference(r.History.At(r.History.Last()), state); d != "" {
		return fmt.Errorf("killtest: the reference has missed something: %s", d)
	}
	r.watch(ctx)
	return nil
}

func (r *Reference) list(ctx context.Context) (map[string]State, error) {
	state, version, err := List(ctx, r.send, r.path)
	r.from = version
	return state, err
}

// List is the server's state.
func List(ctx context.Context, send Send, path string) (state map[string]State, version string, err error) {
	body, err := send.get(ctx, path)
	if err != nil {
		return nil, "", err
	}
	defer body.Close()
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []object
	}
	if err := json.NewDecoder(body).Decode(&list); err != nil {
		return nil, "", err
	}
	state = map[string]State{}
	for i := range list.Items {
		key, s, err := list.Items[i].state()
		if err != nil {
			return nil, "", err
		}
		state[key] = s
	}
	return state, list.Metadata.ResourceVersion, nil
}

func (o *object) state() (key string, s State, err error) {
	m := &o.Metadata
	version, err := strconv.ParseInt(m.ResourceVersion, 10, 64)
	return m.Namespace + "/" + m.Name, State{m.UID, version, o.Data[ContentKey]}, err
}

func (r *Reference) watch(ctx context.Context) {
	ctx, r.cancel = context.WithCancel(ctx)
	r.running.Go(func() {
		r.err = r.follow(ctx)
		if ctx.Err() != nil {
			r.err = nil
		}
	})
}

func (r *Reference) follow(ctx context.Context) error {
	body, err := r.send.get(ctx, r.path+"?watch=1&timeoutSeconds=3600&resourceVersion="+r.from)
	if err != nil {
		return err
	}
	defer body.Close()
	for frames := json.NewDecoder(body); ; {
		var frame struct {
			Type   string
			Object object
		}
		if err := frames.Decode(&frame); err != nil {
			return err
		}
		if frame.Type == "ERROR" {
			return errors.New("killtest: the reference's watch ended with code " + strconv.Itoa(frame.Object.Code))
		}
		key, s, err := frame.Object.state()
		if err == nil {
			err = r.History.Add(Event{frame.Type, key, s})
		}
		if err != nil {
			return err
		}
	}
}
