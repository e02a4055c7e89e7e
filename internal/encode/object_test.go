package encode

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

func TestValues(t *testing.T) {
	for _, c := range []struct {
		kind, in string
		want     string // as package decode gives it back; "" means the same
	}{
		{"Pod", `"metadata":{"name":"a","name":"b","unknown":1},"spec":{"containers":null},"status":{}`, `"metadata":{"name":"b"},"spec":{"containers":null},"status":{}`},
		{"Pod", ` "spec" : { "containers" : [ { "name" : "x" , "resources" : { "limits":{"cpu":2,"memory":"1Gi"}}}]}`,
			`"metadata":{},"spec":{"containers":[{"name":"x","resources":{"limits":{"cpu":"2","memory":"1Gi"}}}]},"status":{}`},
		{"Pod", `"kind":"Other","spec":{"containers":[]}`, `"metadata":{},"spec":{"containers":null},"status":{}`},
		{"Service", `"metadata":{},"spec":{"ports":[{"port":80,"targetPort":"web\nü"},{"port":-1,"targetPort":-2147483648}]},"status":{"loadBalancer":{}}`, ""},
		{"ConfigMap", `"metadata":{"creationTimestamp":"2026-01-02T03:04:05.9+01:00"},"binaryData":{"b":null,"a":"AAEC"},"data":{"k":"1","k":"2"}`,
			`"metadata":{"creationTimestamp":"2026-01-02T02:04:05Z"},"data":{"k":"2"},"binaryData":{"a":"AAEC","b":""}`},
		{"Event", `"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":"2026-01-02T03:04:05.123456Z","reportingComponent":"","reportingInstance":""`, ""},
	} {
		head := `{"kind":"` + c.kind + `","apiVersion":"v1",`
		text := head + c.in + "}"
		if strings.Contains(c.in, `"kind"`) {
			text = `{` + c.in + `,"kind":"` + c.kind + `","apiVersion":"v1"}`
		}
		want := head + c.in + "}"
		if c.want != "" {
			want = head + c.want + "}"
		}
		wire, err := Object([]byte("before"), []byte(text))
		if err != nil || !bytes.HasPrefix(wire, []byte("before"+magic)) {
			t.Fatalf("%s: %v, %q", text, err, wire)
		}
		got, err := decode.ToJSON(nil, wire[len("before"):])
		if err != nil || string(got) != want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{`:    "encode: want JSON",
		``:     "encode: want JSON",
		`[]`:   "encode: want an object",
		`{}`:   `encode: no protobuf form of kind "" in ""`,
		`null`: "encode: want an object",
		`{"kind":"Widget","apiVersion":"example.com/v1"}`:                            `encode: no protobuf form of kind "Widget" in "example.com/v1"`,
		`{"kind":"ObjectMeta","apiVersion":"meta.k8s.io/v1"}`:                        `encode: no protobuf form of kind "ObjectMeta" in "meta.k8s.io/v1"`,
		`{"kind":"Pod","apiVersion":"v1","spec":1}`:                                  "encode: spec: want an object",
		`{"kind":"Pod","apiVersion":"v1","spec":{"containers":[{},{"name":7}]}}`:     "encode: spec.containers[1].name: want a string",
		`{"kind":"Pod","apiVersion":"v1","spec":{"containers":{}}}`:                  "encode: spec.containers: want an array",
		`{"kind":"Pod","apiVersion":"v1","spec":{"hostNetwork":"secret"}}`:           "encode: spec.hostNetwork: want true or false",
		`{"kind":"Pod","apiVersion":"v1","spec":{"priority":4294967296}}`:            "encode: spec.priority: want an integer of 32 bits",
		`{"kind":"Pod","apiVersion":"v1","metadata":{"generation":1.5}}`:             "encode: metadata.generation: want an integer of 64 bits",
		`{"kind":"Pod","apiVersion":"v1","metadata":{"labels":{"a/b":1}}}`:           `encode: metadata.labels["a/b"]: want a string`,
		`{"kind":"Pod","apiVersion":"v1","metadata":{"creationTimestamp":"secret"}}`: "encode: metadata.creationTimestamp: want a time as of RFC 3339",
		`{"kind":"Secret","apiVersion":"v1","data":{"k":"%"}}`:                       `encode: data["k"]: want base64`,
		`{"kind":"Secret","apiVersion":"v1","data":[]}`:                              "encode: data: want an object",
		`{"kind":"Service","apiVersion":"v1","spec":{"ports":[{"targetPort":{}}]}}`:  "encode: spec.ports[0].targetPort: want an integer of 32 bits, or a string",
		`{"kind":"Node","apiVersion":"v1","status":{"capacity":{"cpu":true}}}`:       `encode: status.capacity["cpu"]: want a quantity`,
	} {
		got, err := Object([]byte("dst"), []byte(text))
		if err == nil || err.Error() != want || string(got) != "dst" {
			t.Errorf("%s: %v, want %s (%q)", text, err, want, got)
		}
		var unknown *UnknownKindError
		var value *ValueError
		if !errors.As(err, &unknown) && !errors.As(err, &value) {
			t.Errorf("%s: %T", text, err)
		}
	}
	if _, err := Message(nil, "v1", "Nothing", []byte("{}")); err == nil {
		t.Error("a type that there is not")
	}
	if got, err := Message([]byte("dst"), "v1", "Pod", []byte(`{"spec":1}`)); err == nil || string(got) != "dst" {
		t.Errorf("%q, %v", got, err)
	}
	if !Knows("apps/v1", "Deployment") || Knows("example.com/v1", "Widget") || Knows("v1", "PodSpec") {
		t.Error("Knows")
	}
}

// FuzzObject: whatever is valid JSON is encoded or refused, and what is encoded
// can be read by package decode.
func FuzzObject(f *testing.F) {
	f.Add("v1", "Pod", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"b"}]}}`)
	f.Add("v1", "Event", `{"eventTime":"2026-01-02T03:04:05.123456Z"}`)
	f.Add("apiextensions.k8s.io/v1", "CustomResourceDefinition", `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[{}],"additionalProperties":false,"default":{"a":1}}}}]}}`)
	f.Fuzz(func(t *testing.T, apiVersion, kind, text string) {
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &object) != nil || object == nil {
			return
		}
		object["kind"], _ = json.Marshal(kind)
		object["apiVersion"], _ = json.Marshal(apiVersion)
		whole, err := json.Marshal(object)
		if err != nil {
			return
		}
		wire, err := Object(nil, whole)
		if err != nil {
			return
		}
		if _, err := decode.ToJSON(nil, wire); err != nil && !isLimit(err) {
			t.Errorf("%v\n%s\n%q", err, whole, wire)
		}
	})
}

func isLimit(err error) bool {
	var limit *decode.LimitError
	return errors.As(err, &limit)
}
