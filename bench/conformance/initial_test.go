package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

// initialServers are servers that answer in their own ways when initial events
// are asked for as a stream (KEP-3157).
var initialServers = []struct {
	name    string
	options realapi.Options
	mode    rawwatch.ListMode // of the first sync
}{
	{"served", realapi.Options{}, rawwatch.ListInitialStream},
	{"refused", realapi.Options{Flags: []string{"--feature-gates=WatchList=false"}}, rawwatch.ListPaged},
	{"old release", realapi.Options{Server: realapi.OldKubeAPIServer}, rawwatch.ListInitialStream},
}

// Initial events as a stream: a server that has them sends them, and no list is
// asked for; one that has the feature off refuses, which is remembered and
// shown, and is listed. After a gap all of them are listed in pages. The state
// is the server's own, in protobuf and in JSON.
func TestInitialEventsAsAStream(t *testing.T) {
	for _, server := range initialServers {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			c := realapi.Start(t, server.options)
			for i := range 12 {
				mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("i-%d", i), object{"data": object{"v": fmt.Sprint(i)}}))
			}
			w := &initialWorld{cluster: c, mode: server.mode}
			inProtobuf := w.firstSync(t, rawwatch.EncodingAutomatic, decode.Protobuf)
			inJSON := w.firstSync(t, rawwatch.EncodingJSON, decode.JSON)
			w.gap(t)
			for _, f := range []*initialFollower{inProtobuf, inJSON} {
				f.afterGap(t, c)
			}
		})
	}
}

// initialWorld is one of the servers, and the network to it.
type initialWorld struct {
	cluster *realapi.Cluster
	network faultnet.Network
	mode    rawwatch.ListMode
}

// initialFollower is a follower with a client of its own, whose requests are
// counted.
type initialFollower struct {
	*follower
	spy *spy
}

// firstSync follows the config maps, and looks at how their state came.
func (w *initialWorld) firstSync(t *testing.T, asked rawwatch.Encoding, want decode.Encoding) *initialFollower {
	t.Helper()
	s := &spy{}
	client := newClient(t, w.cluster.Config(), rawwatch.ClientOptions{WrapTransport: s.wrap, DialContext: w.network.DialContext})
	query := rawwatch.ConfigMaps.InNamespace("default")
	options := rawwatch.ListWatchOptions{PageLimit: 5, Encoding: asked, Backoff: eager.Backoff}
	f := &initialFollower{follow(t, client, query, options), s}
	f.untilSynced(t, 1)
	name := strings.ToLower("goes-" + want.String())
	mustWrite(t, w.cluster.Direct(), "POST", inDefault, named(name, nil))
	f.until(t, "the creation", func() bool { return f.Counts()["ADDED/stream"] > 0 })
	mustWrite(t, w.cluster.Direct(), "DELETE", inDefault+"/"+name, nil)
	f.until(t, "the deletion", func() bool { return f.Counts()["DELETED/stream"] > 0 })
	f.untilEqual(t, listed(w.cluster, query))
	status, streams := f.reflector.Status(), w.mode == rawwatch.ListInitialStream
	if got := f.Counts()["ADDED/list"]; got < 12 {
		t.Errorf("%v: %d objects before the first sync, want 12 or more", want, got)
	}
	if status.ListMode != w.mode || status.Encoding != want || streams != (s.lists() == 0) {
		t.Errorf("%v: synced by %s in %v with %d lists, want %s", want, status.ListMode, status.Encoding, s.lists(), w.mode)
	}
	var refused *rawwatch.RequestError
	if streams && status.Unstreamed != nil || !streams && !errors.As(status.Unstreamed, &refused) {
		t.Errorf("%v: Unstreamed is %v", want, status.Unstreamed)
	}
	if !streams {
		w.remembered(t, client, s)
	}
	return f
}

// remembered begins another watch of the same client: the server has said what
// it does not do, and is not asked again.
func (w *initialWorld) remembered(t *testing.T, client *rawwatch.Client, s *spy) {
	t.Helper()
	asked := s.initials()
	f := follow(t, client, rawwatch.Services.Query(), rawwatch.ListWatchOptions{})
	f.untilSynced(t, 1)
	if n := s.initials(); asked != 1 || n != asked {
		t.Errorf("initial events were asked for %d times by the first watch, %d times in all, want once", asked, n)
	}
	if status := f.reflector.Status(); status.Unstreamed == nil || status.ListMode != rawwatch.ListPaged {
		t.Errorf("status of the second watch: %+v", status)
	}
}

// gap cuts everybody off and lets the history go on without them, past its end.
func (w *initialWorld) gap(t *testing.T) {
	t.Helper()
	w.network.Down()
	mustWrite(t, w.cluster.Direct(), "DELETE", inDefault+"/i-3", nil)
	mustWrite(t, w.cluster.Direct(), "PATCH", inDefault+"/i-4", object{"data": object{"v": "changed"}})
	if _, err := w.cluster.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.network.Up()
}

// afterGap checks that the state was fetched in pages.
func (f *initialFollower) afterGap(t *testing.T, c *realapi.Cluster) {
	t.Helper()
	before := f.spy.initials()
	f.untilSynced(t, 2)
	f.untilEqual(t, func(ctx context.Context) (State, error) { return serverState(ctx, c.Direct(), f.query) })
	status := f.reflector.Status()
	if status.ListMode != rawwatch.ListPaged || status.LastListReason != resume.ReasonExpired || f.spy.lists() < 3 {
		t.Errorf("after the gap: %s because of %s, %d list requests", status.ListMode, status.LastListReason, f.spy.lists())
	}
	if n := f.spy.initials(); n != before || n > 1 {
		t.Errorf("initial events were asked for %d times", n)
	}
}
