package main

import (
	"context"
	"fmt"
	"slices"
)

const header = `| pods | program | CPU s, median (min–max) | peak RSS MB, median (min–max) |
|---|---|---|---|
`

// table runs the jobs in turn, A B C A B C, so that the machine's moods hit all
// alike, and prints a row for each.
func table(ctx context.Context, jobs []job, kubeconfig string, pods, runs int) error {
	results := make([][]result, len(jobs))
	for round := range runs + 1 {
		for i, j := range jobs {
			r, err := j.run(ctx, kubeconfig, pods)
			if err != nil {
				return err
			}
			if round > 0 { // the first round warms up
				results[i] = append(results[i], r)
			}
		}
	}
	for i, j := range jobs {
		cpu := spread(results[i], func(r result) float64 { return r.cpu.Seconds() })
		peak := spread(results[i], func(r result) float64 { return float64(r.peak) / 1024 })
		fmt.Printf("| %d | %s | %.2f (%.2f–%.2f) | %.1f (%.1f–%.1f) |\n", pods, j.name, cpu[1], cpu[0], cpu[2], peak[1], peak[0], peak[2])
	}
	return nil
}

// spread is minimum, median and maximum.
func spread[R any](all []R, of func(R) float64) [3]float64 {
	values := make([]float64, len(all))
	for i, r := range all {
		values[i] = of(r)
	}
	slices.Sort(values)
	return [3]float64{values[0], values[len(values)/2], values[len(values)-1]}
}
