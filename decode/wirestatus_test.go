package decode

import (
	"errors"
	"fmt"
	"testing"
)

// TestWireStatus reads error bodies.
func TestWireStatus(t *testing.T) {
	st, ok := ParseStatus(wireStatusObject(504, "Timeout", "Too large resource version"))
	if !ok || st.Status.Code != 504 || !st.IsTooLargeResourceVersion() || st.RetryAfter().Seconds() != 5 || st.Status.Metadata.Continue != "next" {
		t.Fatalf("%+v", st)
	}
	want := StatusDetails{Name: "a", Kind: "pods", Group: "g", UID: "u", RetryAfterSeconds: 5, Causes: []StatusCause{{"ResourceVersionTooLarge", "m", "f"}}}
	if fmt.Sprint(*st.Status.Details) != fmt.Sprint(want) {
		t.Errorf("%+v", st.Status.Details)
	}
	if _, ok := ParseStatus(wirePod("a", "5")); ok {
		t.Error("a pod is no Status")
	}
	if _, ok := ParseStatus([]byte(magic + "\xff")); ok {
		t.Error("malformed")
	}
}

func TestScanMetaProtobuf(t *testing.T) {
	var m Meta
	if err := ScanMeta(testFile(t, "pod.pb"), &m); err != nil {
		t.Fatal(err)
	}
	var want Meta
	if err := ScanMeta(testFile(t, "pod.json"), &want); err != nil {
		t.Fatal(err)
	}
	if metaLine(&m) != metaLine(&want) {
		t.Errorf("%s, want %s", metaLine(&m), metaLine(&want))
	}
	var oe *ObjectError
	if err := ScanMeta([]byte(magic+"\x0a\x7f"), &m); !errors.As(err, &oe) || m.Name != nil {
		t.Errorf("%v, %+v", err, m)
	}
}

func TestEncodingOfType(t *testing.T) {
	for typ, want := range map[string]string{
		"application/json": "JSON true", "application/json;charset=utf-8": "JSON true", "Application/JSON ; as=Table": "JSON true",
		"application/vnd.kubernetes.protobuf": "protobuf true", "application/vnd.kubernetes.protobuf;stream=watch": "protobuf true",
		"text/html": "JSON false", "": "JSON false", "application/json-seq": "JSON false", "application/cbor": "JSON false",
	} {
		e, ok := EncodingOfType(typ)
		if got := fmt.Sprint(e, ok); got != want {
			t.Errorf("%q: %s, want %s", typ, got, want)
		}
	}
}
