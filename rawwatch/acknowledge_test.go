package rawwatch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// TestLedger compares the ledger with a plain list.
func TestLedger(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		var l ledger
		var model []*outstanding
		key := func() decode.Key { return nsKey(fmt.Sprint(r.IntN(5))) }
		drop := func(gone func(*outstanding) bool) { model = slices.DeleteFunc(model, gone) }
		for sequence := uint64(1); sequence < 400; sequence++ {
			switch r.IntN(4) {
			case 0, 1:
				first := sequence - min(uint64(r.IntN(4)), sequence-1)
				model = append(model, l.add(key(), first, sequence, nil))
			case 2:
				k, upTo := key(), uint64(r.IntN(int(sequence)+5))
				l.acknowledge(k, upTo)
				drop(func(e *outstanding) bool { return e.key == k && e.sequence <= upTo })
			case 3:
				if len(model) > 0 {
					e := model[r.IntN(len(model))]
					l.strike(e)
					l.strike(e) // twice does nothing
					drop(func(o *outstanding) bool { return o == e })
				}
			}
			low, any := uint64(0), false
			for _, e := range model {
				if !any || e.first < low {
					low, any = e.first, true
				}
			}
			if got, ok := l.oldest(); got != low || ok != any || l.n != len(model) {
				t.Fatalf("seed %d: oldest %d %t of %d, want %d %t of %d", seed, got, ok, l.n, low, any, len(model))
			}
		}
		for _, e := range model {
			l.strike(e)
		}
		if l.head != nil || l.tail != nil || len(l.newest) != 0 {
			t.Fatalf("seed %d: the empty ledger is not empty", seed)
		}
	}
}

// TestManualAck: the point moves only over what is acknowledged, in any order.
func TestManualAck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		w.add("old") // 1
		sequences := map[string]uint64{}
		s := w.subscribe(func(_ context.Context, c Change[val]) error {
			sequences[text(c)] = c.Sequence
			return nil
		}, SubscriptionOptions[val]{Durable: true, ManualAck: true, Filter: func(i *Item[val]) bool { return i.Value.Group == 0 }})
		w.sync()                      // 2
		w.add("a")                    // 3
		w.add("b")                    // 4
		w.modify("a")                 // 5
		w.event(Added, "no", "no", 1) // 6, does not pass
		synctest.Wait()
		ack := func(name string, sequence, want uint64) {
			t.Helper()
			if err := s.Ack(nsKey(name), sequence); err != nil {
				t.Error(err)
			}
			if got := s.Acknowledged(); got != want || w.subs.acknowledged() != want {
				t.Errorf("after %s %d: %d, in all %d, want %d", name, sequence, got, w.subs.acknowledged(), want)
			}
		}
		if got := fmt.Sprint(sequences); got != "map[ADDED a 3:3 ADDED b 4:4 ADDED old 1:1 MODIFIED a 5 was 3:5 SYNCED:2]" {
			t.Fatal(got)
		}
		ack("b", 4, 0)   // what it began with is outstanding
		ack("old", 1, 2) // the Synced needs none
		ack("unknown", 99, 2)
		ack("a", 3, 4)
		ack("a", 3, 4)
		ack("a", 5, 6)
		w.stop()
		ack("a", 5, 6)
	})
}

// noterFunc makes a noter of a function.
type noterFunc func([]delivery)

func (f noterFunc) note(_ string, all []delivery) error { f(all); return nil }

// TestAckIsNoted: nothing counts as acknowledged before it is noted, so that
// nothing is saved of which a note says less; and whoever acknowledges what
// another is acknowledging already returns after that is noted, too.
func TestAckIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		s := w.subscribe(func(context.Context, Change[val]) error { return nil }, SubscriptionOptions[val]{ManualAck: true})
		var noted []knowledge
		var order []string
		var other sync.WaitGroup
		var notes noter = noterFunc(func(all []delivery) {
			for _, d := range all {
				if noted = append(noted, d.knowledge); d.knowledge == maybe {
					return // before the handler is called
				}
			}
			if got := s.Acknowledged(); got >= all[0].sequence {
				t.Errorf("%d counts before it is noted", got)
			}
			other.Go(func() {
				_ = s.Ack(nsKey("a"), 2)
				order = append(order, "returned")
			})
			for range 1000 {
				runtime.Gosched()
			}
			order = append(order, "noted")
		})
		s.noter.Store(&notes)
		w.add("a")                        // 1
		w.event(Deleted, "a", "a", 0)     // 2
		w.event(Added, "a", "a again", 0) // 3
		synctest.Wait()
		if err := s.Ack(nsKey("a"), 3); err != nil {
			t.Error(err)
		}
		other.Wait()
		if got, want := string(asBytes(noted)), "ttsxs"; got != want {
			t.Errorf("noted %q, want %q", got, want)
		}
		if !slices.Equal(order, []string{"noted", "returned"}) || s.Acknowledged() != 3 {
			t.Errorf("%v; acknowledged up to %d", order, s.Acknowledged())
		}
		w.stop()
	})
}

func asBytes(all []knowledge) (b []byte) {
	for _, k := range all {
		b = append(b, byte(k))
	}
	return b
}

// TestAckWithin: a handler may acknowledge before it returns; the point waits
// for its return.
func TestAckWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		var s *Subscription[val]
		ready := make(chan struct{})
		s = w.subscribe(func(_ context.Context, c Change[val]) error {
			<-ready
			return s.Ack(c.Item.Key(), c.Sequence)
		}, SubscriptionOptions[val]{ManualAck: true, MaxUnacknowledged: 1})
		w.add("a")
		w.modify("a")
		synctest.Wait()
		close(ready)
		synctest.Wait()
		if got := s.Acknowledged(); got != 2 {
			t.Errorf("acknowledged %d of 2", got)
		}
		auto := w.subscribe(func(context.Context, Change[val]) error { return nil }, SubscriptionOptions[val]{})
		if err := auto.Ack(nsKey("a"), 1); err != ErrNotManualAck {
			t.Errorf("ack: %v", err)
		}
		w.stop()
	})
}

// TestMaxUnacknowledged: nothing more is delivered until there is room, and then
// the stream is pushed back; in what a subscriber begins with, too.
func TestMaxUnacknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		for i := range 7 {
			w.add(fmt.Sprint(i))
		}
		most := 0
		var pending []Change[val]
		s := w.batches(func(_ context.Context, batch []Change[val]) error {
			pending = append(pending, batch...)
			return nil
		}, SubscriptionOptions[val]{ManualAck: true, MaxUnacknowledged: 5, BatchSize: 4, QueueSize: 4})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 30 {
				w.modify(fmt.Sprint(i % 7))
			}
		}()
		for range 37 {
			synctest.Wait()
			most = max(most, s.Stats().Unacknowledged)
			c := pending[0]
			pending = pending[1:]
			if err := s.Ack(c.Item.Key(), c.Sequence); err != nil {
				t.Error(err)
			}
		}
		<-done
		synctest.Wait()
		if stats := s.Stats(); most != 5 || stats.Unacknowledged != 0 || stats.Acknowledged != 37 || stats.Delivered != 37 {
			t.Errorf("at most %d; %+v", most, stats)
		}
		w.stop()
	})
}

// TestDurable: the point is the least of the durable ones, also after a stop;
// who unsubscribes holds back no more.
func TestDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFan(t)
		stuck := func(ctx context.Context, c Change[val]) error {
			if c.Item.Name == "b" {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		w.add("a")
		if got := w.subs.acknowledged(); got != 1 {
			t.Errorf("nobody durable: %d", got)
		}
		w.subscribe(stuck, SubscriptionOptions[val]{})
		gone := w.subscribe(stuck, SubscriptionOptions[val]{Durable: true, Delivery: Coalesce})
		synctest.Wait()
		w.add("b")
		w.add("c")
		synctest.Wait()
		late := w.subscribe(stuck, SubscriptionOptions[val]{Durable: true})
		if got := w.subs.acknowledged(); got != 0 {
			t.Errorf("with one that has not begun: %d", got)
		}
		synctest.Wait()
		if err := late.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := w.subs.acknowledged(); got != 1 {
			t.Errorf("while b is in hand: %d", got)
		}
		time.Sleep(time.Second)
		w.stop()
		if got := w.subs.acknowledged(); got != 1 || gone.Acknowledged() != 1 {
			t.Errorf("after the stop: %d", got)
		}
	})
}
