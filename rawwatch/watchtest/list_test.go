package watchtest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// listOf is what tests look at in a list.
type listOf struct {
	Kind, APIVersion string
	Metadata         struct {
		ResourceVersion, Continue string
		RemainingItemCount        *int
	}
	Items []struct {
		Kind, APIVersion string
		Metadata         struct{ Name, Namespace, ResourceVersion string }
	}
	Code    int
	Reason  string
	Message string
	Details struct {
		RetryAfterSeconds int
		Causes            []struct{ Reason, Field string }
	}
}

func (l listOf) names() string {
	var names []string
	for _, item := range l.Items {
		names = append(names, item.Metadata.Name)
	}
	return strings.Join(names, " ")
}

func (r *rig) list(path string, query ...string) listOf {
	r.t.Helper()
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	_, text := r.ask("GET", path+"?"+q.Encode(), "")
	var l listOf
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		r.t.Fatalf("list: %v: %s", err, text)
	}
	return l
}

const pods = "/api/v1/pods"

func five(r *rig) {
	for _, name := range []string{"d", "b", "a", "e", "c"} {
		r.pod("edge", name)
	}
}

func TestListPages(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		five(r)
		version := fmt.Sprint(r.Revision())
		var all []string
		token, remaining := "", []int{3, 1}
		for i := range 3 {
			l := r.list(pods, "limit", "2", "continue", token)
			if l.Metadata.ResourceVersion != version {
				t.Errorf("page %d: version %s, want the first page's %s", i, l.Metadata.ResourceVersion, version)
			}
			if i < 2 && (l.Metadata.RemainingItemCount == nil || *l.Metadata.RemainingItemCount != remaining[i]) {
				t.Errorf("page %d: remaining %v", i, l.Metadata.RemainingItemCount)
			}
			all = append(all, l.names())
			token = l.Metadata.Continue
			// What happens now is not in this list.
			r.pod("edge", fmt.Sprintf("b%d", i))
			r.Delete(Pods, "edge", []string{"b", "e", "d"}[i])
		}
		if want := []string{"a b", "c d", "e"}; !slices.Equal(all, want) || token != "" {
			t.Errorf("pages %q, token %q, want %q", all, token, want)
		}
		if now := r.list(pods).names(); now != "a b0 b1 b2 c" {
			t.Errorf("now: %s", now)
		}
	})
}

func TestListPagesOfSelection(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		five(r)
		r.pod("other", "a")
		l := r.list("/api/v1/namespaces/edge/pods", "limit", "2", "fieldSelector", "metadata.name!=b")
		if l.names() != "a c" || l.Metadata.Continue == "" || l.Metadata.RemainingItemCount != nil {
			t.Errorf("page 1: %+v", l)
		}
		l = r.list("/api/v1/namespaces/edge/pods", "limit", "2", "fieldSelector", "metadata.name!=b", "continue", l.Metadata.Continue)
		if l.names() != "d e" || l.Metadata.Continue != "" {
			t.Errorf("page 2: %+v", l)
		}
	})
}

func TestListTokenExpires(t *testing.T) {
	bubble(t, Options{PageTTL: time.Minute}, func(t *testing.T, r *rig) {
		five(r)
		first := r.list(pods, "limit", "2")
		r.pod("edge", "f")
		if l := r.list(pods, "limit", "2", "continue", first.Metadata.Continue); l.names() != "c d" {
			t.Errorf("in time: %+v", l)
		}
		r.pass(time.Minute + time.Second)
		gone := r.list(pods, "limit", "2", "continue", first.Metadata.Continue)
		if gone.Code != 410 || gone.Reason != "Expired" || gone.Metadata.Continue == "" {
			t.Fatalf("too late: %+v", gone)
		}
		rest := r.list(pods, "limit", "9", "continue", gone.Metadata.Continue)
		if rest.names() != "c d e f" || rest.Metadata.ResourceVersion != fmt.Sprint(r.Revision()) {
			t.Errorf("inconsistent rest: %+v", rest)
		}
	})
}

func TestListVersions(t *testing.T) {
	bubble(t, Options{FirstRevision: 1000}, func(t *testing.T, r *rig) {
		five(r) // 1001 to 1005
		r.Delete(Pods, "edge", "a")
		r.Compact(1002)
		const now, then, old, future = "1006", "1004", "1001", "99999999"
		for _, c := range []struct{ version, match, limit, want string }{
			{"", "", "", now + " b c d e"},
			{"0", "", "2", now + " b c d e"},
			{then, "", "", now + " b c d e"},
			{then, "", "9", then + " a b d e"},
			{then, "Exact", "", then + " a b d e"},
			{then, "NotOlderThan", "9", now + " b c d e"},
			{old, "", "", now + " b c d e"},
			{old, "Exact", "", "410 Expired"},
			{old, "", "9", "410 Expired"},
			{future, "", "", "504 Timeout"},
			{future, "Exact", "", "504 Timeout"},
			{future, "", "9", "504 Timeout"},
			{future, "NotOlderThan", "", "504 Timeout"},
			{"x", "", "", "400 BadRequest"},
			{"", "Exact", "", "422 Invalid"},
			{"0", "Exact", "", "422 Invalid"},
			{"1", "Sometimes", "", "422 Invalid"},
			{"", "", "x", "400 BadRequest"},
		} {
			l := r.list(pods, "resourceVersion", c.version, "resourceVersionMatch", c.match, "limit", c.limit)
			got := l.Metadata.ResourceVersion + " " + l.names()
			if l.Code != 0 {
				got = fmt.Sprint(l.Code, " ", l.Reason)
			}
			if got != c.want {
				t.Errorf("version %q match %q limit %q: %s, want %s (%s)", c.version, c.match, c.limit, got, c.want, l.Message)
			}
		}
		far := r.list(pods, "resourceVersion", future)
		if far.Message != "Timeout: Too large resource version: 99999999, current: 1006" || far.Details.RetryAfterSeconds != 1 || far.Details.Causes[0].Reason != "ResourceVersionTooLarge" {
			t.Errorf("from the future: %+v", far)
		}
	})
}

func TestListTokenMisused(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		five(r)
		token := r.list(pods, "limit", "2").Metadata.Continue
		for _, c := range []struct {
			query []string
			want  string
		}{
			{[]string{"resourceVersionMatch", "Exact", "resourceVersion", "1"}, "422 Invalid"},
			{[]string{"resourceVersion", "80401"}, "400 BadRequest"},
			{[]string{"continue", "nonsense"}, "400 BadRequest"},
			{[]string{"continue", token[:20]}, "400 BadRequest"},
			{[]string{"sendInitialEvents", "true"}, "422 Invalid"},
		} {
			l := r.list(pods, append([]string{"continue", token}, c.query...)...)
			if got := fmt.Sprint(l.Code, " ", l.Reason); got != c.want {
				t.Errorf("%q: %s, want %s", c.query, got, c.want)
			}
		}
	})
}

func TestListShapes(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		bars := Resource{Group: "foo.io", Version: "v1", Plural: "bars", Kind: "Bar", Namespaced: true}
		r.Register(bars)
		if _, text := r.ask("GET", bars.Path("edge"), ""); text != `{"apiVersion":"foo.io/v1","items":[],"kind":"BarList","metadata":{"resourceVersion":"80400"}}`+"\n" {
			t.Errorf("empty list: %s", text)
		}
		r.pod("edge", "a")
		if _, err := r.Create(bars, `{"metadata":{"name":"x","namespace":"edge"}}`); err != nil {
			t.Fatal(err)
		}
		_, typed := r.ask("GET", pods, "")
		if !strings.HasPrefix(typed, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"80402"},"items":[{"metadata":{`) {
			t.Errorf("typed list: %s", typed)
		}
		_, untyped := r.ask("GET", bars.Path(""), "")
		if !strings.HasPrefix(untyped, `{"apiVersion":"foo.io/v1","items":[{"apiVersion":"foo.io/v1","kind":"Bar","metadata":{`) ||
			!strings.HasSuffix(untyped, `],"kind":"BarList","metadata":{"resourceVersion":"80402"}}`+"\n") {
			t.Errorf("untyped list: %s", untyped)
		}
	})
}
