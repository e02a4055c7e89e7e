package rawwatch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// viewer is a subscriber that checks the rules of delivery with each change,
// and keeps the view that it has got so far.
type viewer struct {
	t       *testing.T
	name    string
	options SubscriptionOptions[val]
	failing bool // now and then
	rand    *rand.Rand

	mu     sync.Mutex
	sub    *Subscription[val]
	view   map[string]*Item[val]
	last   uint64 // sequence
	begun  bool   // the stream has begun
	synced int
	acks   []Change[val]
}

func (v *viewer) take(_ context.Context, batch []Change[val]) error {
	v.mu.Lock()
	slow := time.Duration(v.rand.IntN(40)) * time.Millisecond
	fail := v.failing && v.rand.IntN(4) == 0
	v.mu.Unlock()
	time.Sleep(slow)
	v.mu.Lock()
	defer v.mu.Unlock()
	if fail {
		if v.rand.IntN(2) == 0 {
			panic("now and then")
		}
		return errTest
	}
	if len(batch) == 0 || len(batch) > v.options.BatchSize {
		v.t.Errorf("%s: a batch of %d", v.name, len(batch))
	}
	for _, c := range batch {
		v.check(c)
	}
	if v.options.ManualAck {
		v.acks = append(v.acks, batch...)
	}
	return nil
}

// check applies one change to the view, if that is allowed.
func (v *viewer) check(c Change[val]) {
	wrong := func(why string) { v.t.Errorf("%s: %s %+v, of %d: %s", v.name, text(c), c.Cause, c.Sequence, why) }
	if c.Cause == CauseStream && v.options.Delivery == PushBack && v.options.Filter == nil {
		if v.begun && c.Sequence <= v.last {
			wrong("the order of the stream is broken")
		}
		v.begun = true
	}
	v.last = max(v.last, c.Sequence)
	if c.Type == Synced {
		v.synced++
		return
	}
	name := c.Item.Name
	known := v.view[name]
	switch c.Type {
	case Added:
		if known != nil {
			wrong("known before")
		}
		v.view[name] = c.Item
	case Modified:
		switch {
		case known == nil && !v.failing:
			wrong("not known before")
		case c.Cause == CauseResync && !sameState(known, c.Item) && !v.failing:
			wrong("a resync with another state")
		case c.Cause != CauseResync && !sameState(c.Old, known) && !v.failing:
			wrong("Old is not the state seen last")
		case known != nil && (known.UID != c.Item.UID || known.Value.N > c.Item.Value.N):
			wrong("the states of an object are out of order")
		}
		v.view[name] = c.Item
	case Deleted:
		if known == nil && !v.failing || known != nil && known.UID != c.Item.UID {
			wrong("not known before")
		}
		delete(v.view, name)
	}
	if f := v.options.Filter; f != nil && c.Type != Deleted && !f(c.Item) {
		wrong("does not pass the filter")
	}
}

// sameState compares what matters: an event that changes nothing leaves another
// Item in the store.
func sameState(a, b *Item[val]) bool {
	return a == b || a != nil && b != nil && a.Identity == b.Identity && a.Value == b.Value
}

// acknowledge does so for one of the changes that wait for it, by chance.
func (v *viewer) acknowledge() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.acks) == 0 {
		return
	}
	i := v.rand.IntN(len(v.acks))
	if c := v.acks[i]; c.Item != nil {
		if err := v.sub.Ack(c.Item.Key(), c.Sequence); err != nil {
			v.t.Error(err)
		}
	}
	v.acks = append(v.acks[:i], v.acks[i+1:]...)
}

// newViewer draws what kind of subscriber it is.
func newViewer(t *testing.T, w *fanWorld, r *rand.Rand, n int) *viewer {
	v := &viewer{t: t, view: map[string]*Item[val]{}, rand: rand.New(rand.NewPCG(r.Uint64(), 3)), failing: r.IntN(4) == 0}
	o := &v.options
	o.Delivery = Delivery(r.IntN(2))
	o.QueueSize, o.BatchSize = 1+r.IntN(20), 1
	if r.IntN(2) == 0 {
		o.BatchSize, o.BatchDelay = 1+r.IntN(o.QueueSize), time.Duration(r.IntN(3))*20*time.Millisecond
	}
	if r.IntN(3) == 0 {
		o.Filter = func(i *Item[val]) bool { return i.Value.Group == 1 }
	}
	if r.IntN(3) == 0 {
		o.Resync = time.Second
	}
	if v.failing {
		o.Attempts, o.Backoff = RetryForever, even
		o.Backoff.Min = 10 * time.Millisecond
	}
	o.ManualAck = r.IntN(3) == 0
	o.Durable, o.MaxUnacknowledged = true, 1+r.IntN(30)
	v.name = fmt.Sprintf("viewer %d (%v, filter %t, failing %t, resync %v)", n, o.Delivery, o.Filter != nil, v.failing, o.Resync)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sub = w.batches(v.take, *o)
	return v
}

// TestSubscribersModel lets random events, relists, subscribers, and their ends
// meet, and compares each view with the store whenever all is quiet.
func TestSubscribersModel(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			w := newFan(t)
			r := rand.New(rand.NewPCG(seed, 4))
			var mu sync.Mutex
			var viewers []*viewer
			var side sync.WaitGroup
			stop, quiet := make(chan struct{}), new(atomic.Bool)
			side.Go(func() { comeAndGo(t, w, rand.New(rand.NewPCG(seed, 5)), &mu, &viewers, stop, quiet) })
			for range 3 {
				quiet.Store(false)
				for range 150 {
					w.step(r)
					time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
				}
				quiet.Store(true)
				time.Sleep(2 * time.Minute) // all is quiet, but for resyncs
				synctest.Wait()
				mu.Lock()
				for _, v := range viewers {
					v.compare(w)
				}
				mu.Unlock()
			}
			close(stop)
			side.Wait()
			w.stop()
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// comeAndGo begins and closes subscriptions, and acknowledges.
func comeAndGo(t *testing.T, w *fanWorld, r *rand.Rand, mu *sync.Mutex, viewers *[]*viewer, stop chan struct{}, quiet *atomic.Bool) {
	points := map[*viewer]uint64{}
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(r.IntN(30)) * time.Millisecond):
		}
		mu.Lock()
		if len(*viewers) < 6 && !quiet.Load() && r.IntN(20) == 0 {
			*viewers = append(*viewers, newViewer(t, w, r, n))
		}
		for i, v := range *viewers {
			if v.options.ManualAck {
				v.acknowledge()
			}
			stats := v.sub.Stats()
			if stats.Acknowledged < points[v] {
				t.Errorf("%s: acknowledged %d after %d", v.name, stats.Acknowledged, points[v])
			}
			points[v] = stats.Acknowledged
			if v.options.ManualAck && stats.Unacknowledged > v.options.MaxUnacknowledged {
				t.Errorf("%s: %d unacknowledged", v.name, stats.Unacknowledged)
			}
			if v.options.Delivery == PushBack && stats.QueueLength > v.options.QueueSize {
				t.Errorf("%s: a queue of %d", v.name, stats.QueueLength)
			}
			if r.IntN(600) == 0 {
				if err := v.sub.Close(context.Background()); err != nil {
					t.Error(err)
				}
				*viewers = append((*viewers)[:i], (*viewers)[i+1:]...)
				break
			}
		}
		mu.Unlock()
	}
}

// step publishes one random event, or a whole relist.
func (w *fanWorld) step(r *rand.Rand) {
	name := fmt.Sprint("o", r.IntN(12))
	item, known := w.store.Get(nsKey(name))
	group := uint32(r.IntN(2))
	switch {
	case r.IntN(40) == 0:
		w.relist(r)
	case !known:
		w.event(Added, name, fmt.Sprint("u", w.version), group)
	case r.IntN(3) == 0:
		w.event(Deleted, name, item.UID, group)
	case r.IntN(8) == 0: // another object of that name, whose end went unseen
		w.event(Added, name, fmt.Sprint("u", w.version), group)
	case r.IntN(8) == 0: // nothing new
		e := w.make(Modified, name, item.UID, group)
		e.Object.ResourceVersion = item.ResourceVersion
		e.Object.Raw = w.rawOf(item)
		if err := w.subs.publish(w.t.Context(), e); err != nil {
			w.t.Error(err)
		}
	default:
		w.event(Modified, name, item.UID, group)
	}
}

// relist lets some objects differ, come, and go, all at once.
func (w *fanWorld) relist(r *rand.Rand) {
	w.cause = CauseRelist
	for i := range 12 {
		name := fmt.Sprint("o", i)
		item, known := w.store.Get(nsKey(name))
		switch group := uint32(r.IntN(2)); {
		case r.IntN(2) == 0:
		case !known || r.IntN(4) == 0:
			w.event(Added, name, fmt.Sprint("u", w.version), group)
		case r.IntN(2) == 0:
			w.event(Deleted, name, item.UID, group)
		default:
			w.event(Modified, name, item.UID, group)
		}
	}
	w.sync()
	w.cause = CauseStream
}

func (v *viewer) compare(w *fanWorld) {
	v.mu.Lock()
	defer v.mu.Unlock()
	want := 0
	for key, item := range w.store.All() {
		if v.options.Filter != nil && !v.options.Filter(item) {
			continue
		}
		want++
		if got := v.view[key.Name]; !sameState(got, item) {
			v.t.Errorf("%s: %s is %+v, not %+v", v.name, key, got, item)
		}
	}
	if len(v.view) != want {
		v.t.Errorf("%s: %d objects, not %d", v.name, len(v.view), want)
	}
	if w.subs.synced && v.synced == 0 {
		v.t.Errorf("%s: never synced", v.name)
	}
	if got := v.sub.Acknowledged(); got != w.subs.sequence {
		v.t.Errorf("%s: acknowledged %d of %d: %+v", v.name, got, w.subs.sequence, v.sub.Stats())
	}
}
