// Package usage is how the measured programs say what they have cost so far.
package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// Report is what a program has used since it began.
type Report struct {
	// Phase that has just ended: "sync", "updates", or the name of the marker
	// that has come.
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
	// Anonymous is RssAnon in KiB: Resident without what is mapped from files.
	Anonymous int64 `json:"anonymous"`
	// Received bytes, as they came through the connections, TLS included; 0
	// where the program cannot tell.
	Received int64 `json:"received"`
	// Decoded bytes of answers, after unpacking; 0 where they were not counted.
	Decoded int64 `json:"decoded,omitempty"`
	// Written bytes to a checkpoint's file, and Payload, what was given to be
	// saved; 0 where there is none.
	Written int64 `json:"written,omitempty"`
	Payload int64 `json:"payload,omitempty"`
	// Mallocs and Allocated are objects and bytes that the program has
	// allocated on its heap since it began; 0 where it is not in Go.
	Mallocs   uint64 `json:"mallocs"`
	Allocated uint64 `json:"allocated"`
	// Arrivals are the events since the report before, where they were asked for.
	Arrivals []Arrival `json:"arrivals,omitempty"`
}

// Arrival is one state of an object that has reached a program's own code.
type Arrival struct {
	// Version is the object's resourceVersion.
	Version string `json:"v"`
	// At is nanoseconds of the machine's monotonic clock, see [Now].
	At int64 `json:"at"`
}

// Began is when the program began, near enough.
var Began = time.Now()

// Print prints a report as one line of JSON.
func Print(phase string, objects, events int, received int64) error {
	return print(Report{Phase: phase, Objects: objects, Events: events, Received: received})
}

// Print fills in what the process has used, and prints the report.
func (r Report) Print() error { return print(r) }

func print(r Report) error {
	r.Wall = time.Since(Began)
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	r.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	var err error
	if r.Resident, r.Peak, err = Memory("self"); err != nil {
		return err
	}
	if r.Anonymous, err = anonymous(); err != nil {
		return err
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	r.Mallocs, r.Allocated = memory.Mallocs, memory.TotalAlloc
	return json.NewEncoder(os.Stdout).Encode(r)
}

// Memory is what the kernel says of a process, a number or "self": VmRSS and
// VmHWM in KiB.
func Memory(process string) (resident, peak int64, err error) {
	status, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0, 0, err
	}
	return field(status, "VmRSS:"), field(status, "VmHWM:"), nil
}

func anonymous() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	return field(status, "RssAnon:"), err
}

// field reads the number of KiB that follows the name; 0 when it is not there,
// as for a process that has ended.
func field(status []byte, name string) int64 {
	_, after, _ := bytes.Cut(status, []byte(name))
	line, _, _ := bytes.Cut(after, []byte("kB"))
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	return n
}

// Marker is the name of the pod whose coming ends the phase of updates. Names
// that begin so are markers too, for programs that go on.
const Marker = "marker"

// Parse reads a line that Print has written.
func Parse(line []byte) (Report, error) {
	var r Report
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("a program printed %q in place of a report: %w", line, err)
	}
	return r, nil
}
