package resume

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestHerd: ten thousand clients that lost their server at one instant do not
// come back at one instant.
func TestHerd(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const (
		clients = 10_000
		outage  = 5 * time.Minute
	)
	source := rand.New(rand.NewPCG(seed, 0))
	arrivals := map[time.Duration]int{} // by second after the outage
	for range clients {
		r := play(t, Options{}, synced)
		r.m.rand = source.Float64
		began := r.now
		tell := func(o Outcome) {
			if _, err := r.step(o); err != nil {
				t.Fatal(err)
			}
		}
		for tell(failure(Unavailable)); r.now.Sub(began) < outage; tell(failure(Unavailable)) {
			r.now = r.now.Add(r.last.Wait)
			tell(over)
		}
		arrivals[(r.now.Sub(began)-outage).Truncate(time.Second)]++
	}
	most := 0
	for second, n := range arrivals {
		most = max(most, n)
		if second > 30*time.Second {
			t.Errorf("%d clients came back %v after the server, want all within 30s", n, second)
		}
	}
	t.Logf("at most %d of %d clients in one second", most, clients)
	if limit := 2 * clients / 30; most > limit {
		t.Errorf("%d clients came back in one second, want at most %d", most, limit)
	}
}
