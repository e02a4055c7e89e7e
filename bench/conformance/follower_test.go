package conformance

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// follower runs ListWatch into a [Fold], and remembers what it was told of.
type follower struct {
	*Fold
	query     rawwatch.Query
	reflector *rawwatch.Reflector
	history   *History
	cancel    context.CancelFunc
	done      chan struct{}

	mu       sync.Mutex // guards below
	failures []error
	end      error
}

var errTestOver = errors.New("the test is over")

// newClient makes a client that is closed with the test and logs to it.
func newClient(t *testing.T, config *kubeconfig.Config, o rawwatch.ClientOptions) *rawwatch.Client {
	t.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	c, err := rawwatch.NewClient(config, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// follow begins to follow the query. At the end of the test it is stopped,
// and any broken promise fails the test.
func follow(t *testing.T, c *rawwatch.Client, q rawwatch.Query, o rawwatch.ListWatchOptions) *follower {
	t.Helper()
	return followWith(t, c, q, o, newHistory(t), new(Beat))
}

func followWith(t *testing.T, c *rawwatch.Client, q rawwatch.Query, o rawwatch.ListWatchOptions, h *History, beat *Beat) *follower {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &follower{Fold: NewFold(beat), query: q, history: h, done: make(chan struct{}), cancel: func() { cancel(errTestOver) }}
	told := o.OnFailure
	o.OnFailure = func(err error) error {
		f.failed(err)
		if told != nil {
			return told(err)
		}
		return nil
	}
	f.reflector = rawwatch.NewReflector(c, q, o)
	go f.run(ctx)
	t.Cleanup(func() {
		f.cancel()
		<-f.done
		for _, p := range f.Problems() {
			t.Errorf("%s: %s", q, p)
		}
		if t.Failed() {
			t.Logf("%s: events %v, status %+v, failures %q", q, f.Counts(), f.reflector.Status(), f.lastFailures(5))
		}
	})
	return f
}

func (f *follower) run(ctx context.Context) {
	defer close(f.done)
	for e, err := range f.reflector.Events(ctx) {
		if err != nil {
			f.mu.Lock()
			f.end = err
			f.mu.Unlock()
			break
		}
		f.history.event(f.query.String(), e)
		f.Apply(e)
	}
	f.Beat.Ring()
}

func (f *follower) failed(err error) {
	f.history.note("failure", f.query.String()+": "+err.Error())
	f.mu.Lock()
	f.failures = append(f.failures, err)
	f.mu.Unlock()
	f.Beat.Ring()
}

// ended is the error with which the iteration has ended, after done.
func (f *follower) ended() error {
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.end
}

func (f *follower) lastFailures(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var texts []string
	for _, err := range f.failures[max(0, len(f.failures)-n):] {
		texts = append(texts, err.Error())
	}
	return texts
}

// until waits until what holds, looking after every event and, since a status
// changes without one, every 50 ms. It fails the test when that never comes.
func (f *follower) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		next := f.Beat.Next()
		if holds() {
			return
		}
		select {
		case <-next:
			continue
		case <-ticker.C:
			continue
		case <-ctx.Done():
		}
		t.Fatalf("%s: waiting for %s\nstatus %+v\nfailures %s", f.query, what, f.reflector.Status(), strings.Join(f.lastFailures(5), "\n"))
	}
}

// untilSynced waits for the n-th complete list.
func (f *follower) untilSynced(t *testing.T, n int) {
	t.Helper()
	f.until(t, "a complete list", func() bool { return f.Syncs() >= n })
}

// untilFailure waits for a failure that is as wanted, and returns it.
func (f *follower) untilFailure(t *testing.T, what string, wanted func(error) bool) error {
	t.Helper()
	var found error
	f.until(t, "the failure "+what, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		if i := slices.IndexFunc(f.failures, wanted); i >= 0 {
			found = f.failures[i]
		}
		return found != nil
	})
	return found
}

// untilEqual waits until the folded state is the server's own.
func (f *follower) untilEqual(t *testing.T, list func(context.Context) (State, error)) {
	t.Helper()
	var want State
	eventually(t, f.query.String()+" equals the server's list", func(ctx context.Context) (err error) {
		if want, err = list(ctx); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if f.Beat.Until(ctx, func() bool { return Diff(want, f.State()) == "" }) != nil {
			return errors.New(Diff(want, f.State()))
		}
		return nil
	})
}
