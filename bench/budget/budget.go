package budget

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// File is where the budgets are; the path is relative to the folder bench.
const File = "budgets.json"

// Budget is what one thing may cost.
type Budget struct {
	// Name is that of the thing: group/thing.
	Name string `json:"name"`
	// Unit of Limit and Goal.
	Unit string `json:"unit"`
	// Limit is what must not be passed.
	Limit float64 `json:"limit"`
	// Goal is what is wished for, where that is not reached yet; 0 where it is.
	// To miss it breaks nothing, but it is said.
	Goal float64 `json:"goal,omitempty"`
	// Full budgets are held against by full runs only.
	Full bool `json:"full,omitempty"`
	// About says what is measured, and why the limit is what it is.
	About string `json:"about"`
}

// Group is the part of the name before the slash.
func (b Budget) Group() string {
	group, _, _ := strings.Cut(b.Name, "/")
	return group
}

// Read reads the file. Every budget has a name of its own, a unit, a limit, and
// says what it is about.
func Read(file string) ([]Budget, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("run this in the folder bench: %w", err)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	var all []Budget
	if err := in.Decode(&all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	seen := map[string]bool{}
	for _, b := range all {
		group, thing, _ := strings.Cut(b.Name, "/")
		switch {
		case group == "" || thing == "" || b.Unit == "" || b.About == "":
			return nil, fmt.Errorf("%s: budget %q needs a name with a slash, a unit, and what it is about", file, b.Name)
		case seen[b.Name]:
			return nil, fmt.Errorf("%s: budget %q is there twice", file, b.Name)
		case b.Limit < 0 || b.Goal > b.Limit:
			return nil, fmt.Errorf("%s: budget %q has a limit below zero, or below its goal", file, b.Name)
		}
		seen[b.Name] = true
	}
	return all, nil
}

// Verdict is a budget beside what was measured.
type Verdict struct {
	Budget
	// Measured is nil when it was not; Skipped says why.
	Measured *float64 `json:"measured,omitempty"`
	Skipped  string   `json:"skipped,omitempty"`
}

// Broken reports whether the limit was passed.
func (v Verdict) Broken() bool { return v.Measured != nil && *v.Measured > v.Limit }

// Missed reports whether there is a goal that was not reached.
func (v Verdict) Missed() bool { return v.Measured != nil && v.Goal > 0 && *v.Measured > v.Goal }

// String is one line: name, what was measured, the limit, what to do.
func (v Verdict) String() string {
	if v.Measured == nil {
		return fmt.Sprintf("skipped  %s: %s", v.Name, v.Skipped)
	}
	word, rest := "ok", ""
	switch {
	case v.Broken():
		word, rest = "BROKEN", fmt.Sprintf("; over by %s: %s", Number(*v.Measured-v.Limit), v.About)
	case v.Missed():
		rest = fmt.Sprintf("; goal %s, missed by %s", Number(v.Goal), Number(*v.Measured-v.Goal))
	}
	return fmt.Sprintf("%-8s %s: %s of %s %s%s", word, v.Name, Number(*v.Measured), Number(v.Limit), v.Unit, rest)
}

// Number is a number as people read it: whole when it is large or whole.
func Number(n float64) string {
	if n >= 1000 || n == float64(int64(n)) {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.3g", n)
}

// Judge holds what was measured against the budgets. Each budget of the groups
// that were measured needs its measurement, and each measurement a budget:
// anything else is an error, so that neither can be forgotten.
func Judge(budgets []Budget, measured map[string]float64, groups map[string]bool, full bool) ([]Verdict, error) {
	var verdicts []Verdict
	known := map[string]bool{}
	for _, b := range budgets {
		known[b.Name] = true
		v := Verdict{Budget: b}
		n, ok := measured[b.Name]
		switch {
		case ok:
			v.Measured = &n
		case !groups[b.Group()]:
			v.Skipped = "not asked for"
		case b.Full && !full:
			v.Skipped = "only in full runs"
		default:
			return nil, fmt.Errorf("nothing measures the budget %s", b.Name)
		}
		verdicts = append(verdicts, v)
	}
	for name := range measured {
		if !known[name] {
			return nil, fmt.Errorf("%s is measured and has no budget", name)
		}
	}
	return verdicts, nil
}
