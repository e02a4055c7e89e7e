package watchtest

import (
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzMergePatch holds the patch of raw members against RFC 7396's own
// pseudocode on decoded values.
func FuzzMergePatch(f *testing.F) {
	f.Add(`{"a":{"b":1,"c":[1,2]},"d":"x"}`, `{"a":{"b":null,"e":{"f":null}},"d":{"g":1}}`)
	f.Add(`{"a":1}`, `{}`)
	f.Add(`{"a":" \"\\ "}`, ` { "a" : [ { "b" : null } ] } `)
	f.Fuzz(func(t *testing.T, have, patch string) {
		target, err := parseMembers([]byte(have))
		if err != nil {
			return
		}
		p, err := parseMembers([]byte(patch))
		if err != nil {
			return
		}
		result, err := mergeInto(target, p)
		if err != nil {
			t.Fatalf("valid JSON, but: %v", err)
		}
		text := result.append(make([]byte, 0, result.size()))
		var got, before, change any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if json.Unmarshal([]byte(have), &before) != nil || json.Unmarshal([]byte(patch), &change) != nil {
			return // such as a number that no float64 holds
		}
		if want := rfc7396(before, change); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s patched by %s: %s, want %v", have, patch, text, want)
		}
	})
}

func rfc7396(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = map[string]any{}
	}
	for name, value := range p {
		if value == nil {
			delete(t, name)
		} else {
			t[name] = rfc7396(t[name], value)
		}
	}
	return t
}

// FuzzSelectors: selectors parse or fail; none panics, here or in use.
func FuzzSelectors(f *testing.F) {
	for _, s := range []string{"a=b,c!=d", `spec.nodeName=a\,b`, "((", "!"} {
		f.Add(s)
	}
	o := build(&Pods, members{{"name", quoted("a")}}, members{{"spec", []byte(`{"nodeName":"n"}`)}}, 1, map[string]string{"a": "b"})
	f.Fuzz(func(t *testing.T, text string) {
		if sel, err := parseFieldSelector(text, &Pods); err == nil {
			sel.matches(o)
		}
		soleName(text)
	})
}

// FuzzJSONPatch: a patch applies or is refused, whatever it says.
func FuzzJSONPatch(f *testing.F) {
	f.Add(`[{"op":"add","path":"/a/-","value":1},{"op":"move","from":"/a/0","path":"/b"}]`)
	f.Add(`[{"op":"remove","path":""},{"op":"copy","from":"","path":"/spec/x"}]`)
	f.Fuzz(func(t *testing.T, patch string) {
		meta := members{{"name", quoted("a")}}
		rest := members{{"a", []byte(`[1,{"b":2}]`)}, {"spec", []byte(`{}`)}}
		d, refusal := jsonPatch([]byte(patch))(meta, rest)
		if refusal == nil && !json.Valid(d.rest.append(make([]byte, 0, d.rest.size()))) {
			t.Fatalf("%s leaves invalid JSON", patch)
		}
	})
}
