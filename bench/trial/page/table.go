package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// none stands where nothing was measured.
const none = "–"

// jobTables writes a job's tables, with ratios to the contestant base, then what
// was skipped of it.
func jobTables(w *strings.Builder, j trial.JobResult, base string) {
	for _, t := range columnsOf(j.Group, j.Name, j.FigureNames()) {
		if t.title != "" {
			fmt.Fprintf(w, "### %s\n\n", t.title)
		}
		titles := []string{""}
		for _, c := range t.columns {
			titles = append(titles, c.title)
		}
		row(w, titles)
		fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(titles)))
		for _, c := range j.Contestants {
			if len(c.Runs) > 0 {
				row(w, cells(j, c, base, t.columns))
			}
		}
		w.WriteByte('\n')
	}
	for _, c := range j.Contestants {
		if c.Skipped != "" && len(c.Runs) > 0 {
			fmt.Fprintf(w, "- **%s** has %d runs only: %s\n", c.Name, len(c.Runs), escape(c.Skipped))
		} else if c.Skipped != "" {
			fmt.Fprintf(w, "- **%s** was skipped: %s\n", c.Name, escape(c.Skipped))
		} else if c.Note != "" {
			fmt.Fprintf(w, "- **%s**: %s\n", c.Name, escape(c.Note))
		}
		notes := c.Notes()
		for _, note := range slices.Sorted(maps.Keys(notes)) {
			fmt.Fprintf(w, "- **%s**, %d of %d runs: %s\n", c.Name, notes[note], len(c.Runs), escape(note))
		}
	}
	if j.Skipped != "" {
		fmt.Fprintf(w, "- **The job** was skipped, wholly or in part: %s\n", escape(j.Skipped))
	}
	w.WriteByte('\n')
}

func row(w *strings.Builder, cells []string) {
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

func cells(j trial.JobResult, c trial.ContestantResult, base string, columns []column) []string {
	all := []string{c.Name}
	other, compared := j.Find(base)
	for _, column := range columns {
		s, ok := c.Summary(column.figure)
		if !ok {
			all = append(all, none)
			continue
		}
		text := number(s.Median)
		if s.Runs > 1 {
			text += fmt.Sprintf(" (%s–%s)", number(s.Min), number(s.Max))
		}
		if b, ok := other.Summary(column.figure); ok && compared && c.Name != base && b.Median > 0 && s.Median >= 0 {
			text += fmt.Sprintf(" · %s×", number(s.Median/b.Median))
		}
		all = append(all, text)
	}
	return all
}

// number shows three figures that count, and no more than three decimals.
func number(v float64) string {
	size := v
	if size < 0 {
		size = -size
	}
	switch {
	case v == float64(int64(v)) || size >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case size >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case size >= 0.9995:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// escape keeps a reason on one line and in one piece.
func escape(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(s)
}
