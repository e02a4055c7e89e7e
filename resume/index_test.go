package resume

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

const uuidA, uuidB = "0a1b2c3d-4e5f-4678-9abc-def012345678", "ffffffff-ffff-4fff-8fff-ffffffffffff"

func idOf(name, uid, version string) decode.Identity {
	return decode.Identity{Namespace: "ns", Name: name, UID: uid, ResourceVersion: version}
}

// observe is Observe with an identity for a Meta.
func observe[V any](x *Index[V], id decode.Identity) (Change, decode.Identity) {
	return x.Observe(metaOf(id))
}

func TestObserve(t *testing.T) {
	long := strings.Repeat("9", 30)
	for _, c := range []struct {
		name             string
		uid, version     string // known before
		nextUID, next    string
		want             Change
		wantUID, wantVer string // known afterwards
	}{
		{"the same", uuidA, "5", uuidA, "5", Unchanged, uuidA, "5"},
		{"newer", uuidA, "9", uuidA, "10", Modified, uuidA, "10"},
		{"older", uuidA, "10", uuidA, "9", Stale, uuidA, "10"},
		{"another object", uuidA, "5", uuidB, "6", Replaced, uuidB, "6"},
		{"another object of the same version", uuidA, "5", uuidB, "5", Replaced, uuidB, "5"},
		{"an earlier object", uuidA, "5", uuidB, "4", Stale, uuidA, "5"},
		{"uid in capitals is another", uuidA, "5", strings.ToUpper(uuidA), "6", Replaced, strings.ToUpper(uuidA), "6"},
		{"uid that is no UUID", "u1", "5", "u1", "6", Modified, "u1", "6"},
		{"uid that is no UUID, the same", "u1", "5", "u1", "5", Unchanged, "u1", "5"},
		{"uid becomes a UUID", "u1", "5", uuidA, "6", Replaced, uuidA, "6"},
		{"no uid at all", "", "5", "", "6", Modified, "", "6"},
		{"opaque versions, the same", uuidA, "v1", uuidA, "v1", Unchanged, uuidA, "v1"},
		{"opaque versions", uuidA, "v2", uuidA, "v1", Modified, uuidA, "v1"},
		{"opaque after a number", uuidA, "5", uuidA, "v1", Modified, uuidA, "v1"},
		{"a number after opaque", uuidA, "v1", uuidA, "5", Modified, uuidA, "5"},
		{"leading zero is opaque", uuidA, "5", uuidA, "04", Modified, uuidA, "04"},
		{"past 64 bits, newer", uuidA, "5", uuidA, long, Modified, uuidA, long},
		{"past 64 bits, older", uuidA, long, uuidA, "5", Stale, uuidA, long},
		{"past 64 bits, the same", uuidA, long, uuidA, long, Unchanged, uuidA, long},
		{"the largest of 64 bits", uuidA, "18446744073709551615", uuidA, "18446744073709551614", Stale, uuidA, "18446744073709551615"},
		{"no version, twice", uuidA, "", uuidA, "", Modified, uuidA, ""},
		{"no version any more", uuidA, "5", uuidA, "", Modified, uuidA, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var x Index[int]
			if change, _ := observe(&x, idOf("a", c.uid, c.version)); change != Added {
				t.Fatalf("at first %v", change)
			}
			x.Set(decode.Key{Namespace: "ns", Name: "a"}, 7)
			change, old := observe(&x, idOf("a", c.nextUID, c.next))
			if change != c.want {
				t.Errorf("got %v, want %v", change, c.want)
			}
			if want := idOf("a", c.uid, c.version); change == Replaced && old != want || change != Replaced && old != (decode.Identity{}) {
				t.Errorf("old is %v", old)
			}
			v, id, ok := x.Get(decode.Key{Namespace: "ns", Name: "a"})
			if want := idOf("a", c.wantUID, c.wantVer); id != want || !ok {
				t.Errorf("known is %v, want %v", id, want)
			}
			if kept := change != Replaced; kept != (v == 7) {
				t.Errorf("V is %d after %v", v, change)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	for _, c := range []struct {
		name         string
		uid, version string
		known        bool
	}{
		{"the deletion's own version", uuidA, "11", true},
		{"the last version", uuidA, "10", true},
		{"told again, it came back since", uuidA, "9", false},
		{"another object, later", uuidB, "11", true},
		{"another object, earlier", uuidB, "9", false},
		{"opaque", uuidA, "v1", true},
		{"without a version", uuidA, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var x Index[struct{}]
			observe(&x, idOf("a", uuidA, "10"))
			old, known := x.Remove(metaOf(idOf("a", c.uid, c.version)))
			if known != c.known || known && old != idOf("a", uuidA, "10") || !known && old != (decode.Identity{}) {
				t.Errorf("got %v, %v", old, known)
			}
			if x.Len() == 1 == known {
				t.Errorf("%d objects left", x.Len())
			}
			if _, known := x.Remove(metaOf(idOf("b", uuidA, "12"))); known {
				t.Error("removed what was never there")
			}
		})
	}
}

// TestRelist: what a complete list does not hold is gone; what a list that
// broke off does not hold is not.
func TestRelist(t *testing.T) {
	var x Index[string]
	for _, name := range []string{"a", "b", "c", "d"} {
		observe(&x, idOf(name, uuidA, "10"))
	}
	x.Set(decode.Key{Namespace: "ns", Name: "d"}, "of d")
	gone := func() []decode.Identity { return slices.SortedFunc(x.EndRelist(), byName) }

	if got := gone(); got != nil {
		t.Errorf("without a relist %v are gone", got)
	}
	x.BeginRelist()
	observe(&x, idOf("a", uuidA, "10"))
	x.AbortRelist()
	if got := gone(); got != nil || x.Len() != 4 {
		t.Errorf("after a relist that broke off %v are gone", got)
	}

	x.BeginRelist()
	observe(&x, idOf("b", uuidA, "10"))
	x.BeginRelist() // page 1 again: what was seen before is void
	observe(&x, idOf("a", uuidA, "10"))
	observe(&x, idOf("c", uuidB, "12"))
	observe(&x, idOf("e", uuidA, "12"))
	for id := range x.EndRelist() {
		if v, _, ok := x.Get(id.Key()); id.Name == "d" && (!ok || v != "of d") {
			t.Error("V is gone before the body was left")
		}
		break
	}
	rest := gone()
	if len(rest) != 1 || x.Len() != 3 {
		t.Errorf("%v are gone after the break, %d are left", rest, x.Len())
	}
	if got := gone(); got != nil {
		t.Errorf("a relist ended twice: %v", got)
	}
}

func byName(a, b decode.Identity) int { return strings.Compare(a.Name, b.Name) }

// TestRelistKnowsNewer: what an event said during a relist is newer than what
// the list still says.
func TestRelistKnowsNewer(t *testing.T) {
	var x Index[struct{}]
	observe(&x, idOf("a", uuidA, "10"))
	x.BeginRelist()
	observe(&x, idOf("a", uuidA, "15"))
	if c, _ := observe(&x, idOf("a", uuidA, "12")); c != Stale {
		t.Errorf("an older item is %v", c)
	}
	for id := range x.EndRelist() {
		t.Errorf("%v is gone", id)
	}
}

// TestForgetOrder: in another history an older version is a new one; within it
// order holds again.
func TestForgetOrder(t *testing.T) {
	var x Index[struct{}]
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		observe(&x, idOf(name, uuidA, "1000"))
	}
	expect := func(id decode.Identity, want Change) {
		t.Helper()
		if c, _ := observe(&x, id); c != want {
			t.Errorf("%v is %v, want %v", id, c, want)
		}
	}
	x.ForgetOrder()
	x.BeginRelist()
	expect(idOf("a", uuidA, "500"), Modified)
	x.AbortRelist() // the list broke off: the history is still another one
	x.BeginRelist()
	expect(idOf("a", uuidA, "500"), Unchanged)
	expect(idOf("b", uuidA, "500"), Modified)
	expect(idOf("b", uuidA, "400"), Stale)
	expect(idOf("c", uuidB, "400"), Replaced)
	expect(idOf("d", uuidA, "1000"), Unchanged)
	gone := slices.Collect(x.EndRelist())
	if len(gone) != 1 || gone[0] != idOf("e", uuidA, "1000") {
		t.Errorf("gone: %v", gone)
	}
	expect(idOf("a", uuidA, "400"), Stale)
}

// TestIndexKeepsNothingBorrowed: the Meta's bytes are used again at once.
func TestIndexKeepsNothingBorrowed(t *testing.T) {
	var x Index[struct{}]
	want := []decode.Identity{idOf("a", uuidA, "1"), idOf("b", "no-uuid", "opaque")}
	for _, id := range want {
		m := metaOf(id)
		x.Observe(m)
		for _, b := range [][]byte{m.Namespace, m.Name, m.UID, m.ResourceVersion} {
			for i := range b {
				b[i] = 'X'
			}
		}
	}
	var got []decode.Identity
	for id := range x.All() {
		got = append(got, id)
	}
	slices.SortFunc(got, byName)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestIndexAllocations: what is known already costs nothing; a new version of
// it costs nothing either.
func TestIndexAllocations(t *testing.T) {
	var x Index[struct{}]
	odd := metaOf(idOf("odd", "no-uuid", "opaque"))
	known := metaOf(idOf("a", uuidA, "100"))
	stale := metaOf(idOf("a", uuidA, "99"))
	x.Observe(odd)
	x.Observe(known)
	x.BeginRelist()
	version := 100
	newer := metaOf(idOf("m", uuidA, "100"))
	for name, c := range map[string]struct {
		want Change
		do   func() Change
	}{
		"unchanged":         {Unchanged, func() Change { c, _ := x.Observe(known); return c }},
		"unchanged, opaque": {Unchanged, func() Change { c, _ := x.Observe(odd); return c }},
		"stale":             {Stale, func() Change { c, _ := x.Observe(stale); return c }},
		"modified": {Modified, func() Change {
			version++
			newer.ResourceVersion = fmt.Append(newer.ResourceVersion[:0], version)
			c, _ := x.Observe(newer)
			return c
		}},
	} {
		c.do() // the first one may be Added
		var got Change
		if n := testing.AllocsPerRun(200, func() { got = c.do() }); n > 0 || got != c.want {
			t.Errorf("%s: %v with %v allocations", name, got, n)
		}
	}
}

// pods are identities as clusters have them.
func pods(n int) []decode.Identity {
	all := make([]decode.Identity, n)
	for i := range all {
		all[i] = decode.Identity{
			Namespace:       fmt.Sprintf("team-%03d", i*200/n),
			Name:            fmt.Sprintf("checkout-service-%05x-%05x", i%9973, i),
			UID:             fmt.Sprintf("%08x-0f3c-4b7e-9d1a-%012x", uint32(i)*2654435761, i),
			ResourceVersion: fmt.Sprint(80_000_000 + i),
		}
	}
	return all
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// TestMemoryComes back after a mass deletion, however that is learned.
func TestMemoryComesBack(t *testing.T) {
	const n = 50_000
	all := pods(n)
	for name, shrink := range map[string]func(x *Index[int]){
		"relist": func(x *Index[int]) {
			x.BeginRelist()
			for _, id := range all[:n/100] {
				observe(x, id)
			}
			for range x.EndRelist() {
			}
		},
		"events": func(x *Index[int]) {
			for _, id := range all[n/100:] {
				x.Remove(metaOf(id))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := new(Index[int])
			before := heap()
			for _, id := range all {
				observe(x, id)
			}
			full := heap() - before
			shrink(x)
			left := heap() - before
			if x.Len() != n/100 || left > full/10 {
				t.Errorf("%d objects take %d bytes; %d of them left take %d", n, full, x.Len(), left)
			}
			for _, id := range all[:n/100] {
				if c, _ := observe(x, id); c != Unchanged {
					t.Fatalf("%v is %v", id, c)
				}
			}
		})
	}
}
