package main

import "testing"

// A rise is found behind noise; noise, and one strange minute, are no rise.
func TestJudge(t *testing.T) {
	run := func(heap func(minute int) float64) []line {
		var lines []line
		for n := range 20 {
			l := line{minute: n + 1}
			l.figures = [...]float64{heap(n), 50_000, 100, 20}
			lines = append(lines, l)
		}
		return lines
	}
	noise := func(n int) float64 { return 10_000 + float64(n*7919%500) }
	for _, c := range []struct {
		name string
		heap func(int) float64
		fail bool
	}{
		{"flat", noise, false},
		{"one minute", func(n int) float64 {
			if n == 12 {
				return 90_000
			}
			return noise(n)
		}, false},
		{"a leak", func(n int) float64 { return noise(n) + 120*float64(n) }, true},
	} {
		if err := judge(run(c.heap)); (err != nil) != c.fail {
			t.Errorf("%s: %v, want failure %t", c.name, err, c.fail)
		}
	}
	ended := run(noise)
	ended[len(ended)-1].ended = 1
	if judge(ended) == nil {
		t.Error("a watch that ended is no failure")
	}
}
