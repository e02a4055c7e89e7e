package watchtest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestSendFrame(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		w := r.watch(pods, "&resourceVersion=80400")
		other := r.watch("/api/v1/nodes", "&resourceVersion=80400")
		if err := r.AwaitWatches(t.Context(), Selector{}, 2); err != nil {
			t.Fatal(err)
		}
		bad := `{"type":"MODIFIED","object":{"metadata":7}}` + "\n"
		if n := r.SendFrame(Selector{Resource: "pods"}, []byte(bad)); n != 1 {
			t.Errorf("sent to %d", n)
		}
		if line, err := w.in.ReadString('\n'); line != bad || err != nil {
			t.Errorf("%q %v", line, err)
		}
		huge := Frame("ADDED", []byte(`{"x":"`+strings.Repeat("x", 17<<20)+`"}`))
		r.SendFrame(Selector{Resource: "pods", User: "admin"}, huge)
		n, err := io.ReadFull(w.in, make([]byte, len(huge)))
		if err != nil {
			t.Errorf("a large frame: %d bytes, %v", n, err)
		}
		r.SendFrame(Selector{}, ErrorFrame(TooOld(1, 2)))
		w.want("ERROR 410")
		other.want("ERROR 410")
		w.close()
		other.close()
	})
}

func TestCutWatches(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		clean := r.watch(pods, "&resourceVersion=80400")
		if err := r.AwaitWatches(t.Context(), Selector{Resource: "pods"}, 1); err != nil {
			t.Fatal(err)
		}
		r.pod("edge", "a")
		r.CutWatches(Selector{}, Truncate)
		clean.want("ADDED a")
		clean.end()
		aborted := r.watch(pods, "&resourceVersion=80400")
		r.CutWatches(Selector{Namespace: "edge"}, Abort) // not this one
		r.CutWatches(Selector{Resource: "pods"}, Abort)
		if f, err := aborted.read(); err == io.EOF {
			t.Errorf("clean: %s", f.raw)
		}
		aborted.close()
		r.pass(time.Second)
		if n := r.Watches(Selector{}); n != 0 {
			t.Errorf("%d watches are left", n)
		}
	})
}

func TestFreeze(t *testing.T) {
	inBoth(t, Options{BookmarkInterval: time.Second}, func(t *testing.T, r *rig) {
		w := r.watch(pods, "&resourceVersion=80400&allowWatchBookmarks=1")
		thaw := r.Freeze(Selector{})
		r.pod("edge", "a")
		r.pass(time.Minute + time.Second/2)
		begun := time.Now()
		r.pod("edge", "b")
		go func() {
			r.pass(10 * time.Minute)
			thaw()
		}()
		w.want("ADDED a")
		if d := time.Since(begun); d != 10*time.Minute {
			t.Errorf("frozen for %v", d)
		}
		w.want("ADDED b", "BOOKMARK")
		w.close()
	})
}

func TestAwaitWatchesGivesUp(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := r.AwaitWatches(ctx, Selector{}, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}
