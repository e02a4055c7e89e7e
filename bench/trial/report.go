package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Format is the version of results.json; it rises when a name in it changes its
// meaning.
const Format = 1

// Report is everything raw: what results.json holds.
type Report struct {
	Format int `json:"format"`
	// Began is when, in UTC, and Took how long in seconds.
	Began time.Time `json:"began"`
	Took  float64   `json:"took_s"`
	// Interrupted: it was ended early, and holds what was done by then.
	Interrupted bool    `json:"interrupted,omitempty"`
	Machine     Machine `json:"machine"`
	// Versions of servers, peers and rawwatch, by name.
	Versions map[string]string `json:"versions"`
	// Flags that it ran with, by name.
	Flags map[string]string `json:"flags"`
	// Base is the contestant that ratios are told against.
	Base string `json:"base"`
	// Jobs stand in the order in which they were done.
	Jobs []JobResult `json:"jobs"`
}

// Machine is what may be known of where a report was made.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	MemoryMB int64  `json:"memory_mb"`
	Go       string `json:"go"`
	// Load is the load average over the minute before: what else ran there.
	Load float64 `json:"load_before"`
}

// Save writes the report as results.json into the folder, whole or not at all.
func (r Report) Save(folder string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "results.json")
	if err := os.WriteFile(path+".part", append(compact(text), '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// Open reads a report.
func Open(path string) (r Report, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if r.Format != Format {
		return r, fmt.Errorf("%s has format %d, this is for format %d", path, r.Format, Format)
	}
	return r, nil
}

var points = regexp.MustCompile(`\{\s*"t": ([^,]*),\s*"v": (\S*)\s*\}`)

// compact puts each point of a series, an object of two numbers, on a line of
// its own: a third of the bytes, and still a line for each change in a diff.
func compact(text []byte) []byte {
	return points.ReplaceAll(text, []byte(`{"t":$1,"v":$2}`))
}
