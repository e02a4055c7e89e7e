package watchtest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/internal/encode"
)

// wholePod has every sort of value.
const wholePod = `{"metadata":{"namespace":"edge","name":"%s","labels":{"b":"ü\n","a":""},"finalizers":["x/y"]},` +
	`"spec":{"containers":[{"name":"m","image":"i","resources":{"limits":{"memory":"1Gi","cpu":"250m"}},` +
	`"livenessProbe":{"httpGet":{"port":"web"},"periodSeconds":3}}],"nodeName":"n","priority":-7,"hostNetwork":true},` +
	`"status":{"phase":"Running","podIP":"10.0.0.1","startTime":"2026-01-02T03:04:05Z","conditions":[{"type":"Ready","status":"True"}]}}`

// TestSameInBoth: what is read in protobuf is what is read in JSON.
func TestSameInBoth(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		for _, name := range []string{"a", "b", "c"} {
			if _, err := r.Create(Pods, fmt.Sprintf(wholePod, name)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Create(Secrets, `{"metadata":{"namespace":"edge","name":"s"},"type":"Opaque","data":{"k":"AAEC","empty":""}}`); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ path, as string }{
			{pods, ""}, {pods + "?limit=2", ""}, {pods + "/nobody", ""}, {pods + "?resourceVersion=99999999", ""},
			{pods, "PartialObjectMetadataList"}, {pods + "?limit=1", "PartialObjectMetadataList"},
			{"/api/v1/namespaces/edge/pods/a", ""}, {"/api/v1/namespaces/edge/pods/a", "PartialObjectMetadata"},
			{"/api/v1/namespaces/edge/secrets", ""}, {"/api/v1/nodes", ""}, {"/apis/apps/v1/deployments", ""},
		} {
			as := ""
			if c.as != "" {
				as = ";g=meta.k8s.io;v=v1;as=" + c.as
			}
			texts := readAnswer(t, r.do(t.Context(), "GET", c.path, "", "Accept", typeJSON+as))
			wires := readAnswer(t, r.do(t.Context(), "GET", c.path, "", "Accept", typeProtobuf+as))
			if wires.encoding != "protobuf" || texts.encoding != "json" || texts.code != wires.code {
				t.Fatal(c.path, wires.encoding, texts.encoding)
			}
			if got, want := canonical(t, wires.json), canonical(t, texts.json); got != want {
				t.Errorf("%s %s\n%s\nwant\n%s", c.path, c.as, got, want)
			}
		}
	})
}

// canonical sorts the names, and drops what only one of the encodings says:
// empty values, and the kind of items in a list of metadata.
func canonical(t *testing.T, text string) string {
	t.Helper()
	if strings.Contains(text, "PartialObjectMetadataList") {
		text = strings.ReplaceAll(text, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`, "{")
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, err := json.Marshal(full(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// full drops what is empty.
func full(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			m, isMap := full(value).(map[string]any)
			s, isList := value.([]any)
			if value == nil || isMap && len(m) == 0 || isList && len(s) == 0 {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = full(v[i])
		}
	}
	return v
}

// TestProtobufStream looks at the bytes of a watch.
func TestProtobufStream(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		for as, kind := range map[string]string{"": "Pod", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1": "PartialObjectMetadata"} {
			resp := r.do(t.Context(), "GET", pods+"?watch=1&allowWatchBookmarks=1&timeoutSeconds=1", "", "Accept", typeProtobuf+as)
			b, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.Header.Get("Content-Type") != "application/vnd.kubernetes.protobuf;stream=watch" {
				t.Fatal(err, resp.Header)
			}
			types := ""
			for len(b) > 0 {
				end := 4 + binary.BigEndian.Uint32(b)
				object := b[bytes.Index(b, []byte("k8s\x00")):end]
				text, err := decode.ToJSON(nil, object)
				if err != nil || !strings.HasPrefix(string(text), `{"kind":"`+kind+`"`) {
					t.Errorf("%v: %s", err, text)
				}
				eventType := string(b[6 : 6+b[5]])
				types += " " + eventType
				if !bytes.Equal(b[:end], encode.Frame(nil, eventType, object)) {
					t.Errorf("frame %q", b[:end])
				}
				b = b[end:]
			}
			if types != " ADDED BOOKMARK" {
				t.Error(types)
			}
		}
	})
}

// TestListOfMetadataWatched: the API server finds out too late that events are
// no lists.
func TestListOfMetadataWatched(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		w := r.watch(pods, "", "Accept", partialList)
		w.end()
	})
}

// TestFramesInProtobuf: frames are given in JSON, whatever the watch speaks.
func TestFramesInProtobuf(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.accept = typeProtobuf
		w := r.watch(pods, "&resourceVersion=80400")
		if err := r.AwaitWatches(t.Context(), Selector{}, 1); err != nil {
			t.Fatal(err)
		}
		send := func(frame string) { r.SendFrame(Selector{}, []byte(frame)) }
		send(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}}}` + "\n")
		w.want("MODIFIED x")
		send(string(ErrorFrame(TooOld(1, 2))))
		w.want("ERROR 410")
		send(`{"type":"ADDED","object":{"metadata":{"name":"y"}}}`)
		message, err := encode.Message(nil, "v1", "Pod", []byte(`{"metadata":{"name":"y"}}`))
		if err != nil {
			t.Fatal(err)
		}
		want := encode.Frame(nil, "ADDED", encode.Wrap(nil, "", "", message))
		if got, err := w.bytes(len(want)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("without a kind: %v %q", err, got)
		}
		for _, odd := range []string{`{"type":"ADDED"`, `{"type":"ADDED","object":{"kind":"Gateway","apiVersion":"edge.example.com/v1"}}`, `{"type":"ADDED","object":{"metadata":7}}`, "\x00\x00\x00\x01a"} {
			send(odd)
			if got, err := w.bytes(len(odd)); string(got) != odd || err != nil {
				t.Errorf("%v: %q, want %q", err, got, odd)
			}
		}
		w.close()
	})
}

func TestFaultStatus(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.Inject(Fault{Count: 2, Status: TooManyRequests(7)})
		for _, path := range []string{pods, pods + "?watch=1"} {
			resp := r.do(t.Context(), "GET", path, "")
			if resp.Header.Get("Retry-After") != "7" {
				t.Error(resp.Header)
			}
			a := readAnswer(t, resp)
			if a.code != 429 || a.kind != "Status" || !strings.HasPrefix(r.accept, resp.Header.Get("Content-Type")) {
				t.Errorf("%s: %s %s", path, a, a.json)
			}
		}
	})
}

// TestNoProtobufForm: what a kube-apiserver would not have stored.
func TestNoProtobufForm(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a", `,"spec":"secret"`)
		r.accept = typeProtobuf
		for _, path := range []string{pods, "/api/v1/namespaces/edge/pods/a"} {
			code, text := r.ask("GET", path, "")
			if code != 500 || !strings.Contains(text, `pods \"edge/a\" has no protobuf form: encode: spec: want an object`) || strings.Contains(text, "secret") {
				t.Errorf("%d %s", code, text)
			}
		}
		w := r.watch(pods, "")
		w.want("ERROR 500")
		w.close()
	})
}
