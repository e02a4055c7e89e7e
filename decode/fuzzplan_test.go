package decode

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// every is a type with every way of filling that encoding/json shares.
type every struct {
	S   string             `json:"s"`
	B   bool               `json:"b"`
	I   int                `json:"i"`
	I8  int8               `json:"i8"`
	I32 int32              `json:"i32"`
	U   uint64             `json:"u"`
	U16 uint16             `json:"u16"`
	F   float64            `json:"f"`
	F32 float32            `json:"f32"`
	Y   []byte             `json:"y"`
	R   json.RawMessage    `json:"r"`
	L   []string           `json:"l"`
	LL  [][]int            `json:"ll"`
	A   [2]*int            `json:"a"`
	M   map[string]string  `json:"m"`
	MT  map[text]*every    `json:"mt"`
	P   *every             `json:"p"`
	PP  **string           `json:"pp"`
	D   duration           `json:"d"`
	PD  *duration          `json:"pd"`
	N   struct{ every2 }   `json:"n"`
	LS  []struct{ X bool } `json:"ls"`
	every2
}

type every2 struct {
	E1 string `json:"e1"`
	S  int    // hidden by nothing: its name is "S"
}

// FuzzPlanJSON compares with encoding/json.
func FuzzPlanJSON(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `[]`, ` {"s":"a\u0041","b":true,"i":-5,"i8":127,"i32":1,"u":18446744073709551615,"u16":65535,"f":1.5e3,"f32":0.1} `,
		`{"y":"aGVsbG8=","r":{"a" : 1},"l":["a",null],"ll":[[1],[],null,[2,3]],"a":[1,2,3],"m":{"a":"b","c":null},"mt":{"x":{"s":"y"},"z":null}}`,
		`{"p":{"p":{"p":null,"s":"x"}},"pp":"x","d":"5s","pd":null,"n":{"e1":"x","S":5},"e1":"y","S":7,"ls":[{"X":true},{}]}`,
		`{"i":1.0}`, `{"i":1e2}`, `{"i8":128}`, `{"u":-1}`, `{"u16":65536}`, `{"f":1e400}`, `{"f32":1e39}`, `{"b":"true"}`, `{"s":5}`, `{"l":{}}`, `{"m":[]}`,
		`{"y":"!"}`, `{"y":"aGVs\nbG8="}`, `{"y":[1,2]}`, `{"d":5}`, `{"d":null}`, `{"pp":null}`, `{"a":[1]}`, `{"i":-0}`, `{"f":-0.0}`, `{"a":[null]}`,
		`{"s":"a"}x`, `{"s":}`, `{"s"`, `{"unknown":[{"s":[1,{"x":"y"}]}]}`,
	} {
		f.Add([]byte(s))
	}
	p, err := For[every]()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) || !comparable(b) {
			return
		}
		var got, want every
		wantErr := json.Unmarshal(b, &want)
		gotErr := p.Decode(b, &got)
		if (gotErr == nil) != (wantErr == nil) {
			t.Fatalf("%s: %v, encoding/json %v", b, gotErr, wantErr)
		}
		if gotErr == nil && !reflect.DeepEqual(got, want) {
			x, _ := json.Marshal(got)
			y, _ := json.Marshal(want)
			t.Fatalf("%s: %s, encoding/json %s", b, x, y)
		}
	})
}

// comparable says that encoding/json reads b by the same rules: it has no name
// twice in an object, and none that is right but for its case. Arrays of bytes
// as numbers are left out as well.
func comparable(b []byte) bool {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	type object struct {
		names map[string]bool
		isKey bool
	}
	var open []*object
	for {
		token, err := d.Token()
		if err != nil {
			return true // both must refuse what is not JSON
		}
		var top *object
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		if name, ok := token.(string); ok && top != nil && top.names != nil && top.isKey {
			top.isKey = false
			if top.names[name] || almostKnown(name) {
				return false
			}
			top.names[name] = true
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &object{names: map[string]bool{}, isKey: true})
			continue
		case json.Delim('['):
			open = append(open, &object{})
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1].isKey = true
		}
	}
}

var knownNames = strings.Fields("s b i i8 i32 u u16 f f32 y r l ll a m mt p pp d pd n ls e1 S X")

func almostKnown(name string) bool {
	exact, folded := false, false
	for _, k := range knownNames {
		exact = exact || k == name
		folded = folded || k != name && strings.EqualFold(k, name)
	}
	return folded && !exact || name == "y"
}

// looseView has members of many kinds, none of which tells an absent value
// from an empty one.
type looseView struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Identity
		Labels map[string]string `json:"labels"`
		Time   Time              `json:"creationTimestamp"`
		Owners []struct {
			Name string `json:"name"`
		} `json:"ownerReferences"`
		Fields []any `json:"managedFields"`
	} `json:"metadata"`
	Spec any `json:"spec"`
	Data any `json:"data"`
}

// FuzzPlanWire feeds anything that begins like protobuf, and compares what a
// plan makes of it with what it makes of its JSON.
func FuzzPlanWire(f *testing.F) {
	_, wires := goldens(f)
	for _, w := range wires {
		f.Add(w)
	}
	f.Add(testFile(f, "pod.pb"))
	f.Add([]byte(magic))
	f.Add(wirePod("a", "5"))
	f.Add(wireStatusObject(410, "Expired", "x"))
	f.Add(object("v1", "Service", sub(1, sub(11, str(1, "a"), str(2, "b"))), sub(2, sub(1, num(3, 80), sub(4, num(1, 1), str(3, "http"))))))
	f.Add(append(wrap(nil, "v1", "Pod", 4), 0x0a, 0x02, 0x0a, 0x7f))
	loose, pod, node, volume := planFor[looseView](f), planFor[podView](f), planFor[nodeView](f), planFor[volumeView](f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if EncodingOf(b) != Protobuf {
			b = append([]byte(magic), b...)
		}
		text, err := ToJSON(nil, b)
		if err == nil && !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		_ = pod.Decode(b, new(podView))
		_ = node.Decode(b, new(nodeView))
		_ = volume.Decode(b, new(volumeView))
		var m Meta
		_ = ScanMeta(b, &m)
		var fromWire, fromText looseView
		wireErr := loose.Decode(b, &fromWire)
		if err != nil || !utf8.Valid(b) && bytes.Contains(text, []byte(`\ufffd`)) {
			return
		}
		if _, unknown := wireErr.(*UnknownError); unknown {
			return
		}
		textErr := loose.Decode(text, &fromText)
		if (wireErr == nil) != (textErr == nil) {
			t.Fatalf("%v, of its JSON %v\n%s", wireErr, textErr, text)
		}
		if wireErr == nil && !reflect.DeepEqual(fromWire, fromText) {
			t.Fatalf("%+v\n%+v\n%s", fromWire, fromText, text)
		}
	})
}
