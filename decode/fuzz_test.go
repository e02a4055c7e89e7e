package decode

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// members decodes an object so that the last of equal names wins as a whole.
type members = map[string]json.RawMessage

// sloppy is how encoding/json sees text: each byte that is not UTF-8 becomes
// U+FFFD.
func sloppy(b []byte) string { return string([]rune(string(b))) }

// reference is what of an object is right, according to encoding/json. good
// says that all members have the right types.
func reference(object []byte) (id Identity, version, kind string, end, good bool) {
	good = true
	text := func(m members, name string) (s string) {
		if raw, ok := m[name]; ok && json.Unmarshal(raw, &s) != nil {
			good = false
			return ""
		}
		return s
	}
	sub := func(m members, name string) (sub members) {
		if raw, ok := m[name]; ok && json.Unmarshal(raw, &sub) != nil {
			good = false
			return nil
		}
		return sub
	}
	var top members
	if json.Unmarshal(object, &top) != nil || top == nil {
		return id, "", "", false, false
	}
	version, kind = text(top, "apiVersion"), text(top, "kind")
	meta := sub(top, "metadata")
	id = Identity{text(meta, "namespace"), text(meta, "name"), text(meta, "uid"), text(meta, "resourceVersion")}
	var mark any
	if raw, ok := sub(meta, "annotations")[InitialEventsEnd]; ok && json.Unmarshal(raw, &mark) != nil {
		good = false
	}
	return id, version, kind, mark == "true", good
}

// compareMeta holds m and err, found in object, against encoding/json.
func compareMeta(t *testing.T, object []byte, m *Meta, err error) {
	t.Helper()
	id, version, kind, end, good := reference(object)
	got := Identity{sloppy(m.Namespace), sloppy(m.Name), sloppy(m.UID), sloppy(m.ResourceVersion)}
	if got != id || sloppy(m.APIVersion) != version || sloppy(m.Kind) != kind || m.InitialEventsEnd != end || (err == nil) != good {
		t.Fatalf("%q:\ngot %s %v\nwant %+v %s %s %v %v", object, metaLine(m), err, id, version, kind, end, good)
	}
}

func FuzzMeta(f *testing.F) {
	for _, c := range watchCases {
		for _, line := range c.want {
			if i := strings.IndexByte(line, '{'); i >= 0 {
				f.Add([]byte(line[i:]))
			}
		}
	}
	for _, text := range grammarSeeds {
		f.Add([]byte(text))
		f.Add([]byte(`{"metadata":{"annotations":{"a":` + text + `},"name":` + text + `}}`))
	}
	f.Add(podJSON(1))
	f.Fuzz(func(t *testing.T, object []byte) {
		var m Meta
		err := ScanMeta(object, &m)
		if !json.Valid(object) {
			if err == nil || metaLine(&m) != "" {
				t.Fatalf("%q: %s %v", object, metaLine(&m), err)
			}
			return
		}
		compareMeta(t, object, &m, err)
	})
}

func FuzzFrames(f *testing.F) {
	for _, c := range watchCases {
		f.Add([]byte(c.body), uint16(0), uint8(0))
		f.Add([]byte(c.body), uint16(50), uint8(3))
	}
	f.Add(watchBody(2), uint16(7000), uint8(200))
	f.Fuzz(func(t *testing.T, body []byte, limit uint16, depth uint8) {
		o := Options{FrameLimit: int(limit), Depth: int(depth), Poison: true}
		lines := watchTranscript(bytes.NewReader(body), o)
		slow := watchTranscript(iotest.OneByteReader(bytes.NewReader(body)), o)
		if joined(lines) != joined(slow) {
			t.Fatalf("%q:\n%sbyte by byte:\n%s", body, joined(lines), joined(slow))
		}
		compareFrames(t, body)
	})
}

// compareFrames holds the frames of body against what encoding/json makes of
// it, as far as that are frames.
func compareFrames(t *testing.T, body []byte) {
	e := NewEventReader(bytes.NewReader(body), Options{})
	defer e.Close()
	values, complete := splitReference(body)
	for _, v := range values {
		var frame members
		var typ any
		isObject := json.Unmarshal([]byte(v), &frame) == nil && frame != nil
		_ = json.Unmarshal(frame["type"], &typ)
		want, isFrame := typ.(string)
		ev, err := e.Next()
		if !isObject || !isFrame {
			if err == nil && ev.Status == nil {
				t.Fatalf("%q is a frame: %s", v, eventLine(ev))
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", v, err)
		}
		if sloppy([]byte(ev.Type)) != want || string(ev.Object) != string(frame["object"]) || e.Offset() < int64(len(v)) {
			t.Fatalf("%q: %s, want type %q", v, eventLine(ev), want)
		}
		if ev.Type != Error {
			compareMeta(t, frame["object"], &ev.Meta, ev.Err)
		}
	}
	if _, err := e.Next(); complete && err != io.EOF || !complete && err == io.EOF {
		t.Fatalf("%q ends with %v", body, err)
	}
}

func FuzzList(f *testing.F) {
	for _, c := range listCases {
		f.Add([]byte(c.body), uint16(0), uint8(0))
		f.Add([]byte(c.body), uint16(20), uint8(3))
	}
	f.Add(listBody(2), uint16(7000), uint8(200))
	f.Fuzz(func(t *testing.T, body []byte, limit uint16, depth uint8) {
		o := Options{ItemLimit: int(limit), Depth: int(depth), Poison: true}
		lines := listTranscript(bytes.NewReader(body), o)
		slow := listTranscript(iotest.OneByteReader(bytes.NewReader(body)), o)
		if joined(lines) != joined(slow) {
			t.Fatalf("%q:\n%sbyte by byte:\n%s", body, joined(lines), joined(slow))
		}
		compareList(t, body)
	})
}

// compareList: a body that is read to a clean end is valid JSON, and has the
// items and the version that encoding/json finds in it.
func compareList(t *testing.T, body []byte) {
	l := NewListReader(bytes.NewReader(body), Options{})
	defer l.Close()
	var got []string
	for {
		it, err := l.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return
		}
		got = append(got, string(it.Object))
	}
	var list members
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("%q was accepted: %v", body, err)
	}
	var items []json.RawMessage
	var meta members
	var version string
	_ = json.Unmarshal(list["items"], &items)
	_ = json.Unmarshal(list["metadata"], &meta)
	_ = json.Unmarshal(meta["resourceVersion"], &version)
	if len(items) != len(got) || sloppy([]byte(l.Meta().ResourceVersion)) != version {
		t.Fatalf("%q: %d items, want %d; version %q, want %q", body, len(got), len(items), l.Meta().ResourceVersion, version)
	}
	for i := range items {
		if string(items[i]) != got[i] {
			t.Fatalf("%q: item %d is %q, want %q", body, i, got[i], items[i])
		}
	}
}
