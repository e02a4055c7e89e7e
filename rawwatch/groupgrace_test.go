package rawwatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestGraceIsNotCut: a timer that fires while somebody comes and goes again ends
// nothing: the time that this one left behind is another.
func TestGraceIsNotCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const grace = time.Minute
		g := NewGroup(nil, GroupOptions{Grace: grace})
		key := shareKey[int]{query: Pods.Query()}
		s := &share{group: g, query: key.query, options: InformerOptions[int]{}, done: make(chan struct{}), ended: func(error) {}}
		g.shares[key] = s
		here := func() bool {
			synctest.Wait()
			select {
			case <-s.done:
				return false
			default:
				return true
			}
		}
		comes := func() {
			if _, err := want(g, key, InformerOptions[int]{}); err != nil {
				t.Fatal(err)
			}
		}
		comes()
		g.release(key, s)
		first := s.graces
		time.Sleep(grace / 2)
		comes()
		g.expire(key, s, first) // its timer, late, while it is wanted
		g.release(key, s)
		g.expire(key, s, first) // and later still
		if !here() {
			t.Fatal("the first grace's timer cut the second one")
		}
		if time.Sleep(grace - 1); !here() {
			t.Fatal("ended before its grace was over")
		}
		if time.Sleep(time.Nanosecond); here() {
			t.Error("goes on after its grace")
		}
		if err := g.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
