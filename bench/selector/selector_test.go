package selector

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/rawwatch/rawwatch/rawwatch/selector"
)

// objects are what the selectors of these tests are asked about.
var objects = []map[string]string{
	nil,
	{"a": ""},
	{"a": "b"},
	{"a": "b", "c": "d", "n": "10"},
	{"a": "c", "in": "notin", "n": "-1", "x.io/y": "z"},
	{"n": "9223372036854775807", "notin": "in"},
	{"n": "x", "c": "", "b": "b"},
}

// compare fails unless both packages read a selector alike: both refuse it, or
// both select the same of the objects, also from ours in its canonical spelling.
func compare(t *testing.T, text string) (read bool) {
	t.Helper()
	if strings.ContainsRune(text, 0) {
		return false // ends the text for apimachinery; a byte that no label has, for us
	}
	want, wantErr := labels.Parse(text)
	got, err := selector.Parse(text)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: %v, want %v", text, err, wantErr)
	}
	if err != nil {
		return false
	}
	again, err := labels.Parse(got.String())
	if err != nil {
		t.Fatalf("%q is %q: %v", text, got, err)
	}
	all := objects
	requirements, _ := want.Requirements()
	for _, r := range requirements { // whatever it asks for
		for v := range r.Values() {
			all = append(slices.Clip(all), map[string]string{r.Key(): v}, map[string]string{r.Key(): v + "0"})
		}
	}
	for _, object := range all {
		w := want.Matches(labels.Set(object))
		if g := got.MatchesMap(object); g != w || again.Matches(labels.Set(object)) != w {
			t.Fatalf("%q of %v: %v, canonical %q: %v; want %v", text, object, g, got, again.Matches(labels.Set(object)), w)
		}
	}
	return true
}

// TestTable compares all combinations of some words and signs.
func TestTable(t *testing.T) {
	words := []string{"", "a", "c", "b", "n", "in", "notin", "10", "-1", "+1", "x.io/y", "X.io/y", "a/", "/a", "a.", "é",
		"=", "==", "!=", "!", ">", "<", "(", ")", ",", " ", "()", "(b,c)", "(,b)", "(b,)", strings.Repeat("x", 63), strings.Repeat("x", 64)}
	read, refused := 0, 0
	count := func(text string) {
		if compare(t, text) {
			read++
		} else {
			refused++
		}
	}
	for _, a := range words {
		for _, b := range words {
			for _, c := range words {
				count(a + " " + b + " " + c + ",c")
				for _, d := range words {
					count(a + b + c + d)
				}
			}
		}
	}
	t.Logf("%d selectors read, %d refused, alike in both", read, refused)
	if read == 0 || refused == 0 {
		t.Error("the words do not make both kinds")
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "a", "!a", "a=b", "a==b", "a!=b", "a in (b,,c),d notin ()", "n>9,n<11", "x.io/y,!in", "a in (", "a=b c", ",",
		strings.Repeat("x", 253) + "/" + strings.Repeat("y", 63), "a-b.c/d_e.f-g = h.i_j-k",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { compare(t, text) })
}

var web = map[string]string{"app": "web", "tier": "front", "pod-template-hash": "7d4b9c6f5d"}

const asked = "app=web,tier in (front,back),!legacy"

func BenchmarkMatches(b *testing.B) {
	b.Run("rawwatch", func(b *testing.B) {
		sel, err := selector.Parse(asked)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if !sel.MatchesMap(web) {
				b.Fatal("it does not match")
			}
		}
	})
	b.Run("apimachinery", func(b *testing.B) {
		sel, err := labels.Parse(asked)
		if err != nil {
			b.Fatal(err)
		}
		set := labels.Set(maps.Clone(web))
		b.ReportAllocs()
		for b.Loop() {
			if !sel.Matches(set) {
				b.Fatal("it does not match")
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.Run("rawwatch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := selector.Parse(asked); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("apimachinery", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := labels.Parse(asked); err != nil {
				b.Fatal(err)
			}
		}
	})
}
