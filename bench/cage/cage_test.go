//go:build linux

package cage

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestMain: the test program is also the one that runs in the cage.
func TestMain(m *testing.M) {
	Enter()
	switch os.Getenv("CAGE_TEST") {
	case "eat":
		var all [][]byte
		for range 200 {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = byte(i)
			}
			all = append(all, b)
			time.Sleep(time.Millisecond)
		}
		os.Exit(len(all) - 200)
	case "wait":
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

// TestCage: who eats more than there is is killed, by whatever bounds it; who
// does not is not, and who never ends has failed.
func TestCage(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(c *Cage, ctx context.Context, what string) Outcome {
		t.Helper()
		o, err := c.Run(ctx, self, []string{"-test.run=^$"}, []string{"CAGE_TEST=" + what}, func(*exec.Cmd) {})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	const limit = 100 << 20
	best, err := New(limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Cage{best, {kind: Watchdog, limit: limit}} {
		t.Run(string(c.Kind()), func(t *testing.T) {
			if o := run(c, t.Context(), "eat"); !o.Killed || o.Err != nil || o.Peak < limit/2 {
				t.Errorf("200 MB in 100: %+v", o)
			}
			if o := run(c, t.Context(), ""); o.Killed || o.Err != nil {
				t.Errorf("a small program: %+v", o)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if o := run(c, ctx, "wait"); o.Killed || !errors.Is(o.Err, context.DeadlineExceeded) {
				t.Errorf("one that never ends: %+v", o)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
