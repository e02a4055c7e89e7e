package watchtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestLyingWatches(t *testing.T) {
	versions := func(w *feed, n int) string {
		var all []string
		for range n {
			f := w.next()
			all = append(all, f.String()+" "+f.Object.Metadata.ResourceVersion)
		}
		w.close()
		return strings.Join(all, ", ")
	}
	for lie, want := range map[Lie]string{
		NoLie:       "ADDED a 80401, BOOKMARK 80401, MODIFIED a 80402, BOOKMARK 80402",
		OldVersions: "ADDED a 80401, BOOKMARK 80401, MODIFIED a 80402, MODIFIED a 80401",
		NoMetadata:  "ADDED , BOOKMARK 80401, MODIFIED , BOOKMARK 80402",
		NoVersion:   "ADDED a 80401, BOOKMARK , MODIFIED a 80402, BOOKMARK ",
	} {
		inBoth(t, Options{BookmarkInterval: 10 * time.Second}, func(t *testing.T, r *rig) {
			r.pod("edge", "a")
			r.Inject(Fault{Verb: "watch", Lie: lie})
			w := r.watch(pods, "&allowWatchBookmarks=1")
			if err := r.AwaitWatches(t.Context(), Selector{}, 1); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Patch(Pods, "edge", "a", `{"spec":{"nodeName":"n"}}`); err != nil {
				t.Fatal(err)
			}
			if got := versions(w, 4); got != want {
				t.Errorf("%d: %s, want %s", lie, got, want)
			}
		})
	}
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.Inject(Fault{Verb: "watch", Lie: CodeOK})
		w := r.watch(pods, "")
		w.want("ERROR 200")
		w.end()
	})
}

func TestLyingLists(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		five(r)
		r.Inject(Fault{Verb: "list", Count: 3, Lie: SamePage})
		for _, token := range []string{"", "x", sameToken} {
			if l := r.list(pods, "limit", "2", "continue", token); l.names() != "a b" || l.Metadata.Continue != sameToken {
				t.Errorf("%+v", l)
			}
		}
		r.Inject(Fault{Verb: "list", Lie: SamePage})
		if l := r.list(pods); l.names() != "a" || l.Metadata.Continue != sameToken {
			t.Errorf("without a limit: %+v", l)
		}
		r.Inject(Fault{Verb: "list", Lie: HugeToken})
		if l := r.list(pods); len(l.Metadata.Continue) != 1<<20 || len(l.Items) != 5 {
			t.Errorf("%d bytes", len(l.Metadata.Continue))
		}
		r.Inject(Fault{Verb: "list", Lie: NoVersion})
		if l := r.list(pods); l.Metadata.ResourceVersion != "" || l.Items[0].Metadata.ResourceVersion == "" {
			t.Errorf("%+v", l)
		}
		r.Inject(Fault{Verb: "list", Lie: NoMetadata})
		if l := r.list(pods); len(l.Items) != 5 || l.names() != "    " || l.Metadata.ResourceVersion == "" {
			t.Errorf("%+v", l)
		}
	})
}

// TestNoMetadataInJSON: there the member is not there at all.
func TestNoMetadataInJSON(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.Register(gateways)
		r.pod("edge", "a")
		r.pod("edge", "b", `,"spec":{"nodeName":"n"}`)
		for _, text := range []string{`{"metadata":{"namespace":"edge","name":"a"}}`, `{"metadata":{"namespace":"edge","name":"b"},"spec":{}}`} {
			if _, err := r.Create(gateways, text); err != nil {
				t.Fatal(err)
			}
		}
		for path, want := range map[string]string{
			pods:              `[{},{"spec":{"nodeName":"n"}}]`,
			gateways.Path(""): `[{"apiVersion":"edge.example.com/v1","kind":"Gateway"},{"apiVersion":"edge.example.com/v1","kind":"Gateway","spec":{}}]`,
		} {
			r.Inject(Fault{Lie: NoMetadata})
			_, text := r.ask("GET", path, "")
			var list struct{ Items json.RawMessage }
			if err := json.Unmarshal([]byte(text), &list); err != nil || string(list.Items) != want {
				t.Errorf("%v %s, want %s", err, text, want)
			}
			if _, honest := r.ask("GET", path, ""); strings.Count(honest, `"name":`) != 2 {
				t.Errorf("afterwards: %s", honest)
			}
		}
	})
}

// TestWrongContentType: the body stays what it is.
func TestWrongContentType(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		for accept, begin := range map[string]string{typeJSON: "{", typeProtobuf: "k8s"} {
			for _, path := range []string{pods, pods + "/none"} {
				r.Inject(Fault{ContentType: "text/plain"})
				resp := r.do(t.Context(), "GET", path, "", "Accept", accept)
				raw, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.Header.Get("Content-Type") != "text/plain" || !strings.HasPrefix(string(raw), begin) {
					t.Errorf("%v %v %q", err, resp.Header, raw)
				}
			}
		}
	})
}

func TestLiesInstead(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, path := range []string{pods + "?limit=1", pods + "?watch=1", "/api/v1/namespaces/edge/pods/a", "/apis"} {
			r.Inject(Fault{Lie: RedirectLoop})
			resp := r.do(t.Context(), "GET", path, "")
			resp.Body.Close()
			if resp.StatusCode != 307 || resp.Header.Get("Location") != path {
				t.Errorf("%s: %d %v", path, resp.StatusCode, resp.Header)
			}
			r.Inject(Fault{Lie: EmptyBody})
			resp = r.do(t.Context(), "GET", path, "")
			raw, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != 200 || len(raw) > 0 || !strings.HasPrefix(resp.Header.Get("Content-Type"), strings.Split(r.accept, ",")[0]) {
				t.Errorf("%s: %v %d %v %q", path, err, resp.StatusCode, resp.Header, raw)
			}
		}
	})
}
