package decode

import (
	"bytes"
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
	{
		name: "JSON amid protobuf", body: cat(wireFrame("ADDED", wirePod("a", "5")), []byte(`{"type":"ADDED","object":{}}`)),
		want: []string{"ADDED " + podLine("a", "5")}, end: fmt.Sprintf("syntax @%d: JSON, want a watch event in protobuf", len(wireFrame("ADDED", wirePod("a", "5")))),
	},
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

// TestWireWaits: while a watch waits for its next frame it has given its
// buffer back, and a frame is there as soon as its last byte is.
func TestWireWaits(t *testing.T) {
	frames := [][]byte{
		wireFrame("ADDED", testFile(t, "pod.pb")),
		wireFrame("ADDED", object("v1", "Secret", sub(2, make([]byte, 3<<20)))),
		cat(wireFrame("ADDED", wirePod("a", "5")), wireFrame("ADDED", wirePod("b", "6"))),
		wireFrame("ADDED", wirePod("c", "7")),
	}
	var e *EventReader
	returned, sent := int64(0), []int64{0, 1, 2, 4, 5}
	var rest []byte
	e = NewEventReader(readFunc(func(p []byte) (int, error) {
		if len(rest) == 0 {
			if len(p) > tinyBuffer || e.body.input.block != nil || cap(e.body.b) > tinyBuffer {
				t.Errorf("waits with a buffer of %d bytes", len(p))
			}
			if returned != sent[0] {
				t.Errorf("waits after %d frames although %d have come", returned, sent[0])
			}
			if len(frames) == 0 {
				return 0, io.EOF
			}
			rest, frames, sent = frames[0], frames[1:], sent[1:]
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n, nil
	}), Options{Encoding: Protobuf})
	defer e.Close()
	for ; ; returned = e.Frames() {
		if _, err := e.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if returned != 5 {
		t.Errorf("%d frames", returned)
	}
}
