package watchtest

import (
	"context"
	"net/http"
	"slices"
	"sync"
)

// Injection is a fault at work.
type Injection struct {
	fault    Fault
	faults   *faults
	released chan struct{}

	seen, hits int // guarded by faults.mu
	removed    bool
	hit        chan struct{} // closed and replaced with each hit
}

// Inject puts a fault to work. It strikes before the request is authenticated.
// Of several that match a request, the one that was injected first strikes,
// until its count is used up: one request meets one fault.
func (s *Server) Inject(f Fault) *Injection {
	if f.Count == 0 {
		f.Count = 1
	}
	in := &Injection{fault: f, faults: s.faults, released: make(chan struct{}), hit: make(chan struct{})}
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.active = append(s.faults.active, in)
	return in
}

// Hits is how often the fault has struck.
func (in *Injection) Hits() int {
	in.faults.mu.Lock()
	defer in.faults.mu.Unlock()
	return in.hits
}

// Await waits until the fault has struck at least n times, or the context is
// done, whose error it returns.
func (in *Injection) Await(ctx context.Context, n int) error {
	for {
		in.faults.mu.Lock()
		hits, hit := in.hits, in.hit
		in.faults.mu.Unlock()
		if hits >= n {
			return nil
		}
		select {
		case <-hit:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Remove ends the fault: it strikes no more, and requests that it holds or
// has stalled are let go (they end without another byte).
func (in *Injection) Remove() {
	in.faults.mu.Lock()
	defer in.faults.mu.Unlock()
	if !in.removed {
		in.removed = true
		close(in.released)
	}
}

// faults are those of a server, in the order of their injection.
type faults struct {
	mu     sync.Mutex
	active []*Injection
}

// strike finds the fault for a request, nil when there is none.
func (fs *faults) strike(t target, r *http.Request) *Injection {
	return fs.take(func(f *Fault) bool { return f.Accept == AcceptNormally && f.matches(t, r) })
}

func (fs *faults) atAccept() AcceptFault {
	if in := fs.take(func(f *Fault) bool { return f.Accept != AcceptNormally }); in != nil {
		return in.fault.Accept
	}
	return AcceptNormally
}

func (fs *faults) take(match func(*Fault) bool) *Injection {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.active = slices.DeleteFunc(fs.active, (*Injection).spent)
	for _, in := range fs.active {
		if !match(&in.fault) {
			continue
		}
		if in.seen++; in.seen > in.fault.Skip {
			in.hits++
			close(in.hit)
			in.hit = make(chan struct{})
			return in
		}
	}
	return nil
}

func (in *Injection) spent() bool {
	return in.removed || in.fault.Count > 0 && in.hits >= in.fault.Count
}

func (f *Fault) matches(t target, r *http.Request) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return same(f.Verb, t.verb) && same(f.Resource, t.plural) && same(f.Namespace, t.namespace) && same(f.Name, t.name) &&
		(f.Match == nil || f.Match(r))
}
