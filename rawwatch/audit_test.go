package rawwatch_test

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// audited follows with an audit every ten minutes, on a server that sends
// bookmarks each minute.
func (w *world) audited(o rawwatch.ListWatchOptions) (*follower, *[]rawwatch.AuditReport) {
	var reports []rawwatch.AuditReport
	o.AuditEvery = 10 * time.Minute
	o.OnAudit = func(r rawwatch.AuditReport) { reports = append(reports, r) }
	f := w.follow(rawwatch.Pods.Query(), o)
	w.pass(time.Minute)
	f.took()
	return f, &reports
}

// loses lets the watch lose each frame whose object says "unseen".
func (w *world) loses() {
	w.server.Inject(watchtest.Fault{Verb: "watch", Count: -1, Rewrite: func(b []byte) []byte {
		if !bytes.Contains(b, []byte("unseen")) {
			return b
		}
		return watchtest.Frame("BOOKMARK", []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1"}}`))
	}})
	w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
	w.pass(3 * time.Second)
}

// TestAuditAgrees: where nothing is wrong an audit costs a metadata-only list at
// the very version, and has no other consequence.
func TestAuditAgrees(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.createAll("a b c")
		f, reports := w.audited(rawwatch.ListWatchOptions{PageLimit: 2})
		w.server.ClearJournal()
		w.pass(45 * time.Minute)
		f.expect()
		if n := len(*reports); n < 3 || n > 5 {
			w.Fatalf("%d audits in 45 minutes", n)
		}
		for _, r := range *reports {
			if r.Err != nil || r.Differences != 0 || r.Objects != 3 || r.ResourceVersion == "" || r.Begun.IsZero() {
				w.Errorf("%+v", r)
			}
		}
		for _, r := range w.requests("list") {
			if exact := r.Query.Get("resourceVersionMatch") == "Exact" && r.Query.Get("resourceVersion") != ""; exact == r.Query.Has("continue") {
				w.Errorf("asked with %v", r.Query)
			}
		}
	})
}

// TestAuditFinds: a change that no frame has told is found, named, and made good
// with the exact difference.
func TestAuditFinds(t *testing.T) {
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{}, func(w *world) {
		w.createAll("a b c clock")
		w.create(pods, "n", "d", `"annotations":{"is":"unseen"}`)
		f, reports := w.audited(rawwatch.ListWatchOptions{})
		w.loses()
		w.touch(pods, "n", "a", "unseen")
		w.create(pods, "n", "e", `"annotations":{"is":"unseen"}`)
		w.delete(pods, "n", "d")
		w.touch(pods, "n", "clock", "1") // moves the resume point past them
		w.settle()
		f.expect("MODIFIED stream n/clock")
		w.pass(15 * time.Minute)
		f.expect("MODIFIED relist n/a", "ADDED relist n/e", "DELETED relist n/d", "SYNCED relist")
		want := []rawwatch.AuditDifference{
			{Key: decode.Key{Namespace: "n", Name: "a"}, Kind: rawwatch.AuditDifferent},
			{Key: decode.Key{Namespace: "n", Name: "e"}, Kind: rawwatch.AuditMissing},
			{Key: decode.Key{Namespace: "n", Name: "d"}, Kind: rawwatch.AuditExtra},
		}
		if i := slices.IndexFunc(*reports, func(r rawwatch.AuditReport) bool { return r.Differences == 3 }); i < 0 || !slices.Equal((*reports)[i].Found, want) {
			w.Errorf("reports %+v", *reports)
		}
		if s := f.reflector.Status(); s.Lists != 2 || s.LastListReason != "audit-differs" {
			w.Errorf("%d lists, the last because of %s", s.Lists, s.LastListReason)
		}
	})
}

// TestAuditWithoutConclusion: a server that no longer has the version, or
// answers with another, is no reason for anything.
func TestAuditWithoutConclusion(t *testing.T) {
	exact := func(r *http.Request) bool { return r.URL.Query().Has("resourceVersionMatch") }
	for name, fault := range map[string]watchtest.Fault{
		"expired":         {Answer: watchtest.StatusAnswer(watchtest.Expired())},
		"another version": {Answer: watchtest.JSONAnswer(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)},
		"cut":             {Cut: watchtest.Abort},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{}, func(w *world) {
				w.createAll("a b c")
				f, reports := w.audited(rawwatch.ListWatchOptions{})
				fault.Verb, fault.Count, fault.Match = "list", -1, exact
				w.server.Inject(fault)
				w.pass(25 * time.Minute)
				f.expect()
				if len(*reports) == 0 || (*reports)[0].Err == nil {
					w.Fatalf("reports %+v", *reports)
				}
				if name == "another version" && !errors.Is((*reports)[0].Err, rawwatch.ErrAuditVoid) {
					w.Errorf("error %v", (*reports)[0].Err)
				}
				if s := f.reflector.Status(); !s.Connected || s.Lists != 1 || s.Failures != 0 {
					w.Errorf("status %+v", s)
				}
			})
		})
	}
}
