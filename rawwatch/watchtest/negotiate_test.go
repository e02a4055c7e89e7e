package watchtest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

const (
	partialList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	partial     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	protobuf    = "application/vnd.kubernetes.protobuf"
)

// TestAccept: each line was seen on v1.37; bench/negotiation compares more of
// them with the real server.
func TestAccept(t *testing.T) {
	const meta = ";g=meta.k8s.io;v=v1"
	const json = "application/json"
	for _, c := range []struct {
		what, accept string
		want         string // code, or content type and kind
	}{
		{"list", "", "json PodList"},
		{"list", "*/*", "json PodList"},
		{"list", "application/*", "406 one line"},
		{"list", "text/html", "406"},
		{"list", "APPLICATION/JSON", "406"},
		{"list", json + ";q=0", "json PodList"},
		{"list", protobuf + ", " + json, "protobuf PodList"},
		{"list", protobuf + ";q=0.5," + json, "json PodList"},
		{"list", "*/*," + protobuf, "protobuf PodList"},
		{"list", "application/*," + protobuf, "protobuf PodList"},
		{"list", "text/html;q=1," + protobuf + ";q=0.1", "protobuf PodList"},
		{"list", protobuf + ";stream=watch", "protobuf PodList"},
		{"list", protobuf + ";stream=other", "406"},
		{"list", partialList, "json PartialObjectMetadataList"},
		{"list", protobuf + ";as=PartialObjectMetadataList" + meta + "," + partialList + "," + json, "protobuf PartialObjectMetadataList"},
		{"list", json + "," + partialList, "json PodList"},
		{"list", json + ";q=0.5," + partialList, "json PartialObjectMetadataList"},
		{"list", partial, "406"},
		{"list", partial + "," + partialList, "406"},
		{"list", partial + "," + json, "406 one line"},
		{"list", partial + "," + protobuf, "406 protobuf"},
		{"list", json + ";as=Nothing" + meta, "406"},
		{"list", json + ";as=Nothing" + meta + "," + json, "json PodList"},
		{"list", protobuf + ";as=Table" + meta, "406"},
		{"list", protobuf + ";as=Table" + meta + "," + protobuf, "protobuf PodList"},
		{"list", protobuf + ";as=Table" + meta + "," + json + ";as=Table" + meta + "," + json, "json Table"},
		{"one", json + ";as=Table" + meta, "json Table"},
		{"custom", json + ";as=Table" + meta, "json Table"},
		{"none", json + ";as=Table" + meta, "404"},
		{"list", json + ";v=v1", "406"},
		{"one", partial, "json PartialObjectMetadata"},
		{"one", "*/*;as=PartialObjectMetadata" + meta, "json PartialObjectMetadata"},
		{"one", json + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1", "json PartialObjectMetadata"},
		{"one", json + ";as=PartialObjectMetadata;g=other;v=v1", "406"},
		{"one", protobuf, "protobuf Pod"},
		{"one", protobuf + ";as=PartialObjectMetadata" + meta, "protobuf PartialObjectMetadata"},
		{"one", partialList, "406"},
		{"none", protobuf, "404 protobuf"},
		{"none", protobuf + ";as=PartialObjectMetadata" + meta, "404"},
		{"none", json, "404 one line"},
		{"custom", protobuf, "406 protobuf"},
		{"custom", protobuf + "," + json, "json Gateway"},
		{"custom", "application/*", "json Gateway"},
		{"custom", "text/html", "406"},
		{"custom", partialList, "500"},
		{"custom", protobuf + ";as=PartialObjectMetadata" + meta + "," + json, "protobuf PartialObjectMetadata"},
		{"jsononly", protobuf, "406 protobuf"},
		{"jsononly", protobuf + "," + json, "json Lease"},
	} {
		t.Run(c.what+" "+c.accept, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, r *rig) {
				if answer := r.get(c.what, c.accept); answer.String() != c.want {
					t.Errorf("%s, want %s\n%s", answer, c.want, answer.json)
				}
			})
		})
	}
}

// answer is one as a test looks at it.
type answer struct {
	code     int
	encoding string
	kind     string
	json     string // translated, when it came in protobuf
}

func (a answer) String() string {
	switch {
	case a.code == 200:
		return a.encoding + " " + a.kind
	case a.encoding == "protobuf":
		return fmt.Sprint(a.code, " protobuf")
	case strings.Count(a.json, "\n") == 1:
		return fmt.Sprint(a.code, " one line")
	}
	return fmt.Sprint(a.code)
}

var (
	gateways = Resource{Group: "edge.example.com", Version: "v1", Plural: "gateways", Kind: "Gateway", Namespaced: true}
	leases   = Resource{Group: "coordination.k8s.io", Version: "v1", Plural: "leases", Kind: "Lease", Namespaced: true, JSONOnly: true}
)

// get asks for a pod, for all, for one that is not there, or for an object
// without a protobuf form.
func (r *rig) get(what, accept string) answer {
	r.t.Helper()
	path := pods
	switch what {
	case "one", "none":
		path = "/api/v1/namespaces/edge/pods/" + what
		r.pod("edge", "one", `,"spec":{"nodeName":"x"}`)
	case "list":
		r.pod("edge", "one", `,"spec":{"nodeName":"x"}`)
	default:
		res := map[string]Resource{"custom": gateways, "jsononly": leases}[what]
		r.Register(res)
		if _, err := r.Create(res, `{"metadata":{"namespace":"edge","name":"one"},"spec":{"x":1}}`); err != nil {
			r.t.Fatal(err)
		}
		path = res.Path("edge") + "/one"
	}
	var header []string
	if accept != "" {
		header = []string{"Accept", accept}
	}
	return readAnswer(r.t, r.do(r.t.Context(), "GET", path, "", header...))
}

// readAnswer reads an answer in either encoding; what the body is must agree
// with what its header says.
func readAnswer(t *testing.T, resp *http.Response) answer {
	t.Helper()
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{code: resp.StatusCode, encoding: "json", json: string(raw)}
	if resp.Header.Get("Content-Type") == protobuf {
		text, err := decode.ToJSON(nil, raw)
		if err != nil || !strings.HasPrefix(string(raw), "k8s\x00") {
			t.Fatalf("%v\n%q", err, raw)
		}
		a.encoding, a.json = "protobuf", string(text)
	} else if resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("Content-Type %q: %q", resp.Header.Get("Content-Type"), raw)
	}
	var object struct{ Kind string }
	if err := json.Unmarshal([]byte(a.json), &object); err != nil {
		t.Fatalf("%v\n%s", err, a.json)
	}
	a.kind = object.Kind
	return a
}

func TestEncodingModes(t *testing.T) {
	const both = protobuf + ",application/json"
	for _, c := range []struct {
		options      Options
		what, accept string
		want         string
	}{
		{Options{MetadataOnly: MetadataOnlyOff}, "list", partialList, "406"},
		{Options{MetadataOnly: MetadataOnlyOff}, "list", partialList + ",application/json", "json PodList"},
		{Options{MetadataOnly: MetadataOnlyIgnored}, "list", partialList, "json PodList"},
		{Options{MetadataOnly: MetadataOnlyIgnored}, "one", partial, "json Pod"},
		{Options{Protobuf: ProtobufOff}, "list", protobuf, "406"},
		{Options{Protobuf: ProtobufOff}, "list", both, "json PodList"},
		{Options{Protobuf: ProtobufOff}, "none", both, "404 one line"},
		{Options{Protobuf: ProtobufUnsupported}, "list", both, "415 one line"},
		{Options{Protobuf: ProtobufUnsupported}, "one", protobuf, "415"},
		{Options{Protobuf: ProtobufUnsupported}, "one", "application/json", "json Pod"},
		{Options{Protobuf: ProtobufIgnored}, "list", protobuf, "json PodList"},
		{Options{Protobuf: ProtobufIgnored}, "none", protobuf, "404 one line"},
	} {
		t.Run(fmt.Sprint(c.options.MetadataOnly, c.options.Protobuf, c.what, c.accept), func(t *testing.T) {
			bubble(t, c.options, func(t *testing.T, r *rig) {
				if answer := r.get(c.what, c.accept); answer.String() != c.want {
					t.Errorf("%s, want %s\n%s", answer, c.want, answer.json)
				}
			})
		})
	}
	bubble(t, Options{Protobuf: ProtobufMislabelled}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		for _, path := range []string{pods, pods + "?watch=1&timeoutSeconds=1", pods + "/zz"} {
			resp := r.do(t.Context(), "GET", path, "", "Accept", protobuf)
			raw, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.Header.Get("Content-Type") != "application/json" || !strings.Contains(string(raw), "k8s\x00") {
				t.Errorf("%s: %v, %v: %q", path, err, resp.Header, raw)
			}
		}
	})
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

// TestGzipProtobuf: lists are one member, initial streams one for each flush.
func TestGzipProtobuf(t *testing.T) {
	bubble(t, Options{GzipThreshold: 1000}, func(t *testing.T, r *rig) {
		for i := range 9 {
			r.pod("edge", fmt.Sprint("p", i))
		}
		for query, want := range map[string]string{"": "k8s\x00", "?watch=1&allowWatchBookmarks=1&timeoutSeconds=2": "\x00\x00"} {
			var plain, zipped []string
			for _, accept := range []string{"identity", "gzip"} {
				resp := r.do(t.Context(), "GET", pods+query, "", "Accept", protobuf, "Accept-Encoding", accept)
				if accept == "identity" {
					raw, err := io.ReadAll(resp.Body)
					if err != nil {
						t.Fatal(err)
					}
					plain = append(plain, string(raw))
				} else if zipped = unzip(t, resp.Body); resp.Header.Get("Content-Encoding") != "gzip" {
					t.Errorf("%s: %v", query, resp.Header)
				}
				resp.Body.Close()
			}
			if got := strings.Join(zipped, ""); got != plain[0] || !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q", query, zipped, plain)
			}
		}
	})
}

// TestGzipInitialEventsAtOnce: whoever decompresses as net/http does has the
// mark that ends the initial events at once, and does not wait for what follows.
func TestGzipInitialEventsAtOnce(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		w := r.watch(pods, "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "Accept-Encoding", "gzip")
		defer w.close()
		z, err := gzip.NewReader(w.in) // of many members
		if err != nil {
			t.Fatal(err)
		}
		w.in = bufio.NewReader(z)
		begun := time.Now()
		for w.next().Object.Metadata.Annotations["k8s.io/initial-events-end"] == "" {
		}
		if waited := time.Since(begun); waited > 0 {
			t.Errorf("%v", waited)
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
