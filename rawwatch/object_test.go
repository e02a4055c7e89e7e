package rawwatch

import (
	"encoding/json"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

func TestObjectAppendJSON(t *testing.T) {
	identity := decode.Identity{Namespace: "n", Name: "a", UID: "u", ResourceVersion: "7"}
	for _, c := range []struct{ name, raw, want string }{
		{"complete", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`},
		{"list item", `{"metadata":{"name":"a"}}`, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`},
		{"empty object", `{}`, `{"kind":"Pod","apiVersion":"v1"}`},
		{"pretty-printed", "{\n  \"metadata\": {\r\n\"name\": \"a\"}}", `{"kind":"Pod","apiVersion":"v1","metadata": {  "name": "a"}}`},
		{"kind deep inside only", `{"spec":{"kind":"x"},"metadata":{}}`, `{"kind":"Pod","apiVersion":"v1","spec":{"kind":"x"},"metadata":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Object{Identity: identity, Kind: "Pod", APIVersion: "v1", Raw: []byte(c.raw)}
			line, err := o.AppendJSON([]byte("> "))
			if err != nil {
				t.Fatal(err)
			}
			got := string(line)
			if got != "> "+c.want {
				t.Errorf("got  %s\nwant > %s", got, c.want)
			}
			if string(o.Raw) != c.raw {
				t.Errorf("the borrowed bytes were changed to %s", o.Raw)
			}
		})
	}
}

func TestStubIsAnObjectOfItsIdentity(t *testing.T) {
	o := Object{Identity: decode.Identity{Namespace: "n", Name: `a"b`, UID: "u", ResourceVersion: "7"}, Kind: "Pod", APIVersion: "v1"}
	if !o.IsStub() {
		t.Fatal("an object without bytes is a stub")
	}
	var back struct {
		Kind, APIVersion string
		Metadata         decode.Identity
	}
	text, err := o.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back.Metadata != o.Identity || back.Kind != "Pod" || back.APIVersion != "v1" {
		t.Errorf("got %+v", back)
	}
}

func TestCloneOwnsItsBytes(t *testing.T) {
	borrowed := []byte(`{"a":1}`)
	kept := Object{Raw: borrowed}.Clone()
	borrowed[2] = 'x'
	if string(kept.Raw) != `{"a":1}` {
		t.Errorf("the clone changed with the buffer: %s", kept.Raw)
	}
	if (Object{}).Clone().Raw != nil {
		t.Error("the clone of a stub has bytes")
	}
}
