package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPackageOf(t *testing.T) {
	for symbol, want := range map[string]string{
		"runtime.main":                                 "runtime",
		"net/http.(*Transport).RoundTrip":              "net/http",
		"net/http.init.func1":                          "net/http",
		"vendor/golang.org/x/net/idna.idnaValues":      "vendor/golang.org/x/net/idna",
		"slices.pdqsortCmpFunc[go.shape.*net/url.URL]": "slices",
		"github.com/sony/gobreaker/v2.(*CircuitBreaker[go.shape.struct {}]).onSuccess": "github.com/sony/gobreaker/v2",
		"gopkg.in/inf%2ev0.init":             "gopkg.in/inf.v0",
		"type:.eq.net/http.transportRequest": "",
		"go:itab.*os.File,io.Reader":         "",
	} {
		if got := packageOf(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

// TestDissect adds up a program: nothing may be counted twice, and little forgotten.
func TestDissect(t *testing.T) {
	s, err := measure(t.Context(), t.TempDir(), program{"get", filepath.Join("..", ".."), "./floor/get"})
	if err != nil {
		t.Fatal(err)
	}
	sum := s.lines
	for part, n := range s.parts {
		if n < 0 {
			t.Errorf("%s has %d bytes", part, n)
		}
		sum += n
	}
	if rest := s.bytes - sum; rest < 0 || rest > 64<<10 {
		t.Errorf("the parts of %d bytes add up to %d", s.bytes, sum)
	}
	for _, part := range []string{"runtime", "TLS, X.509 and cryptography"} {
		if s.parts[part] < 100_000 {
			t.Errorf("%s has %d bytes", part, s.parts[part])
		}
	}
}

// TestPage: the page has the marks between which -write puts the tables.
func TestPage(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replaced(text, nil); err != nil {
		t.Error(err)
	}
}
