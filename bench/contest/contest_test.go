package contest

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/bench/trial"
	"github.com/rawwatch/rawwatch/bench/usage"
)

// A long series is thinned, and its peak stays.
func TestThinKeepsPeaks(t *testing.T) {
	var points []trial.Point
	for i := range 1001 {
		points = append(points, trial.Point{At: float64(i), Value: 10})
	}
	points[777].Value = 99.96
	kept := thin(points, 200)
	if len(kept) > 200 {
		t.Errorf("%d points are kept, want 200 at most", len(kept))
	}
	if !slices.Contains(kept, trial.Point{At: 777, Value: 100}) {
		t.Error("the peak is not kept")
	}
	if got := thin(nil, 200); got != nil {
		t.Errorf("nothing became %v", got)
	}
}

func TestLatencies(t *testing.T) {
	answered := map[string]int64{"10": 1_000_000, "11": 2_000_000}
	arrivals := []usage.Arrival{{Version: "9", At: 0}, {Version: "11", At: 1_500_000}, {Version: "10", At: 4_000_000}}
	o, err := latencies(answered, arrivals)
	if err != nil {
		t.Fatal(err)
	}
	if f := o.Figures; f["latency_p50_ms"] != -0.5 || f["latency_max_ms"] != 3 || len(o.Series["latency_ms_by_percent"]) != 100 {
		t.Errorf("the outcome is %+v", o)
	}
	if _, err := latencies(map[string]int64{"10": 1, "12": 1}, arrivals); err == nil {
		t.Error("an event is missing, and nobody says so")
	}
	if _, err := latencies(nil, nil); err == nil {
		t.Error("nothing was measured, and nobody says so")
	}
}

// A program that prints names has synced with the line of the last pod, and
// tells of markers after it.
func TestLinesAreReports(t *testing.T) {
	l := lineReader{pods: 2, pid: os.Getpid()}
	var phases []string
	for _, line := range []string{"pod/a", "pod/b", "pod/a", "pod/marker-7"} {
		r, told, err := l.line(line)
		if err != nil {
			t.Fatal(err)
		}
		if told {
			phases = append(phases, r.Phase)
			if r.Resident == 0 || r.Peak < r.Resident {
				t.Errorf("%s: resident %d, peak %d", r.Phase, r.Resident, r.Peak)
			}
		}
	}
	if want := []string{"sync", "marker-7"}; !slices.Equal(phases, want) {
		t.Errorf("the phases are %v, want %v", phases, want)
	}
}

// Who does not watch again is given less, and the report says so and why.
func TestGentleChanges(t *testing.T) {
	a := &Arena{Options: Options{Updates: 3000, PerSecond: 5000}}
	fragile := Peer{NoRelist: "no relist", NoResume: "it ends"}
	if n, pace := a.churnOf(fragile); n != gentleChanges || pace != gentlePace {
		t.Errorf("it is given %d changes, %d a second", n, pace)
	}
	if n, pace := a.churnOf(Peer{}); n != 3000 || pace != 5000 {
		t.Errorf("others are given %d changes, %d a second", n, pace)
	}
	if got, want := a.limits(fragile), "no relist; it is given 500 changes, at most 100 a second, since it ends"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := a.limits(Peer{}); got != "" {
		t.Errorf("others are limited: %q", got)
	}
	a.Updates, a.PerSecond = 20, 10
	if n, pace := a.churnOf(fragile); n != 20 || pace != 10 {
		t.Errorf("it is given %d changes, %d a second, which is more than asked for", n, pace)
	}
}

// A program that ends by itself is told from one that fails.
func TestEnds(t *testing.T) {
	a, err := NewArena(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for script, byItself := range map[string]bool{"exit 0": true, "echo why >&2": false, "exit 3": false} {
		c, err := a.start(t.Context(), Peer{Lines: true, Args: []string{"-c", script}, binary: "/bin/sh"}, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.await(t.Context(), "sync"); err == nil || errors.Is(err, errEnded) != byItself {
			t.Errorf("%s: %v", script, err)
		}
		c.stop()
	}
}

func TestChoose(t *testing.T) {
	if all := Choose(Peers(), ""); len(all) < 12 {
		t.Errorf("there are %d peers, want 12 or more", len(all))
	}
	var names []string
	for _, p := range Choose(Peers(), "raw, kubectl") {
		names = append(names, p.Name)
	}
	if !slices.Contains(names, "kubectl get --watch") || !slices.Contains(names, "rawwatch raw") || slices.Contains(names, Base) {
		t.Errorf("chosen were %v", names)
	}
}

// More pods than any machine has memory for are refused with both numbers.
func TestRoomFor(t *testing.T) {
	if _, err := availableMemory(); err != nil {
		t.Skip("the kernel does not say what memory is available")
	}
	if err := RoomFor(1 << 40); err == nil || !strings.Contains(err.Error(), "too little memory") {
		t.Errorf("a million million pods fit: %v", err)
	}
}

func TestParseResult(t *testing.T) {
	for text, good := range map[string]bool{
		`{"name":"restart","contestants":[{"name":"a","runs":[{"figures":{"x_s":1}}]},{"name":"b","skipped":"why"}]}`: true,
		`{"contestants":[{"name":"a"}]}`: false, `{"surprise":1}`: false, `no JSON`: false, ``: false,
	} {
		if _, err := parseResult([]byte(text)); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestParseConstrained(t *testing.T) {
	r, err := parseConstrained([]byte(`[
		{"agent":"a","pods":10,"limit":33554432,"by":"cgroup","outcome":"in sync","charged":16777216,"cpu":250000000,"wall":500000000},
		{"agent":"b","pods":10,"limit":33554432,"by":"cgroup","outcome":"killed","charged":33554432,"wall":500000000}]`))
	if err != nil {
		t.Fatal(err)
	}
	good, killed := r.Contestants[0], r.Contestants[1]
	if f := good.Runs[0].Figures; good.Name != "a, 10 pods in 32 MB" || f["charged_mb"] != 16 || f["constrained_cpu_s"] != 0.25 || f["in_sync"] != 1 {
		t.Errorf("%+v", good)
	}
	if _, timed := killed.Summary("constrained_s"); timed || killed.Note != "killed" || killed.Runs[0].Figures["in_sync"] != 0 {
		t.Errorf("%+v", killed)
	}
}

func TestLastLine(t *testing.T) {
	if got := lastLine([]byte("one\ntwo \n\n")); got != "two" {
		t.Errorf("%q", got)
	}
	var end tail
	for range 100 {
		if _, err := end.Write([]byte(strings.Repeat("x", 99) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if len(end.text) > 4096 || end.last() != strings.Repeat("x", 99) {
		t.Errorf("%d bytes are kept; the last line is %q", len(end.text), end.last())
	}
}
