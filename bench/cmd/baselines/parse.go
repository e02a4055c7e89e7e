package main

import (
	"strconv"
	"strings"
)

// fastest reads the output of benchmarks: nanoseconds per operation by name,
// the least of the runs. Those that report no time are left out.
func fastest(output string) map[string]float64 {
	best := map[string]float64{}
	for line := range strings.Lines(output) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if dash := strings.LastIndexByte(name, '-'); dash > 0 {
			if _, err := strconv.Atoi(name[dash+1:]); err == nil { // GOMAXPROCS
				name = name[:dash]
			}
		}
		for i := 2; i+1 < len(f); i += 2 {
			ns, err := strconv.ParseFloat(f[i], 64)
			if f[i+1] != "ns/op" || err != nil || ns <= 0 {
				continue
			}
			if before, ok := best[name]; !ok || ns < before {
				best[name] = ns
			}
		}
	}
	return best
}
