package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/discovery"
)

// expiringPages makes the continue token of the first list's second page
// expire: before that request is sent, something changes and etcd forgets
// what was before.
func expiringPages(t *testing.T, c *realapi.Cluster) *spy {
	var once sync.Once
	return &spy{change: func(r *http.Request) {
		if r.URL.Query().Get("continue") == "" {
			return
		}
		once.Do(func() {
			if _, err := c.Direct().Do(r.Context(), "PATCH", inDefault+"/page-0", encode(object{"data": object{"changed": t.Name()}})); err != nil {
				t.Error(err)
			}
			if _, err := c.Compact(r.Context()); err != nil {
				t.Error(err)
			}
		})
	}}
}

// pages starts a server whose lists come from etcd, with 30 objects.
func pages(t *testing.T) *realapi.Cluster {
	c := realapi.Start(t, realapi.Options{Flags: []string{"--watch-cache=false"}})
	for i := range 30 {
		mustWrite(t, c.Direct(), "POST", inDefault, named(fmt.Sprintf("page-%d", i), nil))
	}
	return c
}

// A list that takes longer than the server's history lasts: List says so,
// ListWatch begins again, and delivers no object twice.
func TestPagesExpire(t *testing.T) {
	c := pages(t)
	query := rawwatch.ConfigMaps.InNamespace("default")
	t.Run("List", func(t *testing.T) {
		client := newClient(t, c.Config(), rawwatch.ClientOptions{WrapTransport: expiringPages(t, c).wrap})
		var end error
		delivered := int64(0)
		for _, err := range client.List(t.Context(), query, rawwatch.ListOptions{PageLimit: 10}) {
			if end = err; err == nil {
				delivered++
			}
		}
		var expired *rawwatch.ListExpiredError
		var status *decode.StatusError
		if !errors.As(end, &expired) || expired.Delivered != delivered || delivered != 10 {
			t.Errorf("after %d objects: %v", delivered, end)
		}
		if !errors.As(end, &status) || !status.IsExpired() {
			t.Errorf("the server's own word is lost: %v", end)
		}
	})
	t.Run("ListWatch", func(t *testing.T) {
		client := newClient(t, c.Config(), rawwatch.ClientOptions{WrapTransport: expiringPages(t, c).wrap})
		f := follow(t, client, query, rawwatch.ListWatchOptions{ListFirst: true, PageLimit: 10})
		f.untilSynced(t, 1)
		f.untilEqual(t, listed(c, query))
		if n := f.reflector.Status().Lists; n < 2 {
			t.Errorf("%d lists were begun: no token expired, the test proves nothing", n)
		}
	})
}

// A whole list, page by page, is the server's own, with kind and apiVersion
// filled in; and names as users type them are found by the server's own
// discovery.
func TestReads(t *testing.T) {
	c := realapi.Start(t, realapi.Options{})
	installWidgets(t, c.Direct())
	client := newClient(t, c.Config(), rawwatch.ClientOptions{})
	t.Run("List", func(t *testing.T) { listEqualsTheServers(t, c, client) })
	t.Run("Find", func(t *testing.T) { findResources(t, client) })
}

func listEqualsTheServers(t *testing.T, c *realapi.Cluster, client *rawwatch.Client) {
	for i := range 25 {
		for _, k := range kinds {
			mustWrite(t, c.Direct(), "POST", collection(k.resource, "default"), named(fmt.Sprintf("o-%d", i),
				object{"apiVersion": apiVersion(k), "kind": k.resource.Kind}))
		}
	}
	for _, k := range kinds {
		for _, limit := range []int64{0, 1, 7, -1} {
			got, listedPages := State{}, 0
			options := rawwatch.ListOptions{PageLimit: limit, OnPage: func(decode.ListMeta) { listedPages++ }}
			for o, err := range client.List(t.Context(), k.resource.Query(), options) {
				if err != nil {
					t.Fatal(err)
				}
				line, err := o.JSON()
				if err != nil {
					t.Fatal(err)
				}
				text, err := Canonical(line)
				if err != nil {
					t.Fatal(err)
				}
				got[o.Key().String()] = text
			}
			want, err := serverState(t.Context(), c.Direct(), k.resource.Query())
			if err != nil {
				t.Fatal(err)
			}
			if d := Diff(want, got); d != "" {
				t.Errorf("%s in pages of %d: %s", k.resource.Name, limit, d)
			}
			if limit == 1 && listedPages != len(want) {
				t.Errorf("%d pages of one object for %d objects", listedPages, len(want))
			}
		}
	}
}

func findResources(t *testing.T, client *rawwatch.Client) {
	for name, want := range map[string]rawwatch.Resource{
		"pods": rawwatch.Pods, "po": rawwatch.Pods, "pod": rawwatch.Pods, "no": rawwatch.Nodes, "cm": rawwatch.ConfigMaps,
		"deployments.apps": rawwatch.Deployments, "deployments.v1.apps": rawwatch.Deployments, "deploy": rawwatch.Deployments,
		"widgets": widgets, "wd": widgets, "widgets." + widgets.Group: widgets,
	} {
		got, err := discovery.Find(t.Context(), client, name)
		if err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, err, want)
		}
	}
	if _, err := discovery.Find(t.Context(), client, "no-such-things"); err == nil {
		t.Error("a resource that nobody serves was found")
	}
}
