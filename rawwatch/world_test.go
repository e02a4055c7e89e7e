package rawwatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// world is an API server and a client of it in one bubble of virtual time.
type world struct {
	*testing.T
	server *watchtest.Server
	client *rawwatch.Client
}

// inWorld runs the test in a bubble: hours pass in no time, and the bubble
// itself fails the test if a goroutine is left at the end. It runs it twice, on
// a server that has protobuf and on one that has not.
func inWorld(t *testing.T, o watchtest.Options, test func(*world)) {
	t.Helper()
	t.Run("protobuf", func(t *testing.T) { inProtobufWorld(t, o, test) })
	t.Run("JSON", func(t *testing.T) { inWorldWith(t, o, rawwatch.ClientOptions{}, test) })
}

// inWorldWith is inWorld on a server without protobuf, for tests of which the
// JSON itself is a part.
func inWorldWith(t *testing.T, o watchtest.Options, co rawwatch.ClientOptions, test func(*world)) {
	t.Helper()
	o.Protobuf = watchtest.ProtobufOff
	inAnyWorld(t, o, co, test)
}

// inProtobufWorld is inWorld on a server that has protobuf.
func inProtobufWorld(t *testing.T, o watchtest.Options, test func(*world)) {
	t.Helper()
	inAnyWorld(t, o, rawwatch.ClientOptions{}, test)
}

func inAnyWorld(t *testing.T, o watchtest.Options, co rawwatch.ClientOptions, test func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Mode == watchtest.TLS {
			o.Mode = watchtest.Memory
		}
		server := watchtest.NewServer(o)
		defer server.Close()
		if co.DialContext == nil {
			co.DialContext = server.DialContext
		}
		co.Decode.Poison = true
		client, err := rawwatch.NewClient(server.Config(), co)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		}()
		test(&world{T: t, server: server, client: client})
	})
}

func (w *world) create(r watchtest.Resource, namespace, name string, more ...string) watchtest.Object {
	w.Helper()
	meta := fmt.Sprintf(`"name":%q`, name)
	if namespace != "" {
		meta += fmt.Sprintf(`,"namespace":%q`, namespace)
	}
	o, err := w.server.Create(r, `{"metadata":{`+meta+`}`+strings.Join(append([]string{""}, more...), ",")+`}`)
	if err != nil {
		w.Fatal(err)
	}
	return o
}

func (w *world) touch(r watchtest.Resource, namespace, name, value string) watchtest.Object {
	w.Helper()
	o, err := w.server.Patch(r, namespace, name, fmt.Sprintf(`{"metadata":{"annotations":{"touched":%q}}}`, value))
	if err != nil {
		w.Fatal(err)
	}
	return o
}

func (w *world) delete(r watchtest.Resource, namespace, name string) {
	w.Helper()
	if _, err := w.server.Delete(r, namespace, name); err != nil {
		w.Fatal(err)
	}
}

// settle lets everything happen that happens without time passing.
func (w *world) settle() { synctest.Wait() }

// pass lets time pass, and what happens in it.
func (w *world) pass(d time.Duration) {
	time.Sleep(d) // virtual
	synctest.Wait()
}

// requests gives the journal's requests of a verb.
func (w *world) requests(verb string) []watchtest.Request {
	return slices.DeleteFunc(w.server.Journal(), func(r watchtest.Request) bool { return r.Verb != verb })
}

// counts checks how many lists and watches were asked for since the journal
// was cleared.
func (w *world) counts(lists, watches int) {
	w.Helper()
	if l, s := len(w.requests("list")), len(w.requests("watch")); l != lists || s != watches {
		w.Errorf("%d lists and %d watches, want %d and %d", l, s, lists, watches)
	}
}

// lastVersion is the resourceVersion of the latest watch request.
func (w *world) lastVersion() string {
	w.Helper()
	all := w.requests("watch")
	if len(all) == 0 {
		w.Fatal("no watch was asked for")
	}
	return all[len(all)-1].Query.Get("resourceVersion")
}

// follower runs a reflector and keeps what it delivers, checking all the while
// what every consumer is promised.
type follower struct {
	w         *world
	reflector *rawwatch.Reflector
	cancel    context.CancelFunc
	done      chan struct{}

	mu       sync.Mutex
	lines    []string
	failures []error
	err      error
	state    map[decode.Key]decode.Identity
	raw      map[decode.Key]string
	given    map[string]bool
}

// follow starts a follower of the query that lists first, since most scenarios
// are about lists; see followAsIs.
func (w *world) follow(q rawwatch.Query, o rawwatch.ListWatchOptions) *follower {
	w.Helper()
	o.ListFirst = true
	return w.followAsIs(q, o)
}

// followAsIs starts a follower of the query; it is stopped at the latest when
// the test ends.
func (w *world) followAsIs(q rawwatch.Query, o rawwatch.ListWatchOptions) *follower {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	f := &follower{
		w: w, cancel: cancel, done: make(chan struct{}),
		state: map[decode.Key]decode.Identity{}, raw: map[decode.Key]string{}, given: map[string]bool{},
	}
	user := o.OnFailure
	o.OnFailure = func(err error) error {
		f.mu.Lock()
		f.failures = append(f.failures, err)
		f.mu.Unlock()
		if user != nil {
			return user(err)
		}
		return nil
	}
	f.reflector = rawwatch.NewReflector(w.client, q, o)
	go f.run(ctx)
	w.Cleanup(f.stop)
	w.settle()
	return f
}

func (f *follower) run(ctx context.Context) {
	defer close(f.done)
	for event, err := range f.reflector.Events(ctx) {
		f.mu.Lock()
		if err != nil {
			f.err = err
		} else {
			f.event(event)
		}
		f.mu.Unlock()
	}
}

func (f *follower) event(e rawwatch.Event) {
	line := string(e.Type) + " " + string(e.Cause)
	if e.Object.Name != "" {
		line += " " + e.Object.Key().String()
	}
	if e.Err != nil {
		line += " error"
	}
	f.lines = append(f.lines, line)
	switch e.Type {
	case rawwatch.Added, rawwatch.Modified:
		f.fold(e)
	case rawwatch.Deleted:
		key := e.Object.Key()
		if f.state[key].UID != e.Object.UID {
			f.w.Errorf("%s: deleted uid %s, but %s was known", line, e.Object.UID, f.state[key].UID)
		}
		delete(f.state, key)
		delete(f.raw, key)
	}
}

func (f *follower) fold(e rawwatch.Event) {
	key, id := e.Object.Key(), e.Object.Identity
	if once := id.UID + "@" + id.ResourceVersion; f.given[once] {
		f.w.Errorf("%s %s was delivered twice as %s", e.Type, key, once)
	} else {
		f.given[once] = true
	}
	old, known := f.state[key]
	if known != (e.Type == rawwatch.Modified) {
		f.w.Errorf("%s of %s, known %v", e.Type, key, known)
	}
	if known && old.UID != id.UID {
		f.w.Errorf("%s changed its uid without a deletion", key)
	}
	f.state[key] = id
	text, err := e.Object.JSON()
	if err != nil && e.Err == nil {
		f.w.Errorf("%s: %v", key, err)
	}
	f.raw[key] = string(text)
}

// newHistory says that the server gives out resourceVersions a second time.
func (f *follower) newHistory() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.given = map[string]bool{}
}

func (f *follower) stop() {
	f.cancel()
	<-f.done
}

// took returns the lines since the last call.
func (f *follower) took() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines := f.lines
	f.lines = nil
	return lines
}

// expect compares the lines since the last call.
func (f *follower) expect(want ...string) {
	f.w.Helper()
	if got := f.took(); !slices.Equal(got, want) {
		f.w.Errorf("events:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// expectState compares the folded state with the server's objects.
func (f *follower) expectState(objects ...watchtest.Object) {
	f.w.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.state) != len(objects) {
		f.w.Errorf("%d objects, want %d", len(f.state), len(objects))
	}
	for _, o := range objects {
		key := decode.Key{Namespace: o.Namespace, Name: o.Name}
		if got := f.state[key]; got.UID != o.UID || got.ResourceVersion != o.ResourceVersion {
			f.w.Errorf("%s is %+v, want uid %s at %s", key, got, o.UID, o.ResourceVersion)
		}
		if !sameJSON(f.raw[key], string(o.JSON)) {
			f.w.Errorf("%s is %s\nwant %s", key, f.raw[key], o.JSON)
		}
	}
}

// sameJSON compares two objects. What has come as protobuf has members that
// are empty, such as a pod's status, where the server of these tests has kept
// none.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	return reflect.DeepEqual(pruned(x), pruned(y))
}

// pruned is v without empty members; nil when nothing is left.
func pruned(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name, member := range object {
		if object[name] = pruned(member); object[name] == nil {
			delete(object, name)
		}
	}
	if len(object) == 0 {
		return nil
	}
	return object
}

// failed returns the failures that were reported since the last call.
func (f *follower) failed() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.failures
	f.failures = nil
	return all
}

// failure returns the one kind of failure that was reported.
func failure[E error](f *follower) E {
	f.w.Helper()
	var found E
	all := f.failed()
	for _, err := range all {
		if errors.As(err, &found) {
			return found
		}
	}
	f.w.Fatalf("no %T among %v", found, all)
	return found
}

// ended returns the error that ended the iteration.
func (f *follower) ended() error {
	f.w.Helper()
	select {
	case <-f.done:
	default:
		f.w.Fatal("the iteration still goes on")
	}
	return f.err
}

func (f *follower) going() {
	f.w.Helper()
	select {
	case <-f.done:
		f.w.Fatalf("the iteration has ended: %v", f.err)
	default:
	}
}

// client makes a client of a server that is no part of a bubble.
func newClient(t *testing.T, config *kubeconfig.Config, o rawwatch.ClientOptions) *rawwatch.Client {
	t.Helper()
	client, err := rawwatch.NewClient(config, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
