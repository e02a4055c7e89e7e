package resume

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestOptionsRefused(t *testing.T) {
	for option, o := range map[string]Options{
		"MaxPages":           {MaxPages: -1},
		"InitialLimit":       {InitialLimit: -1},
		"WatchTimeoutMin":    {WatchTimeoutMin: time.Millisecond},
		"WatchTimeoutMax":    {WatchTimeoutMin: time.Minute, WatchTimeoutMax: time.Second},
		"Backoff.Min":        {Backoff: Backoff{Min: -1}},
		"Backoff.Max":        {Backoff: Backoff{Min: time.Minute, Max: time.Second}},
		"Backoff.Factor":     {Backoff: Backoff{Factor: 0.5}},
		"Backoff.Jitter":     {Backoff: Backoff{Jitter: 1.5}},
		"Backoff.ResetAfter": {Backoff: Backoff{ResetAfter: -1}},
		"SlowRetry":          {SlowRetry: time.Nanosecond},
		"MaxRetryAfter":      {MaxRetryAfter: -1},
		"From":               {From: "0"},
		"Single":             {Single: true},
	} {
		m, err := New(o)
		var refused *OptionError
		if m != nil || !errors.As(err, &refused) || refused.Option != option || !strings.Contains(err.Error(), option) {
			t.Errorf("%s: got %v, %v", option, m, err)
		}
	}
	for _, b := range []Backoff{{Factor: math.NaN()}, {Jitter: math.NaN()}} {
		if _, err := New(Options{Backoff: b}); err == nil {
			t.Errorf("took %v", b)
		}
	}
	if _, err := New(Options{From: strings.Repeat("1", MaxVersionLength+1)}); err == nil {
		t.Error("took a version that fits in no request")
	}
}

// TestOptionsTaken: a value alone moves the other end of its range.
func TestOptionsTaken(t *testing.T) {
	for _, o := range []Options{
		{},
		{Backoff: Backoff{Min: time.Minute}},
		{WatchTimeoutMin: time.Hour},
		{Backoff: Backoff{Jitter: -1}},
		{Backoff: Backoff{Factor: math.Inf(1)}},
		{From: "opaque"},
	} {
		if _, err := New(o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestBackoff(t *testing.T) {
	b := Backoff{}.withDefaults()
	for n, want := range []time.Duration{800 * time.Millisecond, 1600 * time.Millisecond, 3200 * time.Millisecond, 6400 * time.Millisecond, 12800 * time.Millisecond, 25600 * time.Millisecond, 30 * time.Second, 30 * time.Second} {
		if got := b.wait(n+1, 0); got != want {
			t.Errorf("wait %d is %v, want %v", n+1, got, want)
		}
		if got := b.wait(n+1, 0.5); got != want*3/4 {
			t.Errorf("wait %d with chance 0.5 is %v, want %v", n+1, got, want*3/4)
		}
	}
	if got := b.wait(math.MaxInt, 0); got != 30*time.Second {
		t.Errorf("after very many failures %v, want 30s", got)
	}
	none := Backoff{Jitter: -1}.withDefaults()
	if got := none.wait(1, 0.99); got != DefaultBackoffMin {
		t.Errorf("without jitter %v, want %v", got, DefaultBackoffMin)
	}
}

// TestTimeouts: drawn in whole seconds between the bounds.
func TestTimeouts(t *testing.T) {
	for chance, want := range map[float64]time.Duration{0: 5 * time.Minute, 0.5: 450 * time.Second, 0.99999: 599 * time.Second} {
		m, err := New(Options{From: "1", Rand: func() float64 { return chance }})
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Step(time.Time{}, start)
		if err != nil || a.Timeout != want {
			t.Errorf("chance %v: timeout %v (%v), want %v", chance, a.Timeout, err, want)
		}
	}
}

// TestOwnChance: without a Rand the machine has chance of its own.
func TestOwnChance(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 50 {
		m, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Step(time.Time{}, start); err != nil {
			t.Fatal(err)
		}
		a, err := m.Step(time.Time{}, failure(Unavailable))
		if err != nil || a.Wait < DefaultBackoffMin/2 || a.Wait > DefaultBackoffMin {
			t.Fatalf("waits %v (%v)", a.Wait, err)
		}
		seen[a.Wait] = true
	}
	if len(seen) < 40 {
		t.Errorf("%d different waits of 50", len(seen))
	}
}
