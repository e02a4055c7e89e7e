package rawwatch_test

import (
	"errors"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// panicking is a transport that panics while it is told to.
type panicking struct {
	next http.RoundTripper
	now  *bool
}

func (p panicking) RoundTrip(r *http.Request) (*http.Response, error) {
	if *p.now {
		panic("transport")
	}
	return p.next.RoundTrip(r)
}

// TestPanicWhileHalfOpen: the one request that a breaker lets through may end in
// a panic of the caller's code, which the caller contains.
func TestPanicWhileHalfOpen(t *testing.T) {
	now := false
	wrap := func(r http.RoundTripper) http.RoundTripper { return panicking{r, &now} }
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{WrapTransport: wrap}, func(w *world) {
		get := func() (err error) {
			defer func() { _ = recover() }()
			_, err = w.client.GetDocument(w.Context(), "version", rawwatch.DocumentOptions{})
			return err
		}
		dead := w.server.Inject(watchtest.Fault{Drop: true, Count: -1})
		for range rawwatch.DefaultBreakerFailures {
			_ = get()
		}
		dead.Remove()
		if s := w.client.Status(); s.Breaker != rawwatch.BreakerOpen {
			w.Fatalf("the breaker is %s", s.Breaker)
		}
		w.pass(rawwatch.DefaultBreakerOpen + time.Second)
		now = true
		_ = get()
		now = false
		if err := get(); err != nil {
			w.Errorf("the breaker never closes: %v", err)
		}
	})
}

// TestOpenBreakerIsNoAnswer: what an open breaker quotes is the failure of
// another request.
func TestOpenBreakerIsNoAnswer(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Inject(watchtest.Fault{Count: -1, Answer: watchtest.HTMLAnswer(503)})
		once := rawwatch.RetryOptions{Retries: -1}
		for _, r := range []rawwatch.Resource{rawwatch.Pods, rawwatch.Secrets} {
			for range rawwatch.DefaultBreakerFailures {
				_, _ = w.client.Get(w.Context(), r, decode.Key{Namespace: "n", Name: "x"}, rawwatch.GetOptions{Retry: once})
			}
		}
		if s := w.client.Status(); s.Breaker != rawwatch.BreakerOpen {
			w.Fatalf("the breaker is %s", s.Breaker)
		}
		_, err := w.client.Create(w.Context(), rawwatch.Pods, rawwatch.Object{Raw: []byte(`{"metadata":{"namespace":"n","name":"x"}}`)}, rawwatch.WriteOptions{})
		if err == nil || rawwatch.MayHaveHappened(err) {
			w.Errorf("may have happened: %v", err)
		}
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		if s := f.reflector.Status(); s.LastErrorClass != resume.Unavailable {
			w.Errorf("taken for %s: %v", s.LastErrorClass, s.LastError)
		}
	})
}

// TestBudgetIsANumber: one that is none would bound nothing.
func TestBudgetIsANumber(t *testing.T) {
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory})
	defer server.Close()
	_, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{Budget: rawwatch.Budget{PerSecond: math.NaN()}})
	if wrong, ok := errors.AsType[*rawwatch.OptionError](err); !ok || wrong.Option != "ClientOptions.Budget.PerSecond" {
		t.Error(err)
	}
}
