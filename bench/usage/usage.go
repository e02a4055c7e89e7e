// Package usage is how the measured programs say what they have cost so far.
package usage

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// Report is what a program has used since it began.
type Report struct {
	// Phase that has just ended: "sync" or "updates".
	Phase string `json:"phase"`
	// Objects held.
	Objects int `json:"objects"`
	// Events seen since the sync.
	Events int `json:"events"`
	// CPU, user and system.
	CPU time.Duration `json:"cpu"`
	// Wall time since the program said so.
	Wall time.Duration `json:"wall"`
	// Resident and Peak memory in KiB: VmRSS and VmHWM of /proc.
	Resident int64 `json:"resident"`
	Peak     int64 `json:"peak"`
	// Received bytes, as they came through the connections, TLS included; 0
	// where the program cannot tell.
	Received int64 `json:"received"`
}

// Began is when the program began, near enough.
var Began = time.Now()

// Print prints a report as one line of JSON.
func Print(phase string, objects, events int, received int64) error {
	r := Report{Phase: phase, Objects: objects, Events: events, Received: received, Wall: time.Since(Began)}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	r.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	r.Resident, r.Peak = field(status, resident), field(status, peak)
	return json.NewEncoder(os.Stdout).Encode(r)
}

var (
	resident = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
	peak     = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
)

func field(status []byte, pattern *regexp.Regexp) int64 {
	m := pattern.FindSubmatch(status)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n
}

// Marker is the name of the pod whose coming ends the phase of updates.
const Marker = "marker"

// Parse reads a line that Print has written.
func Parse(line []byte) (Report, error) {
	var r Report
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("a program printed %q in place of a report: %w", line, err)
	}
	return r, nil
}
