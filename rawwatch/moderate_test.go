package rawwatch

import (
	"net"
	"sync/atomic"
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
		{"1,000 a second", every(0, time.Millisecond, 1000), 0, 150, 260, DefaultBusyDelay},
		{"100 a second", every(0, 10*time.Millisecond, 1000), 0, 1000, 1000, 0},
		{"1,000 a second beside a list", every(0, time.Millisecond, 1000), 1, 1000, 1000, 0},
		{"a storm, then calm", append(every(0, time.Millisecond, 500), every(time.Second, 20*time.Millisecond, 100)...), 0, 150, 250, DefaultBusyDelay},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var others atomic.Int64
				others.Store(test.others)
				in := &arrivals{times: test.times, began: time.Now()}
				c := &moderatedConn{Conn: in, delay: DefaultBusyDelay, others: &others, closed: make(chan struct{})}
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

// TestBulkIsNotDelayed: what fills the buffer is read on at once.
func TestBulkIsNotDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &arrivals{times: make([]time.Duration, 100_000), began: time.Now()}
		c := &moderatedConn{Conn: in, delay: DefaultBusyDelay, others: new(atomic.Int64), closed: make(chan struct{})}
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

// TestClosedWhileWaiting: Close does not wait for the delay.
func TestClosedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		c := &moderatedConn{Conn: client, delay: time.Hour, others: new(atomic.Int64), closed: make(chan struct{}), short: busyReads}
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
