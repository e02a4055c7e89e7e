package decode

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The files in testdata/streams are what a kube-apiserver v1.37.2 answered to
// the same request in both encodings, some of them a moment apart.

// recorded calls f with the two answers of each kind.
func recorded(t *testing.T, kind string, f func(t *testing.T, text, wire []byte)) {
	files, err := filepath.Glob("../testdata/streams/" + kind + "-*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".json")
		t.Run(filepath.Base(base), func(t *testing.T) {
			text, err1 := os.ReadFile(file)
			wire, err2 := os.ReadFile(base + ".pb")
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			f(t, text, wire)
		})
	}
}

// moment is what differs when a request is made again.
var moment = regexp.MustCompile(`current: \d+|rv=\d+ end|ResourceVersion:\d+ `)

func timeless(s string) string { return moment.ReplaceAllString(s, "…") }

// whole decodes all of an object.
func whole(t *testing.T, object []byte, m *Meta) map[string]any {
	t.Helper()
	var v map[string]any
	if err := planFor[map[string]any](t).Decode(object, &v); err != nil {
		t.Fatal(err)
	}
	type named struct {
		Metadata Identity `json:"metadata"`
	}
	var slow, fast named
	err1 := planFor[named](t).Decode(object, &slow)
	err2 := planFor[named](t).DecodeKnown(object, Known{Checked: m.Checked()}, &fast)
	if err1 != nil || err2 != nil || slow != fast {
		t.Errorf("%+v, %v; by what the reader knows: %+v, %v", slow, err1, fast, err2)
	}
	v["kind"], v["apiVersion"] = string(m.Kind), string(m.APIVersion)
	if m.InitialEventsEnd {
		delete(v["metadata"].(map[string]any), "resourceVersion")
	}
	return v
}

func TestRecordedLists(t *testing.T) {
	recorded(t, "list", func(t *testing.T, text, wire []byte) {
		texts := NewListReader(bytes.NewReader(text), Options{Poison: true})
		wires := NewListReader(bytes.NewReader(wire), Options{Encoding: Protobuf, Poison: true})
		items := 0
		for ; ; items++ {
			a, err1 := texts.Next()
			b, err2 := wires.Next()
			if err1 == io.EOF && err2 == io.EOF {
				break
			}
			if err1 != nil || err2 != nil || a.Err != nil || b.Err != nil {
				t.Fatal(err1, err2)
			}
			if metaLine(&a.Meta) != metaLine(&b.Meta) {
				t.Errorf("%s, protobuf %s", metaLine(&a.Meta), metaLine(&b.Meta))
			}
			if x, y := whole(t, a.Object, &a.Meta), whole(t, b.Object, &b.Meta); !reflect.DeepEqual(x, y) {
				t.Errorf("%v\nprotobuf\n%v", x, y)
			}
		}
		a, b := fmt.Sprintf("%+v", texts.Meta()), fmt.Sprintf("%+v", wires.Meta())
		if timeless(a) != timeless(b) || items == 0 {
			t.Errorf("%d items, %s, protobuf %s", items, a, b)
		}
	})
}

func TestRecordedWatches(t *testing.T) {
	recorded(t, "watch", func(t *testing.T, text, wire []byte) {
		texts := NewEventReader(bytes.NewReader(text), Options{Poison: true})
		wires := NewEventReader(bytes.NewReader(wire), Options{Encoding: Protobuf, Poison: true})
		for {
			a, err1 := texts.Next()
			b, err2 := wires.Next()
			if err1 == io.EOF && err2 == io.EOF && texts.Frames() > 0 {
				return
			}
			if err1 != nil || err2 != nil || a.Err != nil || b.Err != nil || a.Type != b.Type {
				t.Fatal(err1, err2, a, b)
			}
			if timeless(metaLine(&a.Meta)) != timeless(metaLine(&b.Meta)) {
				t.Errorf("%s, protobuf %s", metaLine(&a.Meta), metaLine(&b.Meta))
			}
			if a.Type == Error {
				sameStatus(t, a.Status, b.Status)
			} else if x, y := whole(t, a.Object, &a.Meta), whole(t, b.Object, &b.Meta); !reflect.DeepEqual(x, y) {
				t.Errorf("%v\nprotobuf\n%v", x, y)
			}
		}
	})
}

func TestRecordedErrors(t *testing.T) {
	recorded(t, "error", func(t *testing.T, text, wire []byte) {
		a, ok1 := ParseStatus(text)
		b, ok2 := ParseStatus(wire)
		if !ok1 || !ok2 {
			t.Fatal(ok1, ok2)
		}
		sameStatus(t, a, b)
	})
}

func sameStatus(t *testing.T, a, b *StatusError) {
	t.Helper()
	a.Status.Message, b.Status.Message = timeless(a.Status.Message), timeless(b.Status.Message)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, protobuf %+v", a, b)
	}
}

// TestRecordedCustomResources: JSON only, with an integer that no float holds.
func TestRecordedCustomResources(t *testing.T) {
	type widget struct {
		Metadata Identity `json:"metadata"`
		Spec     struct {
			Size int64 `json:"size"`
		} `json:"spec"`
	}
	check := func(t *testing.T, object []byte, m *Meta) {
		t.Helper()
		var w widget
		if err := planFor[widget](t).DecodeKnown(object, Known{Checked: m.Checked()}, &w); err != nil {
			t.Fatal(err)
		}
		if w.Spec.Size != 9007199254740993 || w.Metadata.Name != "one" || string(m.Kind) != "Widget" {
			t.Errorf("%+v, kind %s", w, m.Kind)
		}
	}
	read := func(name string) *bytes.Reader {
		body, err := os.ReadFile("../testdata/streams/custom-" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(body)
	}
	list := NewListReader(read("list"), Options{Poison: true})
	item, err := list.Next()
	if err != nil || item.Err != nil {
		t.Fatal(err, item)
	}
	check(t, item.Object, &item.Meta)
	watch := NewEventReader(read("watch"), Options{Poison: true})
	event, err := watch.Next()
	if err != nil || event.Type != Added {
		t.Fatal(err, event)
	}
	check(t, event.Object, &event.Meta)
	body, err := io.ReadAll(read("error-invalid"))
	if err != nil {
		t.Fatal(err)
	}
	if status, ok := ParseStatus(body); !ok || status.Status.Code != 400 || status.Status.Message == "" {
		t.Errorf("%+v", status)
	}
}
