package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

func event(t rawwatch.EventType, cause rawwatch.Cause, name, uid, rv string) rawwatch.Event {
	raw := fmt.Sprintf(`{"kind":"T","apiVersion":"v1","metadata":{"name":%q,"uid":%q,"resourceVersion":%q}}`, name, uid, rv)
	return rawwatch.Event{Type: t, Cause: cause, Object: rawwatch.Object{
		Identity: decode.Identity{Name: name, UID: uid, ResourceVersion: rv}, Kind: "T", APIVersion: "v1", Raw: []byte(raw),
	}}
}

func stub(name, uid, rv string) rawwatch.Event {
	e := event(rawwatch.Deleted, rawwatch.CauseRelist, name, uid, rv)
	e.Object.Raw = nil
	return e
}

// The referee itself: what is right passes, and each broken promise is seen.
func TestFoldSeesBrokenPromises(t *testing.T) {
	const list, stream, relist = rawwatch.CauseList, rawwatch.CauseStream, rawwatch.CauseRelist
	const added, modified, deleted = rawwatch.Added, rawwatch.Modified, rawwatch.Deleted
	one := event(added, list, "a", "1", "10")
	for _, c := range []struct {
		name   string
		events []rawwatch.Event
		want   string // part of the only problem; "" for none
	}{
		{"life of an object", []rawwatch.Event{one, {Type: rawwatch.Synced}, event(modified, stream, "a", "1", "11"), event(deleted, stream, "a", "1", "12"), event(added, stream, "a", "2", "13")}, ""},
		{"left the selection and came back", []rawwatch.Event{one, event(deleted, stream, "a", "1", "11"), event(added, stream, "a", "1", "12")}, ""},
		{"gone in a relist", []rawwatch.Event{one, stub("a", "1", "10"), event(added, relist, "a", "2", "20")}, ""},
		{"nine to ten is forward", []rawwatch.Event{event(added, list, "a", "1", "9"), event(modified, stream, "a", "1", "10")}, ""},
		{"twice the same state", []rawwatch.Event{one, event(deleted, stream, "a", "1", "11"), {Type: rawwatch.Synced}, event(added, relist, "a", "1", "10")}, "delivered before"},
		{"added twice", []rawwatch.Event{one, event(added, relist, "a", "1", "11")}, "which is there with uid 1"},
		{"modified, not there", []rawwatch.Event{event(modified, stream, "a", "1", "11")}, "not there"},
		{"uid changes silently", []rawwatch.Event{one, event(modified, stream, "a", "2", "11")}, "changes its uid"},
		{"backwards", []rawwatch.Event{event(added, list, "a", "1", "10"), event(modified, stream, "a", "1", "9")}, "at 9 comes after 10"},
		{"backwards in the stream", []rawwatch.Event{event(added, stream, "a", "1", "10"), event(added, stream, "b", "2", "9")}, "in the stream after 10"},
		{"deleted, not there", []rawwatch.Event{event(deleted, stream, "a", "1", "11")}, "not there"},
		{"deleted another one", []rawwatch.Event{one, event(deleted, stream, "a", "2", "11")}, "there with uid 1"},
		{"stub of another state", []rawwatch.Event{one, stub("a", "1", "9")}, "last seen at 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFold(nil)
			for _, e := range c.events {
				f.Apply(e)
			}
			problems := strings.Join(f.Problems(), "\n")
			if c.want == "" && problems != "" || !strings.Contains(problems, c.want) {
				t.Errorf("problems %q, want %q", problems, c.want)
			}
		})
	}
}

func TestDiffTellsWhatDiffers(t *testing.T) {
	want := State{"a": "1", "b": "2", "c": "3"}
	got := State{"a": "1", "b": "9", "d": "4"}
	if d := Diff(want, want); d != "" {
		t.Errorf("equal states differ: %s", d)
	}
	text := Diff(want, got)
	for _, part := range []string{"differs b", "missing c", "surplus d"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	if strings.Contains(text, "differs a") {
		t.Errorf("%q tells of an equal object", text)
	}
}

// Equal meaning, equal text; another number, another text.
func TestCanonical(t *testing.T) {
	a, errA := Canonical([]byte(`{"b": 1, "a": [9007199254740993, "x"]}`))
	b, errB := Canonical([]byte("{\"a\":[9007199254740993,\n\"\\u0078\"],\"b\":1}"))
	if errA != nil || errB != nil || a != b {
		t.Errorf("%s (%v) and %s (%v) should be one", a, errA, b, errB)
	}
	if c, _ := Canonical([]byte(`{"b": 1, "a": [9007199254740992, "x"]}`)); c == a {
		t.Error("two numbers became one")
	}
	if _, err := Canonical([]byte(`{"a":`)); err == nil {
		t.Error("half an object is one")
	}
}
