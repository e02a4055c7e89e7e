package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random suite; 0 draws one")

// seed is -seed, or RAWWATCH_SEED, or a new one.
func seed(t *testing.T) uint64 {
	t.Helper()
	n := *seedFlag
	if text := os.Getenv("RAWWATCH_SEED"); n == 0 && text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("RAWWATCH_SEED: %v", err)
		}
	}
	if n == 0 {
		n = rand.Uint64()>>1 + 1
	}
	t.Logf("seed %d: repeat with -seed %d", n, n)
	return n
}

// suite is one run of the random suite.
type suite struct {
	t         *testing.T
	random    *rand.Rand
	cluster   *realapi.Cluster
	network   faultnet.Network // between the library and the server
	history   *History
	beat      Beat
	followers []*follower
	oracles   []*oracle // of the followers, in their order
	seed      uint64
	writers   int
}

const suiteWriters = 4

// eager has pages so small that every list takes several, and a backoff so
// short that a run takes minutes.
var eager = rawwatch.ListWatchOptions{
	ListFirst: true, PageLimit: 7, Bookmarks: true,
	Backoff: resume.Backoff{Min: 200 * time.Millisecond, Max: time.Second},
}

// eagerStream gets the first state, and each later one after a gap, in the
// watch stream (KEP-3157).
var eagerStream = rawwatch.ListWatchOptions{StreamRelist: true, Backoff: eager.Backoff}

// begin starts server, oracle and library; the first objects are there
// before anybody watches.
func begin(t *testing.T, o realapi.Options) *suite {
	s := &suite{t: t, seed: seed(t), history: newHistory(t), cluster: realapi.Start(t, o)}
	s.random = rand.New(rand.NewPCG(s.seed, 0))
	mustWrite(t, s.cluster.Direct(), "POST", "/api/v1/namespaces", named("elsewhere", nil))
	installWidgets(t, s.cluster.Direct())
	s.write(150, func() {})
	client := newClient(t, s.cluster.Config(), rawwatch.ClientOptions{DialContext: s.network.DialContext})
	for _, k := range kinds {
		s.watch(client, k.resource.Query(), eager, eagerStream)
	}
	s.watch(client, rawwatch.ConfigMaps.WithLabel("color=red"), eager)
	s.watch(client, widgets.InNamespace("elsewhere").WithLabel("color notin (red)"), eager)
	return s
}

// watch follows the query in each of the ways, beside the oracle.
func (s *suite) watch(c *rawwatch.Client, q rawwatch.Query, ways ...rawwatch.ListWatchOptions) {
	o := consult(s.t, s.cluster.Config(), q, &s.beat)
	for _, way := range ways {
		s.followers = append(s.followers, followWith(s.t, c, q, way, s.history, &s.beat))
		s.oracles = append(s.oracles, o)
	}
}

// write lets several writers make n changes in all, runs disturb when half of
// them are made, and returns when both are done.
func (s *suite) write(n int, disturb func()) {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	half := make(chan struct{})
	var writing, halfway sync.WaitGroup
	for range suiteWriters {
		s.writers++
		w := &writer{id: s.writers, random: rand.New(rand.NewPCG(s.seed, uint64(s.writers))), direct: s.cluster.Direct(), history: s.history}
		halfway.Add(1)
		writing.Go(func() {
			err := w.write(ctx, n/suiteWriters/2, s.up)
			halfway.Done()
			if err == nil {
				<-half
				err = w.write(ctx, n/suiteWriters/2, s.up)
			}
			if err != nil {
				s.t.Errorf("writer %d: %v", w.id, err)
			}
		})
	}
	halfway.Wait()
	close(half) // writing goes on while disturb runs
	disturb()
	writing.Wait()
}

// up returns when the server answers again.
func (s *suite) up(ctx context.Context) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := s.ready(ctx); err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *suite) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writePatience)
	defer cancel()
	_, err := s.cluster.Direct().Do(ctx, "GET", "/readyz", nil)
	return err
}

// quiet checks that library, oracle and server agree.
func (s *suite) quiet() {
	s.t.Helper()
	for i, f := range s.followers {
		f.untilEqual(s.t, func(ctx context.Context) (State, error) {
			want, err := serverState(ctx, s.cluster.Direct(), f.query)
			if err != nil {
				return nil, err
			}
			return want, s.agree(ctx, s.oracles[i], want)
		})
		for _, p := range f.Problems() {
			s.t.Errorf("%s: %s", f.query, p)
		}
	}
	if s.t.Failed() {
		s.t.FailNow()
	}
}

func (s *suite) agree(ctx context.Context, o *oracle, want State) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if s.beat.Until(ctx, func() bool { return Diff(want, o.state(s.t)) == "" }) != nil {
		return errors.New("client-go's store: " + Diff(want, o.state(s.t)))
	}
	return nil
}

// disturbance is something that a round of the suite suffers.
type disturbance struct {
	name string
	do   func(*suite)
}

var disturbances = []disturbance{
	{"nothing", func(*suite) {}},
	{"the API server is killed and started again", (*suite).restart},
	{"etcd is compacted", (*suite).compact},
	{"the network is cut", func(s *suite) { s.network.Cut() }},
	{"compacted, then killed", func(s *suite) { s.compact(); s.restart() }},
	{"cut off while the server restarts and writers go on", (*suite).cutOff},
	{"the API server is stopped in an orderly way", (*suite).stop},
}

func (s *suite) must(err error) {
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *suite) restart() { s.must(s.cluster.Restart(s.t.Context())) }

func (s *suite) compact() {
	_, err := s.cluster.Compact(s.t.Context())
	s.must(err)
}

func (s *suite) stop() {
	s.cluster.Stop()
	s.must(s.cluster.Start(s.t.Context()))
}

// cutOff makes a gap that the server's history does not span.
func (s *suite) cutOff() {
	s.network.Down()
	s.write(100, func() {})
	s.compact()
	s.restart()
	s.write(100, func() {})
	s.network.Up()
}

// rounds runs each disturbance at least once, in a random order, then more at
// random.
func (s *suite) rounds(changes int, suffer []disturbance, more int) {
	s.quiet()
	order := s.random.Perm(len(suffer))
	for range more {
		order = append(order, s.random.IntN(len(suffer)))
	}
	for i, n := range order {
		begun := time.Now()
		s.history.note("round", fmt.Sprintf("%d: %s", i, suffer[n].name))
		s.write(changes, func() { suffer[n].do(s) })
		written := time.Since(begun)
		s.quiet()
		s.t.Logf("round %d: %s (written after %v, equal after %v)", i, suffer[n].name, written.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
	}
}

// Random writes over three kinds, with everything that may happen to a server
// and a network: library, client-go and server agree at every quiet point.
func TestRandomHistory(t *testing.T) {
	s := begin(t, realapi.Options{})
	s.rounds(400, disturbances, 5)
	for _, f := range s.followers {
		counts := f.Counts()
		t.Logf("%s: %v", f.query, counts)
		if counts["DELETED/relist"] == 0 && f.Syncs() < 2 {
			t.Errorf("%s: no relist was provoked", f.query)
		}
	}
}

// The same, shorter, on SQLite through kine.
func TestRandomHistoryOnKine(t *testing.T) {
	s := begin(t, realapi.Options{Store: realapi.OnKine})
	s.rounds(200, []disturbance{disturbances[0], disturbances[1], disturbances[3]}, 1)
}
