package rawwatch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// namesake is one of several objects that had a name one after the other, as a
// subscriber stands to it that an earlier process has told of some of its changes.
type namesake struct {
	uid   string
	stood knowledge
	known bool // the subscriber believes that it is there
	acked int  // how many of its changes to come have been acknowledged
}

// notesModel are a name's changes, put into the queue of a subscriber with a filter
// and also given to one that does not coalesce.
type notesModel struct {
	rand   *rand.Rand
	sub    *Subscription[val]
	q      coalescing[val]
	uids   map[string]*namesake
	now    *Item[val] // nil when it is not there
	number uint64
	plain  notesView
	seen   notesView
	log    []string
}

// notesView is what a subscriber knows, by uid.
type notesView struct {
	known map[string]bool
	told  []string
	last  uint64 // sequence
	err   error
}

// TestCoalesceNotesModel: whatever an earlier process has noted, who coalesces knows in
// the end which objects there are, as who gets each change does.
func TestCoalesceNotesModel(t *testing.T) {
	most := 0
	for seed := range uint64(4000) {
		m := newNotesModel(seed)
		for range 2 + m.rand.IntN(14) {
			m.step()
			if m.rand.IntN(5) == 0 && m.q.size() > 0 {
				m.seen.take(m.sub, m.q.take())
			}
			most = max(most, m.q.size())
		}
		waiting := m.q.size()
		for m.q.size() > 0 {
			m.seen.take(m.sub, m.q.take())
		}
		want := map[string]bool{}
		if m.now != nil && m.sub.passes(m.now, nil) {
			want[m.now.UID] = true
		}
		for name, v := range map[string]*notesView{"coalescing": &m.seen, "each change": &m.plain} {
			if !maps.Equal(v.known, want) || v.err != nil {
				t.Fatalf("seed %d, %s: knows %v, not %v; %v\n%s\ntold %s", seed, name, v.known, want, v.err,
					strings.Join(m.log, "\n"), strings.Join(v.told, ", "))
			}
		}
		if m.q.head != nil || m.q.tail != nil || len(m.q.byKey) > 0 || waiting > 2+len(m.uids) {
			t.Fatalf("seed %d: %d waited; the empty queue is not empty", seed, waiting)
		}
	}
	if most < 4 {
		t.Errorf("at most %d waited: the model does not do what it is for", most)
	}
}

func newNotesModel(seed uint64) *notesModel {
	m := &notesModel{rand: rand.New(rand.NewPCG(seed, 8)), uids: map[string]*namesake{}, sub: new(Subscription[val])}
	m.sub.options.Filter = func(i *Item[val]) bool { return i.Value.Group == 1 }
	m.q.mergeBirth = m.rand.IntN(2) == 0
	m.plain.known, m.seen.known = map[string]bool{}, map[string]bool{}
	if m.rand.IntN(2) == 0 { // what was saved
		m.now = m.state("u0")
		m.uids["u0"] = &namesake{uid: "u0", known: m.sub.passes(m.now, nil)}
		m.note(m.uids["u0"])
	}
	return m
}

func (m *notesModel) state(uid string) *Item[val] {
	m.number++
	return &Item[val]{Identity: decode.Identity{Name: "a", UID: uid}, Value: val{uint32(m.number), uint32(m.rand.IntN(2))}}
}

// note draws what an earlier process has noted of an object.
func (m *notesModel) note(n *namesake) {
	switch m.rand.IntN(4) {
	case 0:
		n.stood, n.known = maybe, n.known || m.rand.IntN(2) == 0
	case 1:
		n.acked = 1 + m.rand.IntN(3)
	}
	m.know(n)
}

func (m *notesModel) know(n *namesake) {
	for _, v := range []*notesView{&m.plain, &m.seen} {
		if delete(v.known, n.uid); n.known {
			v.known[n.uid] = true
		}
	}
}

// step lets something happen to the name.
func (m *notesModel) step() {
	c := Change[val]{Type: Modified, Old: m.now}
	switch k := m.rand.IntN(5); {
	case m.now == nil && k == 0 && len(m.uids) > 0: // it is selected again
		c.Type, c.Item = Added, m.state(slices.Sorted(maps.Keys(m.uids))[len(m.uids)-1])
	case m.now == nil:
		n := &namesake{uid: fmt.Sprint("u", 1+len(m.uids))}
		m.uids[n.uid] = n
		m.note(n)
		c.Type, c.Item = Added, m.state(n.uid)
	case k < 2:
		c.Type, c.Item = Deleted, m.now
	default:
		c.Item = m.state(m.now.UID)
	}
	if m.now = c.Item; c.Type == Deleted {
		m.now = nil
	}
	m.tell(c)
}

// tell gives a change to both subscribers, unless it is acknowledged already.
func (m *notesModel) tell(c Change[val]) {
	m.number++
	c.Sequence = m.number
	n := m.uids[c.Item.UID]
	line := fmt.Sprintf("%s %s passes %t, %q", text(c), n.uid, m.sub.passes(c.Item, &c), n.stood)
	if n.acked > 0 { // and so it knows whether the object is there
		n.acked--
		n.known = c.Type != Deleted && m.sub.passes(c.Item, &c)
		if n.stood = hidden; n.known {
			n.stood = shown
		}
		m.know(n)
		m.log = append(m.log, line+" is acknowledged")
		return
	}
	m.log = append(m.log, line)
	r := record[val]{change: c, first: m.number, stood: n.stood}
	n.stood = 0
	m.plain.take(m.sub, r)
	m.q.offer(r)
}

// take is the subscriber's: it fails when a change is not about what it knows.
func (v *notesView) take(s *Subscription[val], r record[val]) {
	c := r.change
	if !s.visible(&c, r.stood) {
		return
	}
	v.told = append(v.told, text(c)+" "+c.Item.UID)
	if c.Sequence <= v.last {
		v.err = fmt.Errorf("%s is out of order", v.told[len(v.told)-1])
	}
	v.last = c.Sequence
	known := v.known[before(&c).UID]
	if r.stood != maybe && (r.stood != shown || c.Type != Added) && known != (c.Type != Added) {
		v.err = fmt.Errorf("%s, where the subscriber knows %v", v.told[len(v.told)-1], v.known)
	}
	delete(v.known, before(&c).UID)
	if delete(v.known, c.Item.UID); c.Type != Deleted {
		v.known[c.Item.UID] = true
	}
}
