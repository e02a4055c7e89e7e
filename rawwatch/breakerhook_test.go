package rawwatch_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// curious is a hook that asks, while it is told of the breaker, for the client's
// state and for an object.
type curious struct {
	stateLog
	ctx    context.Context
	client *rawwatch.Client

	mu    sync.Mutex // guards below
	seen  []rawwatch.BreakerState
	found int // objects
}

func (c *curious) OnBreaker(from, to rawwatch.BreakerState) {
	c.stateLog.OnBreaker(from, to)
	state := c.client.Status().Breaker
	_, err := c.client.Get(c.ctx, rawwatch.Pods, decode.Key{Namespace: "n", Name: "a"}, rawwatch.GetOptions{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, state)
	if err == nil {
		c.found++
	}
}

// TestBreakerHookMayAsk: no lock is held while a hook runs, and whatever it does
// itself comes after what it is told.
func TestBreakerHookMayAsk(t *testing.T) {
	var line cable
	hook := &curious{}
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{DialContext: line.DialContext, Hooks: []rawwatch.Hook{hook}}, func(w *world) {
		line.dial, hook.client, hook.ctx = w.server.DialContext, w.client, w.Context()
		w.create(pods, "n", "a")
		for range 8 {
			w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		}
		w.pass(time.Second)
		line.out.Store(true)
		w.server.Restart()
		w.pass(10 * time.Minute)
		line.out.Store(false)
		w.pass(2 * time.Minute)
		steps := strings.Fields(hook.String())
		for i := 1; i < len(steps); i++ {
			_, before, _ := strings.Cut(steps[i-1], ">")
			if from, _, _ := strings.Cut(steps[i], ">"); from != before {
				t.Errorf("told %s after %s", steps[i], steps[i-1])
			}
		}
		hook.mu.Lock()
		defer hook.mu.Unlock()
		if len(steps) < 20 || steps[len(steps)-1] != "half-open>closed" || len(hook.seen) != len(steps) {
			t.Errorf("%d calls returned: %v", len(hook.seen), steps)
		}
		if !slices.Contains(hook.seen, rawwatch.BreakerOpen) || hook.found == 0 {
			t.Errorf("the hook saw %v and found the object %d times", hook.seen, hook.found)
		}
	})
}

// panicsOnce is a hook that panics once.
type panicsOnce struct{ told, toldAgain bool }

func (p *panicsOnce) OnBreaker(from, to rawwatch.BreakerState) {
	if !p.told {
		p.told = true
		panic("the hook's own")
	}
	p.toldAgain = true
}

// TestBreakerHookThatPanics: whoever made the request has the panic, and later
// changes are told.
func TestBreakerHookThatPanics(t *testing.T) {
	var line cable
	hook := &panicsOnce{}
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{DialContext: line.DialContext, Hooks: []rawwatch.Hook{hook}}, func(w *world) {
		line.dial = w.server.DialContext
		w.create(pods, "n", "a")
		line.out.Store(true)
		get := func() (panicked any) {
			defer func() { panicked = recover() }()
			_, _ = w.client.Get(w.Context(), rawwatch.Pods, decode.Key{Namespace: "n", Name: "a"}, rawwatch.GetOptions{})
			return nil
		}
		var caught any
		for range rawwatch.DefaultBreakerFailures + 1 {
			if p := get(); p != nil {
				caught = p
			}
		}
		if caught != "the hook's own" {
			t.Errorf("recovered %v", caught)
		}
		line.out.Store(false)
		w.pass(rawwatch.DefaultBreakerOpen + time.Second)
		if p := get(); p != nil || !hook.toldAgain || w.client.Status().Breaker != rawwatch.BreakerClosed {
			t.Errorf("recovered %v; told of later changes: %v; the breaker is %s", p, hook.toldAgain, w.client.Status().Breaker)
		}
	})
}
