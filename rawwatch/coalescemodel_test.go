package rawwatch

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// TestCoalesceModel puts random changes into the queue, takes some out now and
// then, and compares what was seen so far with what there is.
func TestCoalesceModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		m := coalesceModel{world: map[string]*Item[val]{}, view: map[string]*Item[val]{}}
		for range 300 {
			m.step(r)
			if err := m.check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

type coalesceModel struct {
	q           coalescing[val]
	world, view map[string]*Item[val]
	sequence    uint64
	last        uint64 // highest first taken out
	err         error
}

func (m *coalesceModel) offer(c Change[val]) {
	m.sequence++
	c.Sequence = m.sequence
	m.q.offer(record[val]{change: c, first: m.sequence})
}

func (m *coalesceModel) step(r *rand.Rand) {
	name := fmt.Sprint("o", r.IntN(4))
	old, item := m.world[name], &Item[val]{Identity: decode.Identity{Name: name}}
	switch k := r.IntN(7); {
	case k == 0:
		m.offer(Change[val]{Type: Synced})
	case k <= 2:
		if m.q.size() > 0 {
			m.take()
		}
	case old == nil:
		m.world[name] = item
		m.offer(Change[val]{Type: Added, Item: item})
	case k == 3:
		delete(m.world, name)
		m.offer(Change[val]{Type: Deleted, Item: old, Old: old})
	case k == 4:
		m.world[name] = item
		m.offer(Change[val]{Type: Deleted, Item: old, Old: old})
		m.offer(Change[val]{Type: Added, Item: item})
	default:
		m.world[name] = item
		m.offer(Change[val]{Type: Modified, Item: item, Old: old})
	}
}

func (m *coalesceModel) take() {
	r := m.q.take()
	if r.first < m.last {
		m.err = fmt.Errorf("first falls from %d to %d", m.last, r.first)
	}
	m.last = r.first
	c := r.change
	if c.Item == nil {
		return
	}
	known := m.view[c.Item.Name]
	if known != c.Old || (known == nil) != (c.Type == Added) {
		m.err = fmt.Errorf("%s where %v was seen", text(c), known)
	}
	if c.Type == Deleted {
		delete(m.view, c.Item.Name)
	} else {
		m.view[c.Item.Name] = c.Item
	}
}

// check fails when something was neither seen nor waits, or too much waits.
func (m *coalesceModel) check() error {
	for i := range 4 {
		name := fmt.Sprint("o", i)
		if m.view[name] != m.world[name] && !m.q.waits(decode.Key{Name: name}) {
			return fmt.Errorf("%s is lost", name)
		}
	}
	if n, most := m.q.size(), len(m.world)+len(m.view)+1; n > most {
		return fmt.Errorf("%d wait, of %d alive and %d seen", n, len(m.world), len(m.view))
	}
	return m.err
}
