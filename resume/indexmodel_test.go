package resume

import (
	"iter"
	"maps"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// plainIndex is what an Index means, without any of its economy.
type plainIndex struct {
	known     map[decode.Key]plainEntry
	listing   bool
	unordered bool
	buried    map[decode.Key]string
}

type plainEntry struct {
	id    decode.Identity
	value int
	seen  bool
}

func plainNumber(v string) *big.Int {
	if v == "" || v[0] == '0' || v[0] == '+' || v[0] == '-' {
		return nil
	}
	n, ok := new(big.Int).SetString(v, 10)
	if !ok || n.String() != v {
		return nil
	}
	return n
}

func (x *plainIndex) stale(e plainEntry, id decode.Identity) bool {
	if x.unordered && !(x.listing && e.seen) {
		return false
	}
	known, next := plainNumber(e.id.ResourceVersion), plainNumber(id.ResourceVersion)
	return known != nil && next != nil && next.Cmp(known) < 0
}

func (x *plainIndex) observe(id decode.Identity) (Change, decode.Identity) {
	e, there := x.known[id.Key()]
	seen := e
	seen.seen = true
	switch {
	case !there && x.isBuried(id):
		return Stale, decode.Identity{}
	case !there:
		x.known[id.Key()] = plainEntry{id: id, seen: true}
		return Added, decode.Identity{}
	case x.stale(e, id):
		x.known[id.Key()] = seen
		return Stale, decode.Identity{}
	case e.id.UID != id.UID:
		x.known[id.Key()] = plainEntry{id: id, seen: true}
		return Replaced, e.id
	case e.id.ResourceVersion == id.ResourceVersion && id.ResourceVersion != "":
		x.known[id.Key()] = seen
		return Unchanged, decode.Identity{}
	}
	seen.id = id
	x.known[id.Key()] = seen
	return Modified, decode.Identity{}
}

func (x *plainIndex) remove(id decode.Identity) (decode.Identity, bool) {
	e, there := x.known[id.Key()]
	if there && x.stale(e, id) {
		return decode.Identity{}, false
	}
	if x.listing {
		x.buried[id.Key()] = id.ResourceVersion
	}
	if !there {
		return decode.Identity{}, false
	}
	delete(x.known, id.Key())
	return e.id, true
}

func (x *plainIndex) isBuried(id decode.Identity) bool {
	version, there := x.buried[id.Key()]
	if !there || !x.listing {
		return false
	}
	known, next := plainNumber(version), plainNumber(id.ResourceVersion)
	return version == id.ResourceVersion || known != nil && next != nil && next.Cmp(known) <= 0
}

func (x *plainIndex) begin() {
	x.listing = true
	x.buried = map[decode.Key]string{}
	for key, e := range x.known {
		e.seen = false
		x.known[key] = e
	}
}

func (x *plainIndex) unseen() map[decode.Identity]bool {
	all := map[decode.Identity]bool{}
	for _, e := range x.known {
		if x.listing && !e.seen {
			all[e.id] = true
		}
	}
	return all
}

var (
	someNames    = []string{"a", "b", "c", "d", "e", "f/g", ""}
	someUIDs     = []string{uuidA, uuidB, "0A1B2C3D-4E5F-4678-9ABC-DEF012345678", "plain", "", "00000000-0000-0000-0000-000000000000", uuidA + "0", uuidA[:35] + "g"}
	someVersions = []string{"", "0", "1", "2", "3", "9", "10", "11", "011", "v1", "v2", "9999999999999999999", "10000000000000000000", "18446744073709551615", "18446744073709551616", "99999999999999999999999999"}
)

// TestIndexAgainstModel: any sequence of calls gives what the plain one gives.
func TestIndexAgainstModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		checkIndex(t, 500, func(n int) int { return r.IntN(n) })
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkIndex(t, len(b), func(n int) int {
			if len(b) == 0 {
				return 0
			}
			v := int(b[0]) % n
			b = b[1:]
			return v
		})
	})
}

func checkIndex(t *testing.T, steps int, draw func(int) int) {
	t.Helper()
	var x Index[int]
	plain := plainIndex{known: map[decode.Key]plainEntry{}}
	for range steps {
		id := decode.Identity{
			Namespace: someNames[draw(3)], Name: someNames[draw(len(someNames))],
			UID: someUIDs[draw(len(someUIDs))], ResourceVersion: someVersions[draw(len(someVersions))],
		}
		switch draw(16) {
		default:
			c, old := x.Observe(metaOf(id))
			wantC, wantOld := plain.observe(id)
			if c != wantC || old != wantOld {
				t.Fatalf("Observe(%v): %v, %v, want %v, %v", id, c, old, wantC, wantOld)
			}
		case 1, 2, 3:
			old, known := x.Remove(metaOf(id))
			wantOld, wantKnown := plain.remove(id)
			if old != wantOld || known != wantKnown {
				t.Fatalf("Remove(%v): %v, %v, want %v, %v", id, old, known, wantOld, wantKnown)
			}
		case 4:
			x.BeginRelist()
			plain.begin()
		case 5:
			x.AbortRelist()
			plain.listing = false
		case 6:
			if !plain.listing { // as a driver calls it: before the relist
				x.ForgetOrder()
				plain.unordered = true
			}
		case 7:
			endBoth(t, x.EndRelist(), &plain, draw)
		case 8:
			v := draw(100)
			x.Set(id.Key(), v)
			if e, ok := plain.known[id.Key()]; ok {
				e.value = v
				plain.known[id.Key()] = e
			}
		}
		compareBoth(t, &x, plain)
	}
}

// endBoth ends the relist, now and then only a part of it.
func endBoth(t *testing.T, gone iter.Seq[decode.Identity], plain *plainIndex, draw func(int) int) {
	t.Helper()
	want, most := plain.unseen(), 1+draw(9)
	for id := range gone {
		if !want[id] {
			t.Fatalf("%v is gone, want one of %v", id, want)
		}
		delete(want, id)
		delete(plain.known, id.Key())
		if most--; most == 0 {
			return
		}
	}
	if len(want) > 0 {
		t.Fatalf("not told as gone: %v", want)
	}
	if plain.listing {
		plain.listing, plain.unordered = false, false
	}
}

func compareBoth(t *testing.T, x *Index[int], plain plainIndex) {
	t.Helper()
	got, want := map[decode.Identity]int{}, map[decode.Identity]int{}
	for id, v := range x.All() {
		got[id] = v
	}
	for key, e := range plain.known {
		want[e.id] = e.value
		if v, id, ok := x.Get(key); !ok || v != e.value || id != e.id {
			t.Fatalf("Get(%v): %v, %v, %v, want %v", key, v, id, ok, e)
		}
	}
	if !maps.Equal(got, want) || x.Len() != len(want) {
		t.Fatalf("known are %v, want %v", got, want)
	}
	for e := range x.odd {
		if !e.oddUID && !e.oddVersion {
			t.Fatal("something is kept beside for nothing")
		}
	}
	if len(x.odd) > x.entries.len() {
		t.Fatalf("%d kept beside %d", len(x.odd), x.entries.len())
	}
}
