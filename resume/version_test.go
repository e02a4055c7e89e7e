package resume

import (
	"strings"
	"testing"
)

func TestCompareVersions(t *testing.T) {
	long := "1" + strings.Repeat("0", 400)
	for _, c := range []struct {
		a, b       string
		order      int
		comparable bool
	}{
		{"1", "1", 0, true},
		{"1", "2", -1, true},
		{"9", "10", -1, true},
		{"99", "100", -1, true},
		{"123", "124", -1, true},
		{"18446744073709551615", "18446744073709551616", -1, true}, // past 64 bits
		{"18446744073709551616", long, -1, true},
		{long, "1" + strings.Repeat("0", 399) + "1", -1, true},
		{"", "", 0, true},
		{"", "1", 0, false},
		{"0", "1", 0, false},
		{"0", "0", 0, true},
		{"01", "1", 0, false},
		{"010", "9", 0, false},
		{"-1", "1", 0, false},
		{"+1", "1", 0, false},
		{" 1", "1", 0, false},
		{"1.0", "1", 0, false},
		{"1e3", "1000", 0, false},
		{"0x10", "16", 0, false},
		{"١", "1", 0, false}, // a digit, but not an ASCII one
		{"1\n", "1", 0, false},
		{"abc", "abd", 0, false},
		{"abc", "abc", 0, true},
		{"abc", "1", 0, false},
	} {
		for _, way := range []struct {
			a, b  string
			order int
		}{{c.a, c.b, c.order}, {c.b, c.a, -c.order}} {
			order, comparable := CompareVersions(way.a, way.b)
			if order != way.order || comparable != c.comparable {
				t.Errorf("CompareVersions(%q, %q) = %d, %v, want %d, %v", way.a, way.b, order, comparable, way.order, c.comparable)
			}
		}
	}
}

func TestAdvance(t *testing.T) {
	for _, c := range []struct{ point, v, want string }{
		{"100", "101", "101"},
		{"100", "100", "100"},
		{"100", "99", "100"},
		{"100", "1000", "1000"},
		{"100", "", "100"},
		{"100", "0", "100"},
		{"100", strings.Repeat("9", MaxVersionLength), strings.Repeat("9", MaxVersionLength)},
		{"100", strings.Repeat("9", MaxVersionLength+1), "100"},
		{"100", "abc", "abc"},
		{"abc", "abd", "abd"},
	} {
		if got := advance(c.point, c.v); got != c.want {
			t.Errorf("from %q, %q moves to %q, want %q", c.point, c.v, got, c.want)
		}
	}
}
