package rawwatch

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestStreamsWaitForTheEndOfABatch: for all of it, once, but not for ever, and for
// nothing when there is none.
func TestStreamsWaitForTheEndOfABatch(t *testing.T) {
	for _, test := range []struct {
		name   string
		during func(f *filling, first, second *filler)
		want   time.Duration
	}{
		{"there is none", func(*filling, *filler, *filler) {}, 0},
		{"it is over", func(f *filling, first, _ *filler) {
			first.begins(f)
			first.done(f)
			first.done(f)
		}, 0},
		{"it ends", func(f *filling, first, _ *filler) {
			first.begins(f)
			first.begins(f)
			time.AfterFunc(time.Millisecond, func() { first.done(f) })
		}, time.Millisecond},
		{"one of two ends", func(f *filling, first, second *filler) {
			first.begins(f)
			second.begins(f)
			time.AfterFunc(time.Millisecond, func() { second.done(f) })
		}, time.Millisecond},
		{"it does not end", func(f *filling, first, _ *filler) { first.begins(f) }, fillingBound},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var f filling
				test.during(&f, new(filler), new(filler))
				began := time.Now()
				f.wait(new(nap))
				if waited := time.Since(began); waited != test.want {
					t.Errorf("waited %v, want %v", waited, test.want)
				}
			})
		})
	}
}

// TestAFullBatchEndsToo: also when a list takes over.
func TestAFullBatchEndsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &arrivals{times: append(every(0, time.Millisecond, 2000), make([]time.Duration, batchSize)...), began: time.Now()}
		var shared traffic
		c := newModeratedConn(in, DefaultBusyDelay, &shared)
		buffer := make([]byte, batchSize)
		for in.read < 2000 {
			if _, err := c.Read(buffer); err != nil {
				t.Fatal(err)
			}
		}
		if !c.batch.full {
			t.Fatal("the last read was not a whole batch")
		}
		in.times = append(in.times, every(3*time.Second, time.Millisecond, 2)...)
		shared.begins()
		for in.read < len(in.times) {
			if _, err := c.Read(buffer); err != nil {
				t.Fatal(err)
			}
		}
		if n := shared.filling.batches.Load(); n != 0 || c.batch.full {
			t.Errorf("beside a list %d batches are being taken apart, full %t", n, c.batch.full)
		}
	})
}

// TestABatchEndsWithTheNextRead, or with the connection.
func TestABatchEndsWithTheNextRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &arrivals{times: every(0, time.Millisecond, 2000), began: time.Now()}
		var shared traffic
		c := newModeratedConn(in, DefaultBusyDelay, &shared)
		read := func(size int) {
			if _, err := c.Read(make([]byte, size)); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(when string, want int32) {
			t.Helper()
			if n := shared.filling.batches.Load(); n != want {
				t.Errorf("%s: %d batches are being taken apart, want %d", when, n, want)
			}
		}
		for !c.pace.busy {
			read(1)
			expect("one by one", 0)
		}
		read(1)
		expect("in a batch", 1)
		go func() {
			synctest.Wait() // the next read waits for its batch
			expect("between batches", 0)
		}()
		for c.batch.buffer != nil {
			read(1)
		}
		read(1)
		expect("in the next batch", 1)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		expect("closed", 0)
		read(1) // as one that was under way
		expect("read when it was closed", 0)
	})
}
