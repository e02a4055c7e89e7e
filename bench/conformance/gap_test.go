package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// listed asks for the objects of a query as the server has them.
func listed(c *realapi.Cluster, q rawwatch.Query) func(context.Context) (State, error) {
	return func(ctx context.Context) (State, error) { return serverState(ctx, c.Direct(), q) }
}

var inDefault = collection(rawwatch.ConfigMaps, "default")

// The client is cut off, objects change, history is compacted and its last
// rest lost with the server's restart: the watch is answered by an ERROR frame
// with code 410. What comes is the exact difference, and nobody is told of a
// failure beside the cut itself.
func TestExpiredWhileCutOff(t *testing.T) {
	c := realapi.Start(t, realapi.Options{})
	d := c.Direct()
	old := mustWrite(t, d, "POST", inDefault, named("old", nil))
	for _, name := range []string{"stays", "changes", "goes", "recreated"} {
		mustWrite(t, d, "POST", inDefault, named(name, object{"data": object{"v": "1"}}))
	}
	var network faultnet.Network
	client := newClient(t, c.Config(), rawwatch.ClientOptions{DialContext: network.DialContext})
	f := follow(t, client, rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{ListFirst: true, Backoff: eager.Backoff})
	f.untilSynced(t, 1)
	before := f.Counts()
	network.Down()
	mustWrite(t, d, "PATCH", inDefault+"/changes", object{"data": object{"v": "2"}})
	for _, name := range []string{"goes", "recreated"} {
		mustWrite(t, d, "DELETE", inDefault+"/"+name, nil)
	}
	mustWrite(t, d, "POST", inDefault, named("recreated", nil))
	mustWrite(t, d, "POST", inDefault, named("unseen", nil))
	mustWrite(t, d, "DELETE", inDefault+"/unseen", nil)
	mustWrite(t, d, "POST", inDefault, named("new", nil))
	if _, err := c.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	network.Up()
	f.untilSynced(t, 2)
	f.untilEqual(t, listed(c, f.query))
	for what, more := range map[string]int{
		"MODIFIED/relist": 1, // changes
		"DELETED/relist":  2, // goes, and the first life of recreated
		"ADDED/relist":    2, // new, and the second life of recreated
		"ADDED/stream":    0, "MODIFIED/stream": 0, "DELETED/stream": 0,
	} {
		if got := f.Counts()[what] - before[what]; got != more {
			t.Errorf("%d events %s, want %d", got, what, more)
		}
	}
	if reason := f.reflector.Status().LastListReason; reason != "expired" {
		t.Errorf("the list's reason is %q, want expired", reason)
	}
	for _, text := range f.lastFailures(100) {
		if strings.Contains(text, "410") || strings.Contains(text, "xpired") {
			t.Errorf("OnFailure was told of routine: %s", text)
		}
	}
	watchFromExpired(t, client, old.ResourceVersion)
}

// watchFromExpired watches from a version whose history is gone: the ERROR
// frame is an error that is known as expired.
func watchFromExpired(t *testing.T, client *rawwatch.Client, version string) {
	t.Helper()
	var end error
	for _, err := range client.Watch(t.Context(), rawwatch.ConfigMaps.InNamespace("default"), rawwatch.WatchOptions{ResourceVersion: version, Timeout: 5 * time.Second}) {
		end = err
	}
	var status *decode.StatusError
	if !errors.As(end, &status) || !status.IsExpired() {
		t.Errorf("a watch from %s ended with %v, want expired", version, end)
	}
}

// The server is killed three times while eight writers write.
func TestKilledUnderLoad(t *testing.T) {
	c := realapi.Start(t, realapi.Options{})
	client := newClient(t, c.Config(), rawwatch.ClientOptions{})
	f := follow(t, client, rawwatch.ConfigMaps.Query(), rawwatch.ListWatchOptions{ListFirst: true, Backoff: eager.Backoff})
	f.untilSynced(t, 1)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for i := range 8 {
		path := inDefault + "/" + fmt.Sprintf("load-%d", i)
		mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("load-%d", i), nil))
		writing.Go(func() {
			pause := time.NewTicker(2 * time.Millisecond) // also while the server is down
			defer pause.Stop()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-pause.C:
				}
				_, err := c.Direct().Do(t.Context(), "PATCH", path, encode(object{"data": object{"n": fmt.Sprint(n)}}))
				f.history.note("write", fmt.Sprint(path, " ", n, ": ", err))
			}
		})
	}
	for kills := range 3 {
		seen := f.Counts()["MODIFIED/stream"]
		f.until(t, "load on the stream", func() bool { return f.Counts()["MODIFIED/stream"] > seen+100 })
		if err := c.Restart(t.Context()); err != nil {
			t.Fatalf("after kill %d: %v", kills+1, err)
		}
	}
	close(stop)
	writing.Wait()
	f.untilEqual(t, listed(c, f.query))
}

// An etcd that is restored from a backup: versions begin low again. A watch
// from the lost future is accepted and silent; the question after the
// silence finds out.
func TestHistoryRewritten(t *testing.T) {
	t.Parallel() // the first bookmark takes a minute
	c := realapi.Start(t, realapi.Options{})
	for i := range 3 {
		mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("lost-%d", i), nil))
	}
	for n := range 400 { // more versions than the new history will have
		mustWrite(t, c.Direct(), "PATCH", inDefault+"/lost-0", object{"data": object{"n": fmt.Sprint(n)}})
	}
	f := follow(t, newClient(t, c.Config(), rawwatch.ClientOptions{}), rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{
		Backoff: eager.Backoff, Bookmarks: true,
		WatchTimeoutMin: 6 * time.Second, WatchTimeoutMax: 7 * time.Second, SilenceBound: 5 * time.Second,
	})
	f.until(t, "a bookmark", func() bool { return f.Counts()["BOOKMARK/stream"] > 0 })
	if err := c.Wipe(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, c.Direct(), "POST", inDefault, named("found", nil))
	f.untilSynced(t, 2)
	f.untilEqual(t, listed(c, f.query))
	if got := f.Counts()["DELETED/relist"]; got < 3 {
		t.Errorf("%d objects of the lost history were deleted, want 3 or more", got)
	}
}
