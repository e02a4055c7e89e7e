package rawwatch_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

var (
	modelSeeds = flag.Int("model-seeds", 16, "with how many seeds TestKilledModel tries each subscriber")
	modelFrom  = flag.Uint64("model-from", 0, "the first of these seeds")
)

// traits of a subscriber, and of the world it lives in.
type traits uint

const (
	coalesces traits = 1 << iota
	filters
	acksByHand
	twoNamespaces
	inBatches
	fails // now and then, and is told again
	merges
	selects
	rolledBack // the server is, to an earlier state
)

var traitNames = [...]string{"coalesces", "filters", "acks by hand", "two namespaces", "in batches", "fails", "merges", "selects", "rolled back"}

// has says whether it has any of them.
func (t traits) has(any traits) bool { return t&any != 0 }

func (t traits) String() string {
	var names []string
	for n, name := range traitNames {
		if t.has(1 << n) {
			names = append(names, name)
		}
	}
	return strings.Join(append(names, "it")[:max(1, len(names))], ", ")
}

var modelSubscribers = []traits{
	0,
	filters,
	acksByHand,
	twoNamespaces,
	inBatches,
	selects,
	coalesces,
	filters | inBatches,
	filters | twoNamespaces,
	filters | acksByHand,
	filters | acksByHand | inBatches | twoNamespaces,
	acksByHand | inBatches,
	selects | acksByHand,
	selects | inBatches,
	selects | coalesces,
	coalesces | inBatches,
	coalesces | filters,
	coalesces | acksByHand,
	coalesces | merges,
	coalesces | filters | acksByHand,
	coalesces | filters | inBatches | twoNamespaces,
	coalesces | acksByHand | twoNamespaces,
	fails | acksByHand,
	fails | coalesces,
	fails | filters | inBatches,
	fails | filters | inBatches | acksByHand,
	fails | coalesces | inBatches | acksByHand,
	// Not what acknowledges late: of a name that another history used otherwise, what
	// only notes know may be Deleted after what is there is Added.
	rolledBack,
	rolledBack | filters,
	rolledBack | inBatches,
	rolledBack | coalesces,
}

// TestKilledModel: whatever a subscriber is like and whenever its process is
// killed, what it makes of all that it is told, over all its lives, is what the
// server has. It is not told again what it has acknowledged. Seeds draw what
// happens; who comes first of those that run at the same time they do not.
func TestKilledModel(t *testing.T) {
	seeds := *modelSeeds
	if testing.Short() {
		seeds = min(seeds, 3)
	}
	for _, like := range modelSubscribers {
		t.Run(like.String(), func(t *testing.T) {
			failures := 0
			for seed := *modelFrom; seed < *modelFrom+uint64(seeds); seed++ {
				v := lived(t, like, seed)
				if len(v.wrong) == 0 {
					continue
				}
				if failures++; failures == 1 {
					t.Errorf("seed %d: %s", seed, strings.Join(v.wrong, "\n\t"))
					t.Log("what happened:\n\t" + strings.Join(v.log, "\n\t"))
				}
			}
			if failures > 0 {
				t.Errorf("%d of %d seeds from %d fail; repeat with -model-from and -model-seeds", failures, seeds, *modelFrom)
			}
		})
	}
}

const lives = 6

// killed is an agent with all its lives, and the server beside it.
type killed struct {
	*world
	*view
	rand   *rand.Rand
	memory *checkpointtest.Memory
	floor  uint64 // there is no history before it
	calm   bool   // the next life may tell what has become of the history before it ends
}

// lived lets one agent live several times; the last time until it knows all.
func lived(t *testing.T, like traits, seed uint64) *view {
	v := newView(like)
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		k := &killed{world: w, view: v, rand: rand.New(rand.NewPCG(seed, 0)), memory: new(checkpointtest.Memory)}
		w.kubeSystem()
		k.floor = w.server.Revision()
		for v.life = 1; v.life < lives; v.life++ {
			k.live(seed)
			k.meanwhile()
		}
		k.liveOn(seed)
	})
	return v
}

// live ends in the middle of something.
func (k *killed) live(seed uint64) {
	p := k.process(seed)
	p.run.begin()
	if k.calm {
		k.pass(time.Minute)
		k.calm = false
	}
	for range k.rand.IntN(8) {
		k.someHappens()
		k.pass(time.Duration(k.rand.IntN(1500)) * time.Millisecond)
		for k.rand.IntN(3) > 0 && p.ackOne(k.rand) {
		}
		k.maybeCut()
	}
	k.settle()
	k.say("KILL")
	p.dead.Store(true)
	again := k.memory.Reopen() // nothing is saved in the old one any more
	p.run.stop()
	k.memory = again
}

// liveOn compares once nothing more is to come.
func (k *killed) liveOn(seed uint64) {
	p := k.process(seed)
	p.run.begin()
	for range 20 {
		k.pass(2 * time.Second)
		for p.ackOne(k.rand) {
		}
	}
	k.compare(k.objects(), p.run.Store())
	p.dead.Store(true)
	p.run.stop()
}
