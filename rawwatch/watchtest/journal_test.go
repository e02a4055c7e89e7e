package watchtest

import (
	"testing"
	"time"
)

func TestJournal(t *testing.T) {
	bubble(t, Options{Journal: 3}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		for range 3 {
			r.ask("GET", "/version", "")
		}
		w := r.watch("/api/v1/namespaces/edge/pods", "&resourceVersion=80401&fieldSelector=metadata.name%3Da", "User-Agent", "probe/1")
		r.Inject(Fault{Verb: "get", Answer: StatusAnswer(Failure(503))})
		r.ask("GET", "/api/v1/namespaces/edge/pods/a", "")
		j := r.Journal()
		if len(j) != 3 {
			t.Fatalf("%d entries", len(j))
		}
		q := j[1]
		if q.Method != "GET" || q.Path != "/api/v1/namespaces/edge/pods" || q.Query.Get("resourceVersion") != "80401" || q.Header.Get("User-Agent") != "probe/1" ||
			q.Verb != "watch" || q.Version != "v1" || q.Resource != "pods" || q.Namespace != "edge" || q.Name != "a" || q.Proto != "HTTP/2.0" ||
			q.User != "admin" || q.Code != 200 || q.Done || q.Fault || !q.Time.Equal(time.Now()) {
			t.Errorf("%+v", q)
		}
		if g := j[2]; g.Verb != "get" || g.Name != "a" || g.Code != 503 || !g.Fault || !g.Done {
			t.Errorf("%+v", g)
		}
		w.close()
		r.pass(1)
		if !r.Journal()[1].Done {
			t.Error("the end of the watch is not seen")
		}
	})
}
