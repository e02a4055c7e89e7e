// Package page makes a readable page of a [trial.Report]: README.md with tables
// of medians, spreads and ratios, and plots in SVG.
package page
