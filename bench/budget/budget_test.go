package budget

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFile: the file that is in the repository can be read.
func TestFile(t *testing.T) {
	all, err := Read(filepath.Join("..", File))
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":        `[`,
		"unknown member": `[{"name":"a/b","unit":"u","about":"x","limit":1,"limits":2}]`,
		"no slash":       `[{"name":"ab","unit":"u","about":"x","limit":1}]`,
		"no unit":        `[{"name":"a/b","about":"x","limit":1}]`,
		"twice":          `[{"name":"a/b","unit":"u","about":"x","limit":1},{"name":"a/b","unit":"u","about":"x","limit":1}]`,
		"goal above":     `[{"name":"a/b","unit":"u","about":"x","limit":1,"goal":2}]`,
	} {
		file := filepath.Join(t.TempDir(), "b.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestJudge: a limit that is passed is named, and nothing can be forgotten.
func TestJudge(t *testing.T) {
	budgets := []Budget{
		{Name: "size/a", Unit: "bytes", Limit: 10, About: "a's bytes"},
		{Name: "size/b", Unit: "bytes", Limit: 10, Goal: 5, About: "b's bytes"},
		{Name: "size/c", Unit: "bytes", Limit: 10, Full: true, About: "c's bytes"},
		{Name: "time/d", Unit: "s", Limit: 1, About: "d's time"},
	}
	groups := map[string]bool{"size": true}
	all, err := Judge(budgets, map[string]float64{"size/a": 11, "size/b": 6}, groups, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"BROKEN   size/a: 11 of 10 bytes; over by 1: a's bytes",
		"ok       size/b: 6 of 10 bytes; goal 5, missed by 1",
		"skipped  size/c: only in full runs",
		"skipped  time/d: not asked for",
	}
	for i, v := range all {
		if v.String() != want[i] {
			t.Errorf("%q, want %q", v, want[i])
		}
		if v.Broken() != (i == 0) || v.Missed() != (i == 1) {
			t.Errorf("%s: broken %v, missed %v", v.Name, v.Broken(), v.Missed())
		}
	}
	for name, c := range map[string]struct {
		measured map[string]float64
		full     bool
		want     string
	}{
		"a budget without a measurement": {map[string]float64{"size/a": 1}, false, "size/b"},
		"a full one too":                 {map[string]float64{"size/a": 1, "size/b": 1}, true, "size/c"},
		"a measurement without a budget": {map[string]float64{"size/a": 1, "size/b": 1, "size/x": 1}, false, "size/x"},
	} {
		if _, err := Judge(budgets, c.measured, groups, c.full); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
