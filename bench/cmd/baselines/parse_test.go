package main

import (
	"maps"
	"slices"
	"testing"
)

func TestFastest(t *testing.T) {
	got := fastest(`goos: linux
pkg: example.com/p
BenchmarkA-2   	     100	      20.5 ns/op	       0 B/op	       0 allocs/op
BenchmarkA-2   	     100	      10 ns/op	       0 B/op	       0 allocs/op
BenchmarkB/five-fields-2 	 5 	 7 values/op 	 300 ns/op
BenchmarkMemory-2 	 5 	 7 B/object
PASS
`)
	want := map[string]float64{"A": 10, "B/five-fields": 300}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTell: only what is beyond the margin is too slow; what is new is not.
func TestTell(t *testing.T) {
	stored := map[string]float64{"a": 1, "b": 1}
	slow := tell(stored, map[string]float64{"a": 2.9, "b": 3.1, "c": 100}, 3)
	if !slices.Equal(slow, []string{"b"}) {
		t.Error(slow)
	}
}
