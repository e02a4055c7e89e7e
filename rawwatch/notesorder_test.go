package rawwatch

import (
	"log/slog"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// TestNotesOutOfOrder: of two goroutines that acknowledge an object, the one with the
// older change may come second; and what an earlier process noted is older than all.
func TestNotesOutOfOrder(t *testing.T) {
	var memory checkpointtest.Memory
	id := resume.WatchIdentity{Version: "v1", Resource: "pods"}
	begin := func(m *checkpointtest.Memory) *deliveries {
		d := newDeliveries(m, "pods", &id, slog.New(slog.DiscardHandler))
		if err := d.load(t.Context()); err != nil {
			t.Fatal(err)
		}
		return d
	}
	acked := func(d *deliveries, version string, sequence uint64) {
		d.note("handler", []delivery{{&decode.Identity{Namespace: "n", Name: "a", UID: "u", ResourceVersion: version}, shown, sequence}})
	}
	has := func(d *deliveries, version string) {
		t.Helper()
		if n := d.notes[noteKey{"handler", "u"}]; n.version != version || n.knowledge != shown {
			t.Errorf("%+v, want version %s", n, version)
		}
	}
	first := begin(&memory)
	acked(first, "12", 9)
	acked(first, "10", 5)
	has(first, "12")
	again := memory.Reopen()
	second := begin(again)
	has(second, "12")
	second.settle(2) // what is noted by an earlier process stays
	has(second, "12")
	second.caughtUp(7)
	acked(second, "13", 3)
	has(second, "13")
	second.settle(2)
	has(second, "13")
	second.settle(3)
	if len(second.notes) > 0 {
		t.Errorf("%v is left", second.notes)
	}
	if saved := begin(again.Reopen()); len(saved.notes) > 0 {
		t.Errorf("%v is left in the checkpoint", saved.notes)
	}
}

// TestCoalesceKeepsWhatIsRemembered: added, then deleted is nothing, unless an earlier
// process may have told that the object is there.
func TestCoalesceKeepsWhatIsRemembered(t *testing.T) {
	item := func(uid string) *Item[val] {
		return &Item[val]{Identity: decode.Identity{Namespace: "n", Name: "a", UID: uid}}
	}
	for stood, want := range map[knowledge]string{0: "", hidden: "", maybe: "DELETED", shown: "DELETED"} {
		q := coalescing[val]{}
		q.offer(record[val]{change: Change[val]{Type: Added, Item: item("u")}, stood: stood})
		q.offer(record[val]{change: Change[val]{Type: Deleted, Item: item("u"), Old: item("u")}})
		got := ""
		if q.size() > 0 {
			got = string(q.take().change.Type)
		}
		if got != want || q.size() != 0 {
			t.Errorf("known as %q: %q is left, want %q", stood, got, want)
		}

		q = coalescing[val]{}
		q.offer(record[val]{change: Change[val]{Type: Deleted, Item: item("u"), Old: item("u")}})
		q.offer(record[val]{change: Change[val]{Type: Added, Item: item("v")}, stood: stood})
		q.offer(record[val]{change: Change[val]{Type: Deleted, Item: item("v"), Old: item("v")}})
		got = ""
		for q.size() > 0 {
			got += " " + string(q.take().change.Type)
		}
		if all := " DELETED " + want; got != all && got != " DELETED"+want {
			t.Errorf("a name used again, known as %q: %q, want %q", stood, got, all)
		}
	}
}

// TestCoalesceKeepsApart: what an earlier process has noted of one object says nothing
// of another of that name, and is not lost in a change that waits already.
func TestCoalesceKeepsApart(t *testing.T) {
	type waits = record[val]
	of := func(typ EventType, uid string, stood knowledge) waits {
		item := &Item[val]{Identity: decode.Identity{Namespace: "n", Name: "a", UID: uid}}
		r := waits{change: Change[val]{Type: typ, Item: item}, stood: stood}
		if typ != Added {
			r.change.Old = item
		}
		return r
	}
	for name, c := range map[string]struct {
		in   []waits
		want []waits
	}{
		"two are gone, nobody knows of which": {
			[]waits{of(Deleted, "u", 0), of(Deleted, "v", 0)},
			[]waits{of(Deleted, "u", 0), of(Deleted, "v", 0)},
		},
		"two are gone, and one of them once more": {
			[]waits{of(Deleted, "u", 0), of(Deleted, "v", shown), of(Deleted, "v", 0)},
			[]waits{of(Deleted, "u", 0), of(Deleted, "v", shown)},
		},
		"a state is not as another one of it that waits says": {
			[]waits{of(Modified, "u", 0), of(Modified, "u", shown)},
			[]waits{of(Modified, "u", 0), of(Modified, "u", shown)},
		},
		"one after the other, and born and gone in between": {
			[]waits{of(Deleted, "u", 0), of(Added, "v", maybe), of(Deleted, "v", 0), of(Added, "w", 0), of(Deleted, "w", 0), of(Added, "x", hidden), of(Modified, "x", 0)},
			[]waits{of(Deleted, "u", 0), of(Deleted, "v", maybe), of(Added, "x", hidden)},
		},
	} {
		for _, merge := range []bool{false, true} {
			q := coalescing[val]{mergeBirth: merge}
			for i, r := range c.in {
				r.first = uint64(10 + i)
				q.offer(r)
			}
			if q.size() != len(c.want) || int(q.merged()) != len(c.in)-len(c.want) {
				t.Errorf("%s: %d wait, %d were merged", name, q.size(), q.merged())
			}
			for i, want := range c.want {
				got := q.take()
				if got.change.Type != want.change.Type || got.change.Item.UID != want.change.Item.UID || got.stood != want.stood || got.first != 10 {
					t.Errorf("%s, %d: %s of %s, stood %q, first %d; want %s of %s, stood %q, first 10", name, i, got.change.Type, got.change.Item.UID, got.stood, got.first, want.change.Type, want.change.Item.UID, want.stood)
				}
			}
			if q.size() != 0 || q.head != nil || len(q.byKey) != 0 {
				t.Errorf("%s: the empty queue is not empty", name)
			}
		}
	}
}

// TestRemembers: that an object is gone is nothing to who does not know it, and must
// not come between two changes of what took its name.
func TestRemembers(t *testing.T) {
	for _, knows := range []knowledge{maybe, shown, hidden, gone} {
		s := &Subscription[val]{past: &past{notes: map[string]note{"u": {knowledge: knows}}}}
		c := Change[val]{Type: Deleted, Item: &Item[val]{Identity: decode.Identity{UID: "u"}}}
		if got := s.remembers(&c); got != knows.there() {
			t.Errorf("deleted, known as %q: %v", knows, got)
		}
		if c.Type = Added; !s.remembers(&c) {
			t.Errorf("added, known as %q: nothing", knows)
		}
	}
}
