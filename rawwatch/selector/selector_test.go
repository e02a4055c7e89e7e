package selector

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	labels := map[string]string{"app": "web", "tier": "", "n": "10", "example.com/x": "y"}
	for _, c := range []struct {
		selector string
		want     string // true, false, or a part of the error
	}{
		{"", "true"},
		{" \t\r\n", "true"},
		{"app=web", "true"},
		{"app==web", "true"},
		{"app=db", "false"},
		{"app!=db", "true"},
		{"app!=web", "false"},
		{"none!=web", "true"},
		{"none=", "false"},
		{"tier=", "true"},
		{"tier=,app=web", "true"},
		{"tier", "true"},
		{"!tier", "false"},
		{"!none", "true"},
		{"! none", "true"},
		{"none", "false"},
		{"app in (db, web)", "true"},
		{"app in (db)", "false"},
		{"app in(web)", "true"},
		{"app notin (db,web)", "false"},
		{"app notin (db)", "true"},
		{"none notin (db)", "true"},
		{"none in (,a)", "false"},
		{"tier in (,a)", "true"},
		{"tier in (a,)", "true"},
		{"tier in ()", "true"},
		{"in in (in,notin)", "false"},
		{"n>9", "true"},
		{"n>10", "false"},
		{"n < 11", "true"},
		{"n<10", "false"},
		{"app>1", "false"},
		{"none<1", "false"},
		{"example.com/x=y", "true"},
		{" app = web , !none,n in (10,11), tier ", "true"},
		{"app=web,n in (1,2)", "false"},

		{"app in (db", "at byte 10: found '', expected: ',' or ')'"},
		{"app in (a b)", "at byte 10: found 'b', expected: ',' or ')'"},
		{"app in db", "at byte 7: found 'db', expected: '('"},
		{"app of (db)", "at byte 4: found 'of', expected: in, notin"},
		{"app=a b", "at byte 6: found 'b', expected: ',' or the end"},
		{"app=!b", "at byte 4: found '!', expected: a value"},
		{"!app=b", "at byte 4: found '=', expected: ',' or the end"},
		{"=web", "at byte 0: found '=', expected: a key"},
		{"!!app", "at byte 1: found '!', expected: a key"},
		{"app=web,", "at byte 8: found '', expected: a key or '!' after ','"},
		{"app=web,,tier", "at byte 8: found ',', expected: a key"},
		{"-app", `at byte 0: Invalid value: "-app": the name of a key`},
		{"a/b/c", `Invalid value: "a/b/c": the name of a key`},
		{"/b", "the prefix of a key"},
		{"A.b/c", "the prefix of a key"},
		{"a/", "the name of a key"},
		{"a\x00", "the name of a key"},
		{"app=-", `at byte 4: Invalid value: "-": a value must`},
		{"app in (a,é)", `at byte 10: Invalid value: "é"`},
		{"n>x", "must be an integer"},
		{"n>", "must be an integer"},
		{"n>9223372036854775808", "must be an integer"},
		{"app=" + strings.Repeat("x", 63), "false"},
		{"app=" + strings.Repeat("x", 64), "a value must"},
		{strings.Repeat("x", 64), "the name of a key"},
		{strings.Repeat("x", 253) + "/a", "false"},
		{strings.Repeat("x", 254) + "/a", "the prefix of a key"},
	} {
		sel, err := Parse(c.selector)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(sel.MatchesMap(labels))
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%q: %s, want %s", c.selector, got, c.want)
		}
		var syntax *SyntaxError
		var invalid *InvalidError
		if err != nil && !errors.As(err, &syntax) && !errors.As(err, &invalid) {
			t.Errorf("%q: %T", c.selector, err)
		}
	}
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"b , a==1,a in (1)":              "a=1,b",
		"x notin (c,a,,a)":               "x notin (,a,c)",
		"x notin (c)":                    "x!=c",
		"x in ()":                        "x=",
		"!z,n>1,n<9,example.com/y!=1":    "example.com/y!=1,n>1,n<9,!z",
		"a,a,!a, a in (b,c), a in (c,b)": "!a,a,a in (b,c)",
	} {
		sel, err := Parse(text)
		if err != nil || sel.String() != want {
			t.Errorf("%q: %q %v, want %q", text, sel, err, want)
		}
		if sel.Empty() != (want == "") {
			t.Errorf("%q: empty is %v", text, sel.Empty())
		}
	}
}

func TestNew(t *testing.T) {
	values := []string{"b", "a"}
	sel, err := New(Requirement{"k", NotIn, values}, Requirement{"j", Exists, nil})
	if err != nil || sel.String() != "j,k notin (a,b)" {
		t.Errorf("%q %v", sel, err)
	}
	values[0] = "changed"
	sel.Requirements()[1].Values[0] = "changed"
	want := []Requirement{{"j", Exists, nil}, {"k", NotIn, []string{"a", "b"}}}
	if got := sel.Requirements(); !slices.EqualFunc(got, want, func(a, b Requirement) bool { return a.compare(b) == 0 }) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, r := range []Requirement{
		{"", Exists, nil},
		{"a", "", nil},
		{"a", "in", []string{"b"}},
		{"a", In, nil},
		{"a", Exists, []string{"b"}},
		{"a", GreaterThan, []string{"1", "2"}},
		{"a", LessThan, []string{"x"}},
		{"a", In, []string{"b", "c d"}},
	} {
		var invalid *InvalidError
		if _, err := New(r); !errors.As(err, &invalid) || invalid.Key != r.Key {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// FuzzParse: what is taken comes back the same from its canonical spelling.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "a", "!a/b", "a in (b,,c),d notin ()", "x>1,y<2,z==3,w!=", "a=b c", "(", "a in (in"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sel, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(sel.String())
		if err != nil || again.String() != sel.String() || len(again.terms) != len(sel.terms) {
			t.Fatalf("%q is %q, which is %q: %v", text, sel, again, err)
		}
	})
}

func BenchmarkMatches(b *testing.B) {
	labels := map[string]string{"app": "web", "tier": "front", "pod-template-hash": "7d4b9c6f5d"}
	get := func(key string) (string, bool) { v, ok := labels[key]; return v, ok }
	sel, err := Parse("app=web,tier in (front,back),!legacy")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if !sel.Matches(get) {
			b.Fatal("it does not match")
		}
	}
}
