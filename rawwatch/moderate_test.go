package rawwatch

import (
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// arrivals is a connection on which bytes come at given times.
type arrivals struct {
	net.Conn
	times []time.Duration // from began on; one byte each
	began time.Time
	read  int
}

// Read waits for the next byte and returns all that have come.
func (a *arrivals) Read(p []byte) (int, error) {
	if wait := a.times[a.read] - time.Since(a.began); wait > 0 {
		time.Sleep(wait)
	}
	n := 0
	for a.read < len(a.times) && n < len(p) && a.times[a.read] <= time.Since(a.began) {
		a.read++
		n++
	}
	return n, nil
}

func (a *arrivals) Close() error { return nil }

// every gives n arrivals at a distance of gap, from start on.
func every(start, gap time.Duration, n int) (all []time.Duration) {
	for i := range n {
		all = append(all, start+time.Duration(i)*gap)
	}
	return all
}

// pairs lets another follow each arrival after gap.
func pairs(times []time.Duration, gap time.Duration) (all []time.Duration) {
	for _, at := range times {
		all = append(all, at, at+gap)
	}
	return all
}

// TestBusyConnectionsAreReadInBatches: many frames a second take few reads and
// wait no longer than the delay; few frames a second do not wait at all, and
// neither does anything while a list is under way.
func TestBusyConnectionsAreReadInBatches(t *testing.T) {
	for _, test := range []struct {
		name     string
		times    []time.Duration
		others   int64
		minReads int
		maxReads int
		maxLag   time.Duration
	}{
		{"1,000 a second, at first", every(0, time.Millisecond, 250), 0, 64, 100, DefaultBusyDelay / stormSteps},
		{"1,000 a second", every(0, time.Millisecond, 3000), 0, 90, 150, DefaultBusyDelay},
		{"400 a second, one after another", every(0, 2500*time.Microsecond, 1000), 0, 1000, 1000, 0},
		{"400 a second, of many", pairs(every(0, 5*time.Millisecond, 1000), 500*time.Microsecond), 0, 90, 400, DefaultBusyDelay},
		{"200 a second, of many", pairs(every(0, 10*time.Millisecond, 500), 500*time.Microsecond), 0, 1000, 1000, 0},
		{"400 a second, of many, for a minute", pairs(every(0, 5*time.Millisecond, 12_000), 500*time.Microsecond), 0, 600, 1000, DefaultBusyDelay},
		{"100 a second", every(0, 10*time.Millisecond, 1000), 0, 1000, 1000, 0},
		{"1,000 a second beside a list", every(0, time.Millisecond, 1000), 1, 1000, 1000, 0},
		{"a storm with a pause", append(every(0, time.Millisecond, 2000), every(3*time.Second, time.Millisecond, 2000)...), 0, 160, 190, DefaultBusyDelay},
		{"a storm, then calm", append(every(0, time.Millisecond, 500), every(time.Second, 50*time.Millisecond, 100)...), 0, 160, 220, DefaultBusyDelay},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var shared traffic
				shared.others.Store(test.others)
				in := &arrivals{times: test.times, began: time.Now()}
				c := newModeratedConn(in, DefaultBusyDelay, &shared)
				reads, lag := 0, time.Duration(0)
				for buffer := make([]byte, 100); in.read < len(in.times); reads++ {
					first := in.read
					if _, err := c.Read(buffer); err != nil {
						t.Fatal(err)
					}
					lag = max(lag, time.Since(in.began)-in.times[first])
				}
				if reads < test.minReads || reads > test.maxReads || lag > test.maxLag {
					t.Errorf("%d reads, want %d to %d; the longest wait was %v, want at most %v", reads, test.minReads, test.maxReads, lag, test.maxLag)
				}
			})
		})
	}
}

// TestFewerArrivalsEndABusyTime: a storm that becomes a drizzle, without a pause, is
// noticed soon, however long the storm was.
func TestFewerArrivalsEndABusyTime(t *testing.T) {
	const soon = 2 * time.Second
	for _, storm := range []time.Duration{time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			times := append(every(0, time.Millisecond, int(storm/time.Millisecond)), every(storm, 10*time.Millisecond, 500)...)
			in := &arrivals{times: times, began: time.Now()}
			c := newModeratedConn(in, DefaultBusyDelay, new(traffic))
			for buffer := make([]byte, 100); in.read < len(times); {
				due := times[in.read]
				if _, err := c.Read(buffer); err != nil {
					t.Fatal(err)
				}
				if lag := time.Since(in.began) - due; due > storm+soon && lag > 0 {
					t.Fatalf("%v after a storm of %v what came waited for %v", due-storm, storm, lag)
				}
			}
		})
	}
}

// TestBurstsAreNotHeldUp: what comes long after a storm, or never lasts, waits no
// longer than what comes first.
func TestBurstsAreNotHeldUp(t *testing.T) {
	late := func(start time.Duration) []time.Duration { return every(start, time.Millisecond, 250) }
	for _, test := range []struct {
		name  string
		storm []time.Duration
		burst time.Duration
	}{
		{"the first", nil, 0},
		{"long after a storm", every(0, time.Millisecond, 5000), 10 * time.Minute},
		{"soon after another", late(0), 4 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				times := append(test.storm, late(test.burst)...)
				in := &arrivals{times: times, began: time.Now()}
				c := newModeratedConn(in, DefaultBusyDelay, new(traffic))
				for buffer := make([]byte, 100); in.read < len(times); {
					due := times[in.read]
					if _, err := c.Read(buffer); err != nil {
						t.Fatal(err)
					}
					lag := time.Since(in.began) - due
					if most := 2 * DefaultBusyDelay / stormSteps; due >= test.burst && lag > most {
						t.Fatalf("%v after the burst began what came waited for %v, want at most %v", due-test.burst, lag, most)
					}
				}
			})
		})
	}
}

// TestAPauseWhileCountingEndsAStorm too.
func TestAPauseWhileCountingEndsAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &arrivals{times: every(0, time.Millisecond, 100_000), began: time.Now()}
		c := newModeratedConn(in, DefaultBusyDelay, new(traffic))
		buffer := make([]byte, 100)
		for c.pace.storm == 0 || c.pace.busy || c.pace.arrivals < 10 {
			if _, err := c.Read(buffer); err != nil {
				t.Fatal(err)
			}
		}
		in.times = append(in.times[:in.read], time.Since(in.began)+time.Hour)
		if _, err := c.Read(buffer); err != nil {
			t.Fatal(err)
		}
		if p := c.pace; p.storm != 0 || time.Since(begun)-p.ended < time.Hour {
			t.Errorf("after an hour of nothing: %+v", p)
		}
	})
}

// TestBulkIsNotDelayed: what fills the buffer is read on at once.
func TestBulkIsNotDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &arrivals{times: make([]time.Duration, 100_000), began: time.Now()}
		c := newModeratedConn(in, DefaultBusyDelay, new(traffic))
		for buffer := make([]byte, 100); in.read < len(in.times); {
			if _, err := c.Read(buffer); err != nil {
				t.Fatal(err)
			}
		}
		if waited := time.Since(in.began); waited > 0 {
			t.Errorf("waited %v", waited)
		}
	})
}

// TestAListEndsAFullBatch: what a list brings after it is no rest of the batch.
func TestAListEndsAFullBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &arrivals{times: append(every(0, time.Millisecond, 2000), make([]time.Duration, batchSize)...), began: time.Now()}
		var shared traffic
		c := newModeratedConn(in, DefaultBusyDelay, &shared)
		buffer := make([]byte, batchSize)
		read := func(until int) {
			for in.read < until {
				if _, err := c.Read(buffer); err != nil {
					t.Fatal(err)
				}
			}
		}
		read(2000)
		if !c.batch.full {
			t.Fatal("the last read was no whole batch")
		}
		shared.begins()
		if read(len(in.times)); c.batch.full || c.pace.busy {
			t.Errorf("beside a list: full %t, busy %t", c.batch.full, c.pace.busy)
		}
	})
}

// TestClosedWhileWaiting: Close does not wait for the delay.
func TestClosedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		c := newModeratedConn(client, time.Hour, new(traffic))
		c.pace.busy = true
		done := make(chan error)
		began := time.Now()
		go func() {
			_, err := c.Read(make([]byte, 1))
			done <- err
		}()
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err == nil || time.Since(began) > 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// wire is a connection that says what was written to it.
type wire struct {
	arrivals
	written []string
}

func (w *wire) Write(p []byte) (int, error) {
	w.written = append(w.written, string(p))
	return len(p), nil
}

// TestWritesOfABatchGoOutTogether: what is written while a batch is worked off
// goes out in order, in one piece, before the next read; at once while
// something else is under way, or when nothing is busy.
func TestWritesOfABatchGoOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &wire{arrivals: arrivals{times: every(0, time.Millisecond, 1000), began: time.Now()}}
		var shared traffic
		c := newModeratedConn(in, DefaultBusyDelay, &shared)
		write := func(text string) {
			if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
				t.Fatal(n, err)
			}
		}
		read := func() {
			if _, err := c.Read(make([]byte, batchSize)); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(when string, want ...string) {
			t.Helper()
			if !slices.Equal(in.written, want) {
				t.Fatalf("%s: %q was written, want %q", when, in.written, want)
			}
			in.written = nil
		}
		write("calm")
		expect("calm", "calm")
		for !c.pace.busy {
			read()
		}
		read()
		write("a")
		write("b")
		expect("in a batch")
		read()
		expect("after the next read", "ab")
		write("c")
		shared.others.Add(1)
		write("request")
		expect("with a request", "c", "request")
		read()
		write("d")
		expect("beside a list", "d")
		shared.others.Add(-1)
		read()
		write("e")
		big := strings.Repeat("x", maxHeldWrites)
		write(big)
		expect("more than is held", "e", big)
		write("f")
		expect("after that, until the next read", "f")
	})
}

// TestRequestsAreNotDelayed: a request that begins while a busy connection
// waits ends the wait.
func TestRequestsAreNotDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &arrivals{times: make([]time.Duration, 1), began: time.Now()}
		var shared traffic
		c := newModeratedConn(in, time.Hour, &shared)
		c.pace.busy = true
		go func() {
			time.Sleep(time.Second)
			shared.begins()
		}()
		if _, err := c.Read(make([]byte, 1)); err != nil || time.Since(in.began) != time.Second {
			t.Errorf("after %v: %v", time.Since(in.began), err)
		}
	})
}
