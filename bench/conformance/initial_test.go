package conformance

import (
	"fmt"
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// Initial events as a stream (KEP-3157): a server that has them sends them,
// and no list is asked for; one that has the feature off refuses, and is
// listed. The state is the same.
func TestInitialEventsAsAStream(t *testing.T) {
	for _, server := range []struct {
		name  string
		flags []string
		lists bool
	}{{"served", nil, false}, {"refused", []string{"--feature-gates=WatchList=false"}, true}} {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			c := realapi.Start(t, realapi.Options{Flags: server.flags})
			for i := range 12 {
				mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("i-%d", i), nil))
			}
			s := &spy{}
			client := newClient(t, c.Config(), rawwatch.ClientOptions{WrapTransport: s.wrap})
			f := follow(t, client, rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{PageLimit: 5})
			f.untilSynced(t, 1)
			if got := f.Counts()["ADDED/list"]; got < 12 {
				t.Errorf("%d objects before the first sync, want 12 or more", got)
			}
			mustWrite(t, c.Direct(), "DELETE", inDefault+"/i-3", nil)
			f.until(t, "the deletion", func() bool { return f.Counts()["DELETED/stream"] == 1 })
			f.untilEqual(t, listed(c, f.query))
			if lists := s.lists() > 0; lists != server.lists {
				t.Errorf("listed: %t, want %t", lists, server.lists)
			}
		})
	}
}
