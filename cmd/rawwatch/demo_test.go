package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

func TestDemo(t *testing.T) {
	got := invoke(t, "demo", "--pause", "0s")
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit code %d, stderr %q, story:\n%s", got.code, got.stderr, got.stdout)
	}
	for _, want := range []string{
		"with 40 pods",
		"in sync: 40 pods",
		"DELETED  jobs/nightly-0",
		"connection lost",
		"connected again",
		"listing anew",
		`DELETED  shop/web-5 \(relist\)`,
		"in sync again",
		`\d+ events, 0 of them delivered twice; \d+ failures healed, \d+ relists`,
		`Proof: server (\d+) objects, watch \d+: \d+ identical, 0 different, 0 missing, 0 too many\.`,
	} {
		if !regexp.MustCompile(want).MatchString(got.stdout) {
			t.Errorf("the story does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(got.stdout)
	}
	if n := len(strings.Split(got.stdout, "\n")); n > 90 {
		t.Errorf("a story of %d lines is too long to read", n)
	}
}

func TestDemoNoticesADifference(t *testing.T) {
	a, b, c := decode.Key{Name: "a"}, decode.Key{Name: "b"}, decode.Key{Name: "c"}
	server := map[decode.Key]string{a: "1", b: "2"}
	for _, test := range []struct {
		name  string
		watch map[decode.Key]string
		equal bool
	}{
		{"the same", map[decode.Key]string{a: "1", b: "2"}, true},
		{"missing", map[decode.Key]string{a: "1"}, false},
		{"old", map[decode.Key]string{a: "1", b: "1"}, false},
		{"too many", map[decode.Key]string{a: "1", b: "2", c: "3"}, false},
		{"another", map[decode.Key]string{a: "1", c: "2"}, false},
	} {
		if v := compare(server, test.watch); v.equal() != test.equal {
			t.Errorf("%s: %v", test.name, v)
		}
	}
}
