package watchtest

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
)

const (
	partialList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	partial     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	protobuf    = "application/vnd.kubernetes.protobuf"
)

func TestAccept(t *testing.T) {
	for _, c := range []struct {
		mode         MetadataOnlyMode
		list, accept string
		want         string
	}{
		{MetadataOnlyOn, "list", "", "PodList"},
		{MetadataOnlyOn, "list", "*/*", "PodList"},
		{MetadataOnlyOn, "list", "application/*", "PodList"},
		{MetadataOnlyOn, "list", protobuf + ", application/json", "PodList"},
		{MetadataOnlyOn, "list", protobuf, "406"},
		{MetadataOnlyOn, "list", "text/html", "406"},
		{MetadataOnlyOn, "list", "application/json;q=0", "406"},
		{MetadataOnlyOn, "list", partialList, "PartialObjectMetadataList"},
		{MetadataOnlyOn, "list", protobuf + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," + partialList + ",application/json", "PartialObjectMetadataList"},
		{MetadataOnlyOn, "list", "application/json," + partialList, "PodList"},
		{MetadataOnlyOn, "list", "application/json;q=0.5," + partialList, "PartialObjectMetadataList"},
		{MetadataOnlyOn, "list", partial, "406"},
		{MetadataOnlyOn, "list", "application/json;as=Table;g=meta.k8s.io;v=v1", "406"},
		{MetadataOnlyOn, "list", "application/json;as=Table;g=meta.k8s.io;v=v1,application/json", "PodList"},
		{MetadataOnlyOn, "one", partial, "PartialObjectMetadata"},
		{MetadataOnlyOn, "one", partialList, "406"},
		{MetadataOnlyOff, "list", partialList, "406"},
		{MetadataOnlyOff, "list", partialList + ",application/json", "PodList"},
		{MetadataOnlyIgnored, "list", partialList, "PodList"},
		{MetadataOnlyIgnored, "one", partial, "Pod"},
	} {
		bubble(t, Options{MetadataOnly: c.mode}, func(t *testing.T, r *rig) {
			r.pod("edge", "a", `,"spec":{"x":1}`)
			path := pods
			if c.list == "one" {
				path = "/api/v1/namespaces/edge/pods/a"
			}
			code, text := r.ask("GET", path, "", "Accept", c.accept)
			got := fmt.Sprint(code)
			if code == 200 {
				_, got, _ = strings.Cut(text, `"kind":"`)
				got, _, _ = strings.Cut(got, `"`)
			}
			if got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.list, c.accept, text, c.want)
			}
			if strings.HasPrefix(c.want, "Partial") == strings.Contains(text, "spec") && code == 200 {
				t.Errorf("%s: content: %s", c.accept, text)
			}
			if code == 406 && strings.Count(text, "\n") < 5 {
				t.Errorf("not over several lines: %s", text)
			}
		})
	}
}

func TestMetadataOnlyWatch(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		o := r.pod("edge", "a", `,"spec":{"x":1}`)
		w := r.watch(pods, "&allowWatchBookmarks=true", "Accept", partial)
		r.Patch(Pods, "edge", "a", `{"spec":{"x":2}}`)
		r.Delete(Pods, "edge", "a")
		for _, want := range []string{"ADDED a", "BOOKMARK", "MODIFIED a", "DELETED a"} {
			f := w.next()
			if f.String() != want || f.Object.Kind != "PartialObjectMetadata" || f.Object.APIVersion != "meta.k8s.io/v1" || strings.Contains(f.raw, "spec") {
				t.Errorf("%s", f.raw)
			}
			if want != "BOOKMARK" && f.Object.Metadata.UID != o.UID {
				t.Errorf("uid: %s", f.raw)
			}
		}
		w.close()
	})
}

// unzip reads gzip members one by one; each must be complete.
func unzip(t *testing.T, r io.Reader) []string {
	t.Helper()
	in := bufio.NewReader(r)
	var all []string
	for {
		if _, err := in.Peek(1); err == io.EOF {
			return all
		}
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
}

func TestGzipList(t *testing.T) {
	bubble(t, Options{GzipThreshold: 1000}, func(t *testing.T, r *rig) {
		for i := range 9 {
			r.pod("edge", fmt.Sprint("p", i))
		}
		_, plain := r.ask("GET", pods, "")
		for query, zipped := range map[string]bool{"": true, "?limit=1": false} {
			resp := r.do(t.Context(), "GET", pods+query, "", "Accept-Encoding", "gzip")
			if got := resp.Header.Get("Content-Encoding") == "gzip"; got != zipped {
				t.Errorf("%q: compressed: %v", query, got)
			}
			if members := 0; zipped {
				for _, text := range unzip(t, resp.Body) {
					if members++; text != plain || members > 1 {
						t.Errorf("%q: member %d: %s", query, members, text)
					}
				}
			}
			resp.Body.Close()
		}
	})
}

func TestGzipInitialEvents(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		w := r.watch(pods, "&allowWatchBookmarks=true&timeoutSeconds=1", "Accept-Encoding", "deflate, gzip;q=1.0")
		if w.resp.Header.Get("Content-Encoding") != "gzip" {
			t.Fatal("plain")
		}
		r.pass(1) // the initial events are out
		r.pod("edge", "b")
		members := unzip(t, w.resp.Body)
		if len(members) != 2 || strings.Count(members[0], "\n") != 2 || strings.Count(members[1], "\n") != 1 {
			t.Errorf("members: %q", members)
		}
		w.close()
		for _, query := range []string{"&resourceVersion=80401&allowWatchBookmarks=true", "&resourceVersion=0"} {
			w = r.watch(pods, query, "Accept-Encoding", "gzip")
			if w.resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is compressed", query)
			}
			w.close()
		}
	})
}
