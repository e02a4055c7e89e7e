package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// spread is the least, the median and the most.
func spread(values []float64) (least, median, most float64) {
	if len(values) == 0 {
		return 0, 0, 0
	}
	s := slices.Sorted(slices.Values(values))
	return s[0], s[len(s)/2], s[len(s)-1]
}

func (c *contestant) values(of func(result) float64) (v []float64) {
	for _, r := range c.results {
		v = append(v, of(r))
	}
	return v
}

func (c *contestant) median(of func(result) float64) float64 {
	_, median, _ := spread(c.values(of))
	return median
}

func (c *contestant) show(of func(result) float64, format string) string {
	return show(c.values(of), format)
}

func show(values []float64, format string) string {
	least, median, most := spread(values)
	return fmt.Sprintf(format+" ("+format+"–"+format+")", median, least, most)
}

// limits are what a checkpoint is to cost at most.
type limits []limit

type limit struct {
	what       string
	value, max float64
	unit       string
}

func (l *limits) add(what string, value, most float64, unit string) {
	*l = append(*l, limit{what, value, most, unit})
}

// print prints all of them; the error says that one was missed.
func (l limits) print(w io.Writer) error {
	missed := false
	fmt.Fprint(w, "\n| limit | measured | at most | |\n|---|--:|--:|---|\n")
	for _, one := range l {
		held := "held"
		if one.value > one.max {
			held, missed = "missed", true
		}
		fmt.Fprintf(w, "| %s | %.2f %s | %g %s | %s |\n", one.what, one.value, one.unit, one.max, one.unit, held)
	}
	if missed {
		return errors.New("a limit was missed; was the machine busy?")
	}
	return nil
}
