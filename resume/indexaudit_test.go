package resume

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

func thing(name, uid, version string) *decode.Meta {
	return metaOf(decode.Identity{Namespace: "ns", Name: name, UID: uid, ResourceVersion: version})
}

// TestIndexAudit: what the watch changes meanwhile is no discrepancy; what
// differs otherwise is.
func TestIndexAudit(t *testing.T) {
	var x Index[int]
	for _, name := range []string{"same", "modified", "replaced", "deleted", "unnoticed", "other", "extra", "deleted-and-added"} {
		x.Observe(thing(name, uuidA, "5"))
	}
	x.BeginAudit()
	x.Observe(thing("modified", uuidA, "8"))
	x.Observe(thing("replaced", uuidB, "8"))
	x.Observe(thing("added", uuidB, "8"))
	x.Remove(thing("deleted", uuidA, "8"))
	x.Remove(thing("unknown-deleted", uuidA, "8"))
	x.Remove(thing("deleted-and-added", uuidA, "8"))
	x.Observe(thing("deleted-and-added", uuidB, "9"))
	for name, want := range map[string]Discrepancy{
		"same": NoDiscrepancy, "modified": NoDiscrepancy, "replaced": NoDiscrepancy, "deleted": NoDiscrepancy,
		"unknown-deleted": NoDiscrepancy, "deleted-and-added": NoDiscrepancy, "absent": Missing,
	} {
		if got := x.Audit(thing(name, uuidA, "5")); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := x.Audit(thing("unnoticed", uuidA, "6")); got != Different {
		t.Errorf("another version: %v", got)
	}
	if got := x.Audit(thing("other", uuidB, "5")); got != Different {
		t.Errorf("another uid: %v", got)
	}
	extra, conclusive := x.EndAudit()
	var names []string
	for id := range extra {
		names = append(names, id.Name)
	}
	if !conclusive || !slices.Equal(names, []string{"extra"}) {
		t.Errorf("extra: %v, %v", names, conclusive)
	}
	if x.Audit(thing("absent", uuidA, "5")) != NoDiscrepancy {
		t.Error("compares without an audit")
	}
	if _, _, known := x.Get(decode.Key{Namespace: "ns", Name: "extra"}); !known || x.Len() != 8 {
		t.Error("an audit has changed what is known")
	}
}

// TestIndexAuditVoid: a relist ends an audit, and too many deletions make it
// worthless.
func TestIndexAuditVoid(t *testing.T) {
	var x Index[int]
	x.Observe(thing("a", uuidA, "5"))
	x.BeginAudit()
	x.BeginRelist()
	if _, conclusive := x.EndAudit(); conclusive {
		t.Error("concluded although a relist began")
	}
	x.BeginAudit()
	if _, conclusive := x.EndAudit(); conclusive {
		t.Error("concluded in a relist")
	}
	x.AbortRelist()
	x.BeginAudit()
	for i := range MaxDeletions + 1 {
		x.Remove(thing(fmt.Sprint("gone", i), uuidA, "9"))
	}
	extra, conclusive := x.EndAudit()
	if conclusive {
		t.Error("concluded although not all deletions are remembered")
	}
	for id := range extra {
		t.Errorf("yields %v", id)
	}
}

// TestIndexBuried: what the watch has said is deleted does not come back with a
// page that is older, unless it was created again.
func TestIndexBuried(t *testing.T) {
	var x Index[int]
	x.Observe(thing("known", uuidA, "5"))
	x.BeginRelist()
	x.Remove(thing("known", uuidA, "8"))
	x.Remove(thing("unknown", uuidA, "8"))
	x.Remove(thing("again", uuidA, "8"))
	for _, c := range []struct {
		name, uid, version string
		want               Change
	}{
		{"known", uuidA, "5", Stale}, {"unknown", uuidA, "7", Stale}, {"unknown", uuidA, "8", Stale},
		{"again", uuidB, "9", Added}, {"again", uuidA, "6", Stale},
	} {
		if got, _ := x.Observe(thing(c.name, c.uid, c.version)); got != c.want {
			t.Errorf("%s %s: %v, want %v", c.name, c.version, got, c.want)
		}
	}
	for id := range x.EndRelist() {
		t.Errorf("%v is gone", id)
	}
	if got, _ := x.Observe(thing("known", uuidA, "5")); got != Added {
		t.Errorf("after the relist: %v, want Added", got)
	}
	x.BeginRelist()
	for i := range MaxDeletions {
		x.Remove(thing(fmt.Sprint("gone", i), uuidA, "9"))
	}
	if x.Overfull() {
		t.Error("overfull too early")
	}
	x.Remove(thing("one-more", uuidA, "9"))
	if !x.Overfull() {
		t.Error("forgets a deletion without saying so")
	}
	x.BeginRelist()
	if x.Overfull() {
		t.Error("overfull from the beginning")
	}
}
