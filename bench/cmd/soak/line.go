package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const header = `| minute | events | lists | streams | heap KB | resident KB | goroutines | descriptors |
|---|---|---|---|---|---|---|---|`

// line is what the process is at one moment.
type line struct {
	minute         int
	events         int64
	lists, streams int
	ended          int64
	figures        [len(figureNames)]float64
}

// figureNames are what must not rise; allowed is by how much it may, over the
// whole run, as a share of the median and as an amount: the larger of both.
var (
	figureNames = [...]string{"heap KB", "resident KB", "goroutines", "descriptors"}
	allowed     = [...]struct{ share, amount float64 }{{0.10, 1024}, {0.15, 8192}, {0.05, 8}, {0.05, 8}}
)

func (l line) String() string {
	return fmt.Sprintf("| %d | %d | %d | %d | %.0f | %.0f | %.0f | %.0f |", l.minute, l.events, l.lists, l.streams,
		l.figures[0], l.figures[1], l.figures[2], l.figures[3])
}

func read(minute int, f *followers) line {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l := line{minute: minute, events: f.events.Load(), ended: f.ended.Load()}
	l.lists, l.streams = f.counts()
	l.figures = [...]float64{float64(m.HeapAlloc) / 1024, resident(), float64(runtime.NumGoroutine()), descriptors()}
	return l
}

// resident is VmRSS of /proc, in KB; 0 where there is none.
func resident() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kib, _ := strconv.ParseFloat(number, 64)
	return kib
}

// descriptors are the open files of the process; 0 where /proc does not say.
func descriptors() float64 {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return float64(len(entries))
}

// judge fails the run when a figure rose over it, the first lines left out, or
// when a watch ended.
func judge(lines []line) error {
	var failures []error
	if ended := lines[len(lines)-1].ended; ended > 0 {
		failures = append(failures, fmt.Errorf("%d watches have ended", ended))
	}
	lines = lines[len(lines)/5:]
	for i, name := range figureNames {
		values := make([]float64, len(lines))
		for n, l := range lines {
			values[n] = l.figures[i]
		}
		rise := slope(values) * float64(len(values)-1)
		limit := max(allowed[i].amount, allowed[i].share*median(values))
		fmt.Printf("%s: %+.0f over %d minutes, %.0f allowed\n", name, rise, len(values)-1, limit)
		if rise > limit {
			failures = append(failures, fmt.Errorf("%s rose by %.0f in %d minutes", name, rise, len(values)-1))
		}
	}
	return errors.Join(failures...)
}

// slope is the median of the slopes between any two values (Theil and Sen),
// which a few strange minutes do not move.
func slope(values []float64) float64 {
	var slopes []float64
	for i := range values {
		for j := range i {
			slopes = append(slopes, (values[i]-values[j])/float64(i-j))
		}
	}
	return median(slopes)
}

// median of the values; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
