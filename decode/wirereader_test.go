package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// wireWatch is what a watch in protobuf says, an object as its JSON.
func wireWatch(r io.Reader, o Options) (lines []string) {
	o.Encoding = Protobuf
	e := NewEventReader(r, o)
	defer e.Close()
	for {
		ev, err := e.Next()
		if err != nil {
			if _, again := e.Next(); again != err {
				return append(lines, "not sticky: "+fmt.Sprint(again))
			}
			return append(lines, errorLine(err))
		}
		shown := *ev
		if shown.Err == nil && shown.Status == nil {
			shown.Object, shown.Err = ToJSON(nil, ev.Object)
		} else {
			shown.Object = nil
		}
		lines = append(lines, eventLine(&shown))
	}
}

// wireItems is the same of a list.
func wireItems(r io.Reader, o Options) (lines []string) {
	o.Encoding = Protobuf
	l := NewListReader(r, o)
	defer l.Close()
	for {
		it, err := l.Next()
		if err != nil {
			if _, again := l.Next(); again != err {
				return append(lines, "not sticky: "+fmt.Sprint(again))
			}
			if err == io.EOF {
				lines = append(lines, fmt.Sprintf("%+v", l.Meta()))
			}
			return append(lines, errorLine(err))
		}
		line := metaLine(&it.Meta)
		if it.Err != nil {
			line += " | " + errorLine(it.Err)
		} else if text, err := ToJSON(nil, it.Object); err != nil {
			line += " | " + errorLine(err)
		} else {
			line += string(text)
		}
		lines = append(lines, line)
	}
}

// podText is what the pods of wirePod look like.
func podText(name, version string) string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":"edge","uid":"u-%s","resourceVersion":"%s"},"spec":{"containers":null,"nodeName":"node-7"},"status":{"phase":"Running","podIP":"10.0.0.1"}}`, name, name, version)
}

func podLine(name, version string) string {
	return fmt.Sprintf("v=v1 k=Pod ns=edge n=%s u=u-%s rv=%s %s", name, name, version, podText(name, version))
}

var wireWatchCases = []struct {
	name string
	body []byte
	want []string
	end  string
}{
	{name: "empty"},
	{name: "one frame", body: wireFrame("ADDED", wirePod("a", "5")), want: []string{"ADDED " + podLine("a", "5")}},
	{
		name: "several",
		body: cat(wireFrame("ADDED", wirePod("a", "5")), wireFrame("MODIFIED", wirePod("a", "6")), wireFrame("DELETED", wirePod("a", "7"))),
		want: []string{"ADDED " + podLine("a", "5"), "MODIFIED " + podLine("a", "6"), "DELETED " + podLine("a", "7")},
	},
	{
		name: "bookmarks",
		body: cat(wireFrame("BOOKMARK", object("v1", "Pod", sub(1, str(6, "9")))),
			wireFrame("BOOKMARK", object("v1", "Pod", sub(1, str(6, "10"), sub(12, str(1, "a"), str(2, "b")), sub(12, str(1, InitialEventsEnd), str(2, "true"))))),
			wireFrame("BOOKMARK", object("v1", "Pod", sub(1, str(6, "11"), sub(12, str(1, InitialEventsEnd), str(2, "false")))))),
		want: []string{
			`BOOKMARK v=v1 k=Pod rv=9 {"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9"},"spec":{"containers":null},"status":{}}`,
			`BOOKMARK v=v1 k=Pod rv=10 end {"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"10","annotations":{"a":"b","k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}`,
			`BOOKMARK v=v1 k=Pod rv=11 {"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"11","annotations":{"k8s.io/initial-events-end":"false"}},"spec":{"containers":null},"status":{}}`,
		},
	},
	{
		name: "metadata only",
		body: wireFrame("ADDED", object(`meta.k8s.io/v1`, "PartialObjectMetadata", sub(1, str(1, "a"), str(6, "5")))),
		want: []string{`ADDED v=meta.k8s.io/v1 k=PartialObjectMetadata n=a rv=5 {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"5"}}`},
	},
	{
		name: "expired",
		body: wireFrame("ERROR", wireStatusObject(410, "Expired", "too old resource version: 300 (80402)")),
		want: []string{"ERROR  | status 410 Expired"},
	},
	{
		name: "errors that say little",
		body: cat(wireFrame("ERROR", nil), wireFrame("ERROR", []byte(`{"kind":"Status","code":410,"reason":"Gone"}`)), wireFrame("ERROR", []byte(magic+"\xff"))),
		want: []string{"ERROR  | status 0 ", "ERROR  | status 410 Gone", "ERROR  | status 0 "},
	},
	{
		name: "bad objects between good ones",
		body: cat(wireFrame("ADDED", wirePod("a", "5")), wireFrame("ADDED", []byte(`{"kind":"Pod"}`)), wireFrame("ADDED", nil),
			wireFrame("ADDED", object("v1", "Pod", sub(1, str(1, "b"), num(3, 5)))),
			wireFrame("ADDED", object("v1", "Pod", sub(1, str(1, "b")), []byte{0x12, 0x7f})),
			wireFrame("ADDED", object("v1", "Pod", sub(1, str(3, "edge"), str(1, "b"), []byte{0x0a, 0x7f}))),
			wireFrame("ADDED", object("v1", "Pod", num(1, 1))),
			wireFrame("ADDED", cat([]byte(magic), sub(2, sub(1, str(1, "c"))), str(3, "gzip"))),
			wireFrame("ADDED", wirePod("z", "9"))),
		want: []string{
			"ADDED " + podLine("a", "5"),
			"ADDED  | object  @107:  is something else, want an object in protobuf",
			"ADDED  | object  @136:  is something else, want an object in protobuf",
			"ADDED v=v1 k=Pod n=b  | object b @174: metadata.namespace is a varint, want a string",
			"ADDED v=v1 k=Pod n=b  | object b @216:  is a length beyond the end, want a protobuf message",
			"ADDED v=v1 k=Pod ns=edge n=b  | object edge/b @265: metadata is a length beyond the end, want a protobuf message",
			"ADDED v=v1 k=Pod  | object  @304: metadata is a varint, want a message",
			"ADDED  | object  @337:  is an encoding of its own, want a plain protobuf message",
			"ADDED " + podLine("z", "9"),
		},
	},
	{name: "a type of tomorrow", body: wireFrame("RENAMED", wirePod("a", "5")), want: []string{"RENAMED " + podLine("a", "5")}},
	{name: "fields of tomorrow", body: append([]byte{0, 0, 0, 44}, cat(num(7, 1), str(1, "ADDED"), str(9, "x"), sub(2, num(3, 4), sub(1, object("v1", "Pod", sub(1, str(1, "a"))))))...), want: []string{`ADDED v=v1 k=Pod n=a {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":null},"status":{}}`}},
	{name: "html", body: []byte("<html><body>502</body></html>"), end: `syntax @0: "<html>", want a watch event in protobuf`},
	{name: "JSON", body: []byte(`{"type":"ADDED","object":{}}`), end: `syntax @0: '{', want a watch event in protobuf`},
	{name: "an object", body: wirePod("a", "5"), end: `syntax @0: "k8s", want a watch event in protobuf`},
	{name: "a length over the limit", body: []byte{1, 0, 0, 1, 0}, end: "limit @0: frame 16777216"},
	{name: "no type", body: []byte{0, 0, 0, 2, 0x12, 0}, end: "syntax @4: a frame without a type, want a watch event"},
	{name: "an empty frame", body: []byte{0, 0, 0, 0}, end: "syntax @4: a frame without a type, want a watch event"},
	{name: "a malformed frame", body: []byte{0, 0, 0, 3, 0x0a, 9, 'A'}, end: "syntax @4: a length beyond the end, want a watch event"},
	{name: "a malformed object", body: []byte{0, 0, 0, 6, 0x0a, 1, 'A', 0x12, 1, 0xff}, end: "syntax @9: no field's tag, want a watch event"},
}

func TestWireWatch(t *testing.T) {
	for _, c := range wireWatchCases {
		t.Run(c.name, func(t *testing.T) {
			sameHowever(t, string(c.body), append(append([]string{}, c.want...), orEOF(c.end)), wireWatch)
		})
	}
}

// TestWireWatchCut ends a body at every byte: only between frames is that an
// end.
func TestWireWatchCut(t *testing.T) {
	one := wireFrame("ADDED", wirePod("a", "5"))
	body := cat(one, one)
	for k := range body {
		lines := wireWatch(bytes.NewReader(body[:k]), Options{})
		want := "EOF"
		if k%len(one) != 0 {
			want = fmt.Sprintf("stream @%d", k)
		}
		if got := lines[len(lines)-1]; !strings.HasPrefix(got, want) || len(lines) != 1+k/len(one) {
			t.Fatalf("cut at %d: %q", k, lines)
		}
	}
}

func TestWireFrameLimit(t *testing.T) {
	frame := wireFrame("ADDED", wirePod("a", "5"))
	exact := len(frame) - frameHead
	if lines := wireWatch(bytes.NewReader(frame), Options{FrameLimit: exact}); lines[1] != "EOF" {
		t.Error(lines)
	}
	if lines := wireWatch(bytes.NewReader(frame), Options{FrameLimit: exact - 1}); lines[0] != fmt.Sprintf("limit @0: frame %d", exact-1) {
		t.Error(lines)
	}
}

const noPodMeta = "{Kind:PodList APIVersion:v1 ResourceVersion: Continue: RemainingItemCount:-1}"

var wireListCases = []struct {
	name string
	body []byte
	want []string
	end  string
}{
	{
		name: "two items",
		body: wireListBody("PodList", cat(str(2, "80407"), str(3, "more"), num(4, 7)), podMessage("edge", "a", "5"), podMessage("edge", "b", "6")),
		want: []string{podLine("a", "5"), podLine("b", "6"), "{Kind:PodList APIVersion:v1 ResourceVersion:80407 Continue:more RemainingItemCount:7}"},
	},
	{name: "no items", body: wireListBody("PodList", str(2, "8")), want: []string{"{Kind:PodList APIVersion:v1 ResourceVersion:8 Continue: RemainingItemCount:-1}"}},
	{name: "nothing at all", body: object("v1", "PodList"), want: []string{noPodMeta}},
	{
		name: "metadata only",
		body: object("meta.k8s.io/v1", "PartialObjectMetadataList", sub(1, str(2, "8")), sub(2, sub(1, str(1, "a")))),
		want: []string{
			`v=meta.k8s.io/v1 k=PartialObjectMetadata n=a {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}`,
			"{Kind:PartialObjectMetadataList APIVersion:meta.k8s.io/v1 ResourceVersion:8 Continue: RemainingItemCount:-1}",
		},
	},
	{
		name: "fields of tomorrow",
		body: object("v1", "PodList", num(9, 1), sub(1, str(2, "8"), num(77, 7)), str(10, strings.Repeat("x", 300)), sub(2, sub(1, str(1, "a"))), []byte{11<<3 | wireFixed64, 1, 2, 3, 4, 5, 6, 7, 8, 12<<3 | wireFixed32, 1, 2, 3, 4}),
		want: []string{`v=v1 k=Pod n=a {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"containers":null},"status":{}}`, "{Kind:PodList APIVersion:v1 ResourceVersion:8 Continue: RemainingItemCount:-1}"},
	},
	{
		name: "a bad item between good ones",
		body: wireListBody("PodList", str(2, "8"), podMessage("edge", "a", "5"), []byte{0x0a, 0x05, 'x'}, cat(sub(1, str(1, "b")), num(1, 1)), podMessage("edge", "c", "7")),
		want: []string{
			podLine("a", "5"),
			"v=v1 k=Pod  | object  @87:  is a length beyond the end, want a protobuf message",
			"v=v1 k=Pod n=b  | object b @98: metadata is a varint, want a message",
			podLine("c", "7"),
			"{Kind:PodList APIVersion:v1 ResourceVersion:8 Continue: RemainingItemCount:-1}",
		},
	},
	{name: "a Status", body: wireStatusObject(403, "Forbidden", "no"), end: "status 403 Forbidden"},
	{name: "another object", body: wirePod("a", "5"), end: `no list @17: "Pod" nothing`},
	{name: "bad metadata", body: object("v1", "PodList", sub(1, num(2, 5))), want: nil, end: "object  @24: metadata is a varint, want another wire type"},
	{name: "html", body: []byte("<html>"), end: `syntax @0: "<html>", want a list in protobuf`},
	{name: "JSON", body: []byte(`{"kind":"PodList"}`), end: `syntax @0: '{', want a list in protobuf`},
	{name: "almost", body: []byte("k8s: not found"), end: `syntax @0: "k8s", want a list in protobuf`},
	{name: "compressed", body: cat([]byte(magic), sub(1, str(1, "v1"), str(2, "PodList")), str(3, "gzip")), end: "syntax @21: an encoding of its own, want a Kubernetes protobuf list"},
	{name: "an item beyond the list", body: cat([]byte(magic), sub(1, str(2, "PodList")), []byte{0x12, 3, 0x12, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1}), end: "syntax @19: a length beyond the end, want a Kubernetes protobuf list"},
	{name: "two lists", body: cat(wireListBody("PodList", nil), sub(2, nil)), want: nil, end: "syntax @29: a second message, want a Kubernetes protobuf list"},
	{name: "a group", body: cat([]byte(magic), []byte{0x0b}), end: "syntax @5: an unknown wire type, want a Kubernetes protobuf list"},
	{name: "field 0", body: cat([]byte(magic), []byte{0x02, 0}), end: "syntax @5: no field's tag, want a Kubernetes protobuf list"},
	{name: "an endless varint", body: cat([]byte(magic), bytes.Repeat([]byte{0xff}, 12)), end: "syntax @4: a varint without an end, want a Kubernetes protobuf list"},
	{name: "a malformed kind", body: cat([]byte(magic), sub(1, []byte{0x0a, 9})), end: "syntax @6: a length beyond the end, want a Kubernetes protobuf list"},
}

func TestWireList(t *testing.T) {
	for _, c := range wireListCases {
		t.Run(c.name, func(t *testing.T) {
			sameHowever(t, string(c.body), append(append([]string{}, c.want...), orEOF(c.end)), wireItems)
		})
	}
}

// TestWireListCut ends a body at every byte before its list is complete: that
// is never the end of the list.
func TestWireListCut(t *testing.T) {
	body := wireListBody("PodList", str(2, "8"), podMessage("edge", "a", "5"), podMessage("edge", "b", "6"))
	complete := len(body) - len(cat(str(3, ""), str(4, "")))
	for k := range body {
		lines := wireItems(bytes.NewReader(body[:k]), Options{})
		cut := strings.HasPrefix(lines[len(lines)-1], fmt.Sprintf("stream @%d", k))
		if boundary := k == complete || k == complete+2; cut == boundary {
			t.Fatalf("cut at %d: %q", k, lines)
		}
	}
}

func TestWireItemLimit(t *testing.T) {
	pod := podMessage("edge", "a", "5")
	body := wireListBody("PodList", str(2, "8"), pod, pod)
	if lines := wireItems(bytes.NewReader(body), Options{ItemLimit: len(pod)}); len(lines) != 4 {
		t.Error(lines)
	}
	if lines := wireItems(bytes.NewReader(body), Options{ItemLimit: len(pod) - 1}); !strings.HasPrefix(lines[0], "limit @") || !strings.HasSuffix(lines[0], fmt.Sprintf("list item %d", len(pod)-1)) {
		t.Error(lines)
	}
	huge := cat([]byte(magic), sub(1, str(2, "PodList")), []byte{0x12, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x12, 0xff, 0xff, 0xff, 0xff, 0x0f})
	if lines := wireItems(bytes.NewReader(huge), Options{}); lines[0] != fmt.Sprintf("limit @27: list item %d", DefaultItemLimit) {
		t.Error(lines)
	}
}

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

// TestItemsCanBeKept checks that an item is an object like any other.
func TestItemsCanBeKept(t *testing.T) {
	body := wireListBody("PodList", str(2, "8"), podMessage("edge", "a", "5"), podMessage("edge", "b", "6"), podMessage("edge", "c", "7"))
	l := NewListReader(bytes.NewReader(body), Options{Encoding: Protobuf, Poison: true})
	var kept [][]byte
	for {
		it, err := l.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, bytes.Clone(it.Object))
	}
	l.Close()
	for i, b := range kept {
		text, err := ToJSON(nil, b)
		if want := podText(string("abc"[i]), string("567"[i])); err != nil || string(text) != want {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// TestFieldsOfTomorrow checks that what the table does not know is said, where
// it would be missing from JSON, and does not matter where nobody asks for it.
func TestFieldsOfTomorrow(t *testing.T) {
	pod := object("v1", "Pod", sub(1, str(1, "a")), sub(2, str(10, "node-7"), str(4000, "x"), sub(2, str(1, "c"), num(4001, 7))), str(4002, "y"))
	text, err := ToJSON(nil, pod)
	var unknown *UnknownError
	if !errors.As(err, &unknown) || fmt.Sprint(unknown.Paths) != "[#4002 spec.#4000 spec.containers.#4001]" {
		t.Errorf("%v", err)
	}
	if !strings.Contains(string(text), `"nodeName":"node-7"`) {
		t.Errorf("what is known: %s", text)
	}
	var v five
	if err := planFor[five](t).Decode(pod, &v); err != nil || v.Spec.NodeName != "node-7" {
		t.Errorf("%+v, %v", v, err)
	}
	type rawSpec struct {
		Spec struct {
			Containers any `json:"containers"`
		} `json:"spec"`
	}
	err = planFor[rawSpec](t).Decode(pod, new(rawSpec))
	if !errors.As(err, &unknown) || fmt.Sprint(unknown.Paths) != "[spec.containers.#4001]" || unknown.Kind != "Pod" {
		t.Errorf("%v", err)
	}
}

// TestWireErrors is what Decode says about protobuf that does not fit.
func TestWireErrors(t *testing.T) {
	type view struct {
		Metadata struct {
			Identity
			Generation int8              `json:"generation"`
			Labels     map[string]string `json:"labels"`
			Created    Time              `json:"creationTimestamp"`
			Fields     []struct {
				Raw any `json:"fieldsV1"`
			} `json:"managedFields"`
		} `json:"metadata"`
		Spec struct {
			Containers []struct {
				Env []struct {
					Value string `json:"value"`
				} `json:"env"`
			} `json:"containers"`
			NodeSelector struct {
				Zone string `json:"zone"`
			} `json:"nodeSelector"`
			HostPID bool `json:"hostPID"`
		} `json:"spec"`
	}
	name := str(1, "a")
	for _, c := range []struct {
		raw  []byte
		want string
	}{
		{sub(1, name, num(7, 128)), "object a: metadata.generation at offset 23 is a number, want an integer of 8 bits"},
		{sub(1, name, str(7, "x")), "object a: metadata.generation at offset 24 is bytes with a length, want an integer of 8 bits"},
		{sub(1, name, num(11, 1)), "object a: metadata.labels at offset 23 is a varint, want a map's entry"},
		{sub(1, name, sub(11, []byte{9})), "object a: metadata.labels at offset 24 is a number cut off, want a protobuf message"},
		{sub(1, name, sub(11, str(1, "app"), num(2, 1))), "object a: metadata.labels[app] at offset 30 is a varint, want a string"},
		{sub(1, name, sub(8, []byte{0xff})), "object a: metadata.creationTimestamp at offset 24 is no field's tag, want a protobuf message"},
		{sub(1, name, sub(17, sub(7, str(1, `s3cret`)))), "object a: metadata.managedFields[0].fieldsV1 at offset 27 is an embedded object in another encoding, want JSON"},
		{cat(sub(1, name), sub(2, sub(2, sub(7, str(1, "x"))), sub(2, sub(7), sub(7, num(2, 1))))), "object a: spec.containers[1].env[1].value at offset 38 is a varint, want a string"},
		{cat(sub(1, name), sub(2, sub(7, str(1, "zone"), num(2, 1)))), "object a: spec.nodeSelector.zone at offset 33 is a varint, want a string"},
		{cat(sub(1, name), sub(2, str(12, "s3cret"))), "object a: spec.hostPID at offset 26 is bytes with a length, want a boolean"},
		{cat(sub(1, name), num(2, 5)), "object a: spec at offset 23 is a varint, want an object"},
		{cat(sub(1, name), []byte{0x12, 0x7f}), "object a: the object at offset 22 is a length beyond the end, want a protobuf message"},
	} {
		var v view
		err := planFor[view](t).Decode(object("v1", "Pod", c.raw), &v)
		var oe *ObjectError
		if !errors.As(err, &oe) || !strings.Contains(err.Error(), c.want+";") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// TestPacked reads numbers that stand together, as every decoder must.
func TestPacked(t *testing.T) {
	type view struct {
		Spec struct {
			Security struct {
				Groups []int64 `json:"supplementalGroups"`
			} `json:"securityContext"`
		} `json:"spec"`
	}
	raw := sub(2, sub(14, num(4, 1), sub(4, []byte{2, 0xac, 0x02}), num(4, 3)))
	pod := object("v1", "Pod", raw)
	text, err := ToJSON(nil, pod)
	if err != nil || !strings.Contains(string(text), `"supplementalGroups":[1,2,300,3]`) {
		t.Errorf("%s, %v", text, err)
	}
	var v view
	if err := planFor[view](t).Decode(pod, &v); err != nil || fmt.Sprint(v.Spec.Security.Groups) != "[1 2 300 3]" {
		t.Errorf("%+v, %v", v, err)
	}
}
