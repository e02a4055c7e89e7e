package decode

import (
	"errors"
	"testing"
)

func TestKey(t *testing.T) {
	for want, k := range map[string]Key{"edge/a": {"edge", "a"}, "a": {"", "a"}, "": {}} {
		if k.String() != want {
			t.Errorf("%+v is %q, want %q", k, k, want)
		}
	}
	if k := (Identity{Namespace: "edge", Name: "a", UID: "u"}).Key(); k != (Key{"edge", "a"}) {
		t.Error(k)
	}
}

// TestScanMetaReuse: nothing of one object is left for the next, whatever
// comes of either.
func TestScanMetaReuse(t *testing.T) {
	var m Meta
	full := `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"\u0065dge","name":"a","uid":"u","resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}`
	for _, next := range []string{`{}`, `{"a"`, `5`, ``, `{"metadata":5}`} {
		if err := ScanMeta([]byte(full), &m); err != nil || metaLine(&m) != "v=v1 k=Pod ns=edge n=a u=u rv=5 end " {
			t.Fatalf("%s %v", metaLine(&m), err)
		}
		if _ = ScanMeta([]byte(next), &m); metaLine(&m) != "" {
			t.Errorf("after %q: %s", next, metaLine(&m))
		}
	}
}

// TestScanMetaErrors: offsets count from the object's start.
func TestScanMetaErrors(t *testing.T) {
	for object, want := range map[string]string{
		` {"metadata":{"name":5,"uid":7}} `: "object  @21: metadata.name is a number, want a string",
		` null`:                             "object  @1:  is null, want an object",
		`{} {}`:                             "syntax @3: '{', want the end",
		`{"a":1`:                            "syntax @6: the end, want the rest of the value",
		` `:                                 "syntax @1: the end, want the rest of the value",
	} {
		var m Meta
		if got := errorLine(ScanMeta([]byte(object), &m)); got != want {
			t.Errorf("%q: %s, want %s", object, got, want)
		}
	}
}

// TestBorrowedSlicesAreCapped: appending to what is lent must not write into
// what follows it.
func TestBorrowedSlicesAreCapped(t *testing.T) {
	e := NewEventReader(bytesReader(`{"type":"ADDED","object":{"metadata":{"name":"a","uid":"\u0075","resourceVersion":"\u0035"}}}{"type":"DELETED","object":{}}`), Options{})
	defer e.Close()
	ev, err := e.Next()
	if err != nil {
		t.Fatal(err)
	}
	_ = append(ev.Meta.Name, "xxxxxxxx"...)
	_ = append(ev.Meta.UID, "xxxxxxxx"...)
	_ = append(ev.Object, "xxxxxxxx"...)
	if string(ev.Meta.ResourceVersion) != "5" || string(ev.Object) != `{"metadata":{"name":"a","uid":"\u0075","resourceVersion":"\u0035"}}` {
		t.Errorf("%s %s", ev.Object, ev.Meta.ResourceVersion)
	}
	if ev, err = e.Next(); err != nil || ev.Type != Deleted {
		t.Error(err)
	}
}

// TestScratchIsBounded: one endless name must not stay with the reader.
func TestScratchIsBounded(t *testing.T) {
	e := NewEventReader(bytesReader(`{"type":"ADDED","object":{"metadata":{"name":"\u0061`+frameOf(10_000)[60:9000]+`"}}}{"type":"ADDED","object":{}}`), Options{})
	defer e.Close()
	for range 2 {
		if _, err := e.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if n := cap(e.event.Meta.scratch); n > maxScratch {
		t.Errorf("%d bytes are kept", n)
	}
}

func TestErrorTypesUnwrap(t *testing.T) {
	base := errors.New("base")
	if !errors.Is(&StreamError{Err: base}, base) || !errors.Is(&SyntaxError{Err: base}, base) {
		t.Error("the cause is lost")
	}
}
