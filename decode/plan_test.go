package decode

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// five is what an agent typically wants of a pod.
type five struct {
	Metadata Identity `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

func planFor[T any](t testing.TB) *Plan[T] {
	t.Helper()
	p, err := For[T]()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanIsCached(t *testing.T) {
	if a, b := planFor[five](t), planFor[five](t); a.core != b.core {
		t.Error("compiled twice")
	}
}

func TestDecodePod(t *testing.T) {
	for _, name := range []string{"pod.json", "pod.pb"} {
		v := five{Metadata: Identity{Name: "of before"}}
		if err := planFor[five](t).Decode(testFile(t, name), &v); err != nil {
			t.Fatal(err)
		}
		var want five
		if err := json.Unmarshal(testFile(t, "pod.json"), &want); err != nil {
			t.Fatal(err)
		}
		if v != want || v.Spec.NodeName != "node-7" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// decodeCases are where this package differs from encoding/json, or where a
// difference would hurt.
var decodeCases = []struct {
	name, object string
	into         any // a pointer to the type to decode into
	want         any
}{
	{"names are case-sensitive", `{"Name":"x","NAME":"y","name":"a"}`, new(struct {
		Name string `json:"name"`
	}), struct{ Name string }{"a"}},
	{"the last name counts as a whole", `{"a":{"X":1,"Y":2},"a":{"X":3}}`, new(struct {
		A struct{ X, Y int } `json:"a"`
	}), struct{ A struct{ X, Y int } }{struct{ X, Y int }{X: 3}}},
	{"the last name counts, null too", `{"a":"x","a":null}`, new(struct {
		A string `json:"a"`
	}), struct{ A string }{}},
	{"the last of slices and maps", `{"s":[1,2,3],"s":[4],"m":{"a":"b"},"m":{"c":"d"}}`, new(struct {
		S []int             `json:"s"`
		M map[string]string `json:"m"`
	}), struct {
		S []int
		M map[string]string
	}{[]int{4}, map[string]string{"c": "d"}}},
	{"exact integers", `{"a":9007199254740993,"b":9223372036854775807,"c":18446744073709551615,"d":[9007199254740993,1.5,-0,1e2]}`, new(struct {
		A any    `json:"a"`
		B int64  `json:"b"`
		C uint64 `json:"c"`
		D any    `json:"d"`
	}), struct {
		A any
		B int64
		C uint64
		D any
	}{int64(9007199254740993), 9223372036854775807, 18446744073709551615, []any{int64(9007199254740993), 1.5, int64(0), 100.0}}},
	{"a field with the option inline", `{"a":"x","b":"y"}`, new(struct {
		A     string `json:"a"`
		Inner struct {
			B string `json:"b"`
		} `json:",inline"`
	}), struct {
		A     string
		Inner struct{ B string }
	}{"x", struct{ B string }{"y"}}},
	{"own types", `{"q":"100m","n":5,"t":"2026-03-01T12:00:00+01:00","z":null,"m":"2026-03-01T12:00:00.123456Z","i":80,"s":"50%"}`, new(struct {
		Q Quantity    `json:"q"`
		N Quantity    `json:"n"`
		T Time        `json:"t"`
		Z Time        `json:"z"`
		M MicroTime   `json:"m"`
		I IntOrString `json:"i"`
		S IntOrString `json:"s"`
	}), struct {
		Q, N Quantity
		T, Z Time
		M    MicroTime
		I, S IntOrString
	}{"100m", "5", Time{time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)}, Time{}, MicroTime{time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)}, IntOrString{Int: 80}, IntOrString{IsText: true, Text: "50%"}}},
	{"escapes in names and texts", `{"\u006eame":"\u0061\"\\\ud83d\ude00\ud800","m":{"\u006b":"\n"}}`, new(struct {
		Name string            `json:"name"`
		M    map[string]string `json:"m"`
	}), struct {
		Name string
		M    map[string]string
	}{"a\"\\\U0001f600\ufffd", map[string]string{"k": "\n"}}},
	{"bytes that are no UTF-8", "{\"name\":\"a\xff\"}", new(struct {
		Name string `json:"name"`
	}), struct{ Name string }{"a\xff"}},
	{"white space", " {\n\t\"a\" : [ 1 , 2 ] , \"b\" : { } } \r\n", new(struct {
		A []int             `json:"a"`
		B map[string]string `json:"b"`
	}), struct {
		A []int
		B map[string]string
	}{[]int{1, 2}, map[string]string{}}},
}

func TestDecodeJSON(t *testing.T) {
	for _, c := range decodeCases {
		t.Run(c.name, func(t *testing.T) {
			into := reflect.ValueOf(c.into).Elem()
			core, err := compile(into.Type())
			if err != nil {
				t.Fatal(err)
			}
			if err := core.decode([]byte(c.object), nil, Known{}, into); err != nil {
				t.Fatal(err)
			}
			got, want := fmt.Sprintf("%+v", into.Interface()), fmt.Sprintf("%+v", c.want)
			if got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestDecodeItem(t *testing.T) {
	type typed struct {
		Kind       string `json:"kind"`
		APIVersion text   `json:"apiVersion"`
		Metadata   Identity
	}
	p := planFor[typed](t)
	m := &Meta{Kind: []byte("Pod"), APIVersion: []byte("v1")}
	for object, want := range map[string]typed{
		`{"metadata":{}}`:             {Kind: "Pod", APIVersion: "v1"},
		`{"kind":"X"}`:                {Kind: "X", APIVersion: "v1"},
		`{"kind":"","apiVersion":""}`: {Kind: "Pod", APIVersion: "v1"},
	} {
		var v typed
		if err := p.DecodeItem([]byte(object), m, &v); err != nil || v != want {
			t.Errorf("%s: %+v, %v", object, v, err)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	type inner struct {
		Replicas *int32            `json:"replicas"`
		Labels   map[string]uint8  `json:"labels"`
		List     []map[string]bool `json:"list"`
		When     *Time             `json:"when"`
		Size     Quantity          `json:"size"`
		Data     []byte            `json:"data"`
		Port     IntOrString       `json:"port"`
		Duration duration          `json:"duration"`
	}
	type object struct {
		Metadata Identity `json:"metadata"`
		Spec     inner    `json:"spec"`
	}
	const head = `{"metadata":{"namespace":"edge","name":"a"},"spec":`
	for spec, want := range map[string]string{
		`{"replicas":"s3cret"}`:             `edge/a: spec.replicas at offset 63 is a string, want an integer of 32 bits`,
		`{"replicas":2147483648}`:           `edge/a: spec.replicas at offset 63 is a number, want an integer of 32 bits`,
		`{"replicas":1.0}`:                  `edge/a: spec.replicas at offset 63 is a number, want an integer of 32 bits`,
		`["s3cret"]`:                        `edge/a: spec at offset 51 is an array, want an object`,
		`{"labels":{"s3cret!":-1}}`:         `edge/a: spec.labels[…] at offset 72 is a number, want a natural number of 8 bits`,
		`{"labels":{"app.io/x-y_z":256}}`:   `edge/a: spec.labels[app.io/x-y_z] at offset 77 is a number, want a natural number of 8 bits`,
		`{"list":[{},{"a":true},{"b":{}}]}`: `edge/a: spec.list[2][b] at offset 79 is an object, want a boolean`,
		`{"when":"s3cret"}`:                 `edge/a: spec.when at offset 59 is a string, want a time`,
		`{"size":{"s3cret":1}}`:             `edge/a: spec.size at offset 59 is an object, want a quantity`,
		`{"data":"s3cret!"}`:                `edge/a: spec.data at offset 59 is a string, want a string in base64`,
		`{"port":1.5}`:                      `edge/a: spec.port at offset 59 is a number, want an integer or a string`,
		`{"duration":"s3cret"}`:             `edge/a: spec.duration at offset 63 is a string, want what decode.duration understands`,
	} {
		var v object
		err := planFor[object](t).Decode([]byte(head+spec+"}"), &v)
		var oe *ObjectError
		if !errors.As(err, &oe) || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", spec, err, want)
		}
	}
	for _, bad := range []string{``, `{`, `{"metadata":{}`, `{"spec":{"replicas":}}`, `{}{}`, `<html>`, `{"spec":{"list":[1 2]}}`} {
		var v object
		err := planFor[object](t).Decode([]byte(bad), &v)
		var oe *ObjectError
		var se *SyntaxError
		if !errors.As(err, &se) && !errors.As(err, &oe) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	deep := strings.Repeat("[", DefaultDepth+1) + strings.Repeat("]", DefaultDepth+1)
	for _, bad := range []string{deep, `{"spec":{"x":` + deep + `}}`} {
		type tree []tree
		var limit *LimitError
		var v tree
		if err := planFor[tree](t).Decode([]byte(bad), &v); !errors.As(err, &limit) {
			t.Error(err)
		}
	}
}

// duration is a user's type with a method of its own.
type duration time.Duration

func (d *duration) UnmarshalJSON(b []byte) error {
	if string(b) == "-1" {
		return errNegative
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	n, err := time.ParseDuration(s)
	*d = duration(n)
	return err
}

var errNegative = errors.New("negative")

// flag is one with the other method.
type flag bool

func (f *flag) UnmarshalText(b []byte) error {
	switch string(b) {
	case "on":
		*f = true
	case "off":
	default:
		return errFlag
	}
	return nil
}

var errFlag = errors.New("neither on nor off")

func TestMethods(t *testing.T) {
	type view struct {
		D *duration `json:"d"`
		F *flag     `json:"f"`
	}
	p := planFor[view](t)
	var v view
	if err := p.Decode([]byte(`{"d":"5s","f":"\u006fn"}`), &v); err != nil || *v.D != duration(5*time.Second) || !*v.F {
		t.Errorf("%+v, %v", v, err)
	}
	if err := p.Decode([]byte(`{"d":null,"f":null}`), &v); err != nil || v.D != nil || v.F != nil {
		t.Errorf("%+v, %v", v, err)
	}
	for object, want := range map[string]error{`{"d":-1}`: errNegative, `{"f":"maybe"}`: errFlag} {
		if err := p.Decode([]byte(object), &v); !errors.Is(err, want) || strings.Contains(err.Error(), want.Error()) {
			t.Errorf("%s: %v", object, err)
		}
	}
	if err := p.Decode([]byte(`{"f":5}`), &v); err == nil || errors.Unwrap(err) != nil {
		t.Error(err)
	}
}

// TestPlanAllocations counts what one object costs beyond its strings: nothing.
func TestPlanAllocations(t *testing.T) {
	for _, name := range []string{"pod.json", "pod.pb"} {
		object, p, v := testFile(t, name), planFor[five](t), new(five)
		if n := testing.AllocsPerRun(100, func() {
			if err := p.Decode(object, v); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations for strings that have been seen before", name, n)
		}
	}
}

// TestPointer takes a pointer as T, which costs no detour.
func TestPointer(t *testing.T) {
	for _, name := range []string{"pod.json", "pod.pb"} {
		var v **five
		if err := planFor[**five](t).Decode(testFile(t, name), &v); err != nil || (*v).Spec.NodeName != "node-7" {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	if err := planFor[*five](t).Protobuf("", "v1", "Node"); err == nil {
		t.Error("its members are not looked at")
	}
	type typed struct {
		Kind string `json:"kind"`
	}
	var v *typed
	if err := planFor[*typed](t).DecodeItem([]byte(`{}`), &Meta{Kind: []byte("Pod")}, &v); err != nil || v.Kind != "Pod" {
		t.Errorf("%+v, %v", v, err)
	}
	if err := planFor[*typed](t).DecodeItem([]byte(`null`), &Meta{Kind: []byte("Pod")}, &v); err != nil || v != nil {
		t.Errorf("%+v, %v", v, err)
	}
}

type (
	selfish   *selfOther
	selfOther *selfish
)

func TestTypeErrors(t *testing.T) {
	type clash struct {
		Identity
		Other struct {
			Name string `json:"name"`
		} `json:",inline"`
	}
	for _, c := range []struct {
		err  func() error
		path string
	}{
		{func() error { _, err := For[chan int](); return err }, "the type itself"},
		{func() error { _, err := For[struct{ F func() }](); return err }, "F"},
		{func() error { _, err := For[struct{ A []struct{ C complex128 } }](); return err }, "A[].C"},
		{func() error { _, err := For[map[int]string](); return err }, "keys"},
		{func() error { _, err := For[struct{ E error }](); return err }, "E"},
		{func() error {
			_, err := For[struct {
				N int `json:"n,string"`
			}]()
			return err
		}, "N"},
		{func() error { _, err := For[clash](); return err }, "name"},
		{func() error { _, err := For[selfish](); return err }, "the type itself"},
		{func() error { _, err := For[struct{ A []selfish }](); return err }, "A[]"},
	} {
		err := c.err()
		var te *TypeError
		if !errors.As(err, &te) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%v, want %s", err, c.path)
		}
	}
}

func TestProtobuf(t *testing.T) {
	p := planFor[five](t)
	for _, c := range []struct {
		group, version, kind string
		paths                string
	}{
		{"", "v1", "Pod", "nil"},
		{"", "v1", "Node", "[spec.nodeName status.podIP]"},
		{"apps", "v1", "Deployment", "[spec.nodeName status.phase status.podIP]"},
		{"example.com", "v1", "Gadget", "[]"},
		{"", "v1", "PodSpec", "[]"},
	} {
		err := p.Protobuf(c.group, c.version, c.kind)
		got := "nil"
		var unknown *UnknownError
		if errors.As(err, &unknown) {
			got = fmt.Sprint(unknown.Paths)
		}
		if got != c.paths {
			t.Errorf("%s/%s %s: %v, want %s", c.group, c.version, c.kind, err, c.paths)
		}
	}
	typo := planFor[struct {
		Spec struct {
			Containers []struct {
				Nmae string `json:"nmae"`
			} `json:"containers"`
		} `json:"spec"`
	}](t)
	if err := typo.Protobuf("", "v1", "Pod"); err == nil || !strings.Contains(err.Error(), "spec.containers[].nmae") {
		t.Error(err)
	}
	if err := typo.Decode(testFile(t, "pod.pb"), new(struct {
		Spec struct {
			Containers []struct {
				Nmae string `json:"nmae"`
			} `json:"containers"`
		} `json:"spec"`
	})); !errors.As(err, new(*UnknownError)) {
		t.Error(err)
	}
}

func TestMetadataOnly(t *testing.T) {
	if !planFor[struct {
		Metadata Identity `json:"metadata"`
	}](t).MetadataOnly() {
		t.Error("only metadata")
	}
	if planFor[five](t).MetadataOnly() || planFor[any](t).MetadataOnly() || planFor[struct {
		Kind string `json:"kind"`
	}](t).MetadataOnly() {
		t.Error("more than metadata")
	}
}

// TestSharing checks that what repeats is one string, and what does not is not
// kept.
func TestSharing(t *testing.T) {
	p := planFor[five](t)
	address := map[string]map[*byte]bool{}
	const pods = 5 * probation
	for i := range pods {
		var v five
		object := fmt.Sprintf(`{"metadata":{"namespace":"edge-%d","uid":"%d"},"spec":{"nodeName":"node-%d"}}`, i%3, i, i%50)
		if err := p.Decode([]byte(object), &v); err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{v.Metadata.Namespace, v.Spec.NodeName} {
			if address[s] == nil {
				address[s] = map[*byte]bool{}
			}
			address[s][unsafe.StringData(s)] = true
		}
	}
	for s, at := range address {
		if len(at) != 1 {
			t.Errorf("%s exists %d times", s, len(at))
		}
	}
	if n := len(p.core.fillers.first.shared); n > 2*probation {
		t.Errorf("%d texts are kept, though %d of them can never come again", n, pods)
	}
}

func TestDecodeConcurrently(t *testing.T) {
	type view struct {
		Metadata Identity          `json:"metadata"`
		Labels   map[string]string `json:"labels"`
	}
	p := planFor[view](t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				name := fmt.Sprintf("pod-%d-%d", g, i)
				var v view
				if err := p.Decode(fmt.Appendf(nil, `{"metadata":{"namespace":"edge","name":%q},"labels":{"a":%q}}`, name, name), &v); err != nil || v.Metadata.Name != name || v.Labels["a"] != name {
					t.Errorf("%+v, %v", v, err)
				}
			}
		})
	}
	wg.Wait()
}
