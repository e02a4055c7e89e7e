package decode

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

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
