package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// TestListBesideWatch: pages and watch side by side, with an audit each minute,
// on the real API server; writers go on all the while.
func TestListBesideWatch(t *testing.T) {
	t.Parallel()
	c := realapi.Start(t, realapi.Options{})
	for i := range 40 {
		mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("i-%02d", i), nil))
	}
	audits := make(chan rawwatch.AuditReport, 10)
	s := &spy{}
	client := newClient(t, c.Config(), rawwatch.ClientOptions{WrapTransport: s.wrap})
	f := follow(t, client, rawwatch.ConfigMaps.InNamespace("default"), rawwatch.ListWatchOptions{
		PageLimit: 3, ListWhileWatching: true, AuditEvery: time.Minute,
		OnAudit: func(r rawwatch.AuditReport) { audits <- r },
	})
	for i := range 20 {
		mustWrite(t, c.Direct(), "DELETE", inDefault+fmt.Sprintf("/i-%02d", 2*i), nil)
	}
	f.untilSynced(t, 1)
	f.untilEqual(t, listed(c, f.query))
	for end := time.After(3 * time.Minute); ; {
		select {
		case r := <-audits:
			if r.Err != nil || r.Differences != 0 || r.Objects < 20 {
				t.Errorf("audit: %+v", r)
			}
			return
		case <-end:
			t.Fatal("no audit in three minutes")
		case <-time.After(time.Second): // frames, at which audits begin
			mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("later-%d", time.Now().UnixNano()), nil))
		}
	}
}
