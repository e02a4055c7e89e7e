package rawwatch_test

import (
	"context"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestPanickingConsumer: a loop body that panics ends its request, as one that
// breaks does, for whoever recovers.
func TestPanickingConsumer(t *testing.T) {
	var requests []context.Context
	wrap := func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			requests = append(requests, r.Context())
			return next.RoundTrip(r)
		})
	}
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{WrapTransport: wrap}, func(w *world) {
		w.create(pods, "n", "a")
		w.create(pods, "n", "b")
		list := w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{})
		reflector := rawwatch.NewReflector(w.client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		for _, loop := range []func(){
			func() {
				for range list {
					panic("in the loop")
				}
			},
			func() {
				for range reflector.Events(w.Context()) {
					panic("in the loop")
				}
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						w.Error("the panic was lost")
					}
				}()
				loop()
			}()
		}
		if s := reflector.Status(); !s.Stopped {
			w.Errorf("the status is %+v", s)
		}
		if len(requests) != 2 {
			w.Errorf("%d requests", len(requests))
		}
		for i, ctx := range requests {
			if ctx.Err() == nil {
				w.Errorf("request %d is still open", i)
			}
		}
	})
}

// TestEndlessPatience: the longest bounds that there are do not overflow into
// none at all.
func TestEndlessPatience(t *testing.T) {
	for name, c := range map[string]struct {
		grace, timeout time.Duration
	}{
		"grace":   {math.MaxInt64, time.Minute},
		"timeout": {0, math.MaxInt64},
		"both":    {math.MaxInt64, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{WatchGrace: c.grace}, func(w *world) {
				first := w.create(pods, "n", "a")
				time.AfterFunc(time.Second, func() { w.create(pods, "n", "b") })
				for event, err := range w.client.Watch(w.Context(), rawwatch.Pods.Query(), rawwatch.WatchOptions{ResourceVersion: first.ResourceVersion, Timeout: c.timeout}) {
					if err != nil || event.Object.Name != "b" {
						w.Errorf("got %+v, %v", event, err)
					}
					return
				}
				w.Error("the watch ended at once")
			})
		})
	}
}
