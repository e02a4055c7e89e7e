package contest

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// every is how often a program's memory is read from outside.
const every = 20 * time.Millisecond

// maxPoints is how many points a series has at most; each is the greatest
// reading of its time, so that no peak is lost.
const maxPoints = 200

// sampler reads a program's resident memory until it is stopped.
type sampler struct {
	began   time.Time
	running sync.WaitGroup
	done    chan struct{}
	points  []trial.Point // in MB; read after running
}

func sample(pid int) *sampler {
	s := &sampler{began: time.Now(), done: make(chan struct{})}
	path := "/proc/" + strconv.Itoa(pid) + "/statm"
	page := float64(os.Getpagesize())
	s.running.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			if pages, ok := residentPages(path); ok {
				s.points = append(s.points, trial.Point{At: time.Since(s.began).Seconds(), Value: pages * page / (1 << 20)})
			}
			select {
			case <-tick.C:
			case <-s.done:
				return
			}
		}
	})
	return s
}

// stop ends the reading and gives the series.
func (s *sampler) stop() []trial.Point {
	close(s.done)
	s.running.Wait()
	return thin(s.points, maxPoints)
}

// thin keeps the greatest of every few points, rounded to what can be seen.
func thin(points []trial.Point, most int) []trial.Point {
	step := (len(points) + most - 1) / most
	var kept []trial.Point
	for i := 0; i < len(points); i += step {
		greatest := points[i]
		for _, p := range points[i:min(i+step, len(points))] {
			if p.Value > greatest.Value {
				greatest = p
			}
		}
		kept = append(kept, trial.Point{At: round(greatest.At, 100), Value: round(greatest.Value, 10)})
	}
	return kept
}

func round(v, parts float64) float64 { return math.Round(v*parts) / parts }

// residentPages is the second number of /proc/PID/statm.
func residentPages(path string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	return pages, err == nil && pages > 0 // 0: it has ended
}

// ticks is how many of the kernel's clock ticks are a second: Linux shows
// programs 100 on every machine that Go runs on.
const ticks = 100

// cpuOf is the CPU time of a process, user and system.
func cpuOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, err
	}
	// The name, in brackets, may hold spaces; utime is the 12th field after it.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	user, err := strconv.ParseInt(string(fields[11]), 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(string(fields[12]), 10, 64)
	return time.Duration(user+system) * time.Second / ticks, err
}

// forgetPeak makes the kernel count a process's peak memory anew (proc(5),
// clear_refs).
func forgetPeak(pid int) error {
	return os.WriteFile("/proc/"+strconv.Itoa(pid)+"/clear_refs", []byte("5"), 0)
}
