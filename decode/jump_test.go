package decode

import (
	"reflect"
	"strings"
	"testing"
)

// TestCheckedObjectsAreTheSame: what a reader has checked may be crossed faster,
// with the same result.
func TestCheckedObjectsAreTheSame(t *testing.T) {
	type want struct {
		Metadata Identity `json:"metadata"`
		Last     string   `json:"last"`
	}
	p := planFor[want](t)
	for _, inner := range []string{
		`{}`, `[]`, `{"a":{"b":[1,"]",{"c":"}"}]}}`, `["\"","\\","\\\"]"]`, `{"\\":"\\\\","\"}":"{["}`,
		`["",  "" , ""]`, `{ "a" : 1.5e3 , "b" : null , "c" : [ true , false ] }`, `["1234567\"","12345678","123456789\\"]`,
		`["` + strings.Repeat(`\"`, 50) + `"]`, `{"u":"\u005d\ud83d\ude00"}`,
	} {
		object := []byte(`{"skipped":` + inner + `,"metadata":{"x":` + inner + `,"name":"n"},"more":` + inner + `,"last":"z"}`)
		var a, b want
		if err := p.Decode(object, &a); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		if err := p.DecodeKnown(object, Known{Checked: checked(object, span{})}, &b); err != nil || !reflect.DeepEqual(a, b) || b.Last != "z" {
			t.Errorf("%s: %+v, %v, want %+v", object, b, err, a)
		}
	}
}

// FuzzChecked: on valid JSON both ways agree; on anything else the faster one
// may be wrong, but neither panics nor runs past the end.
func FuzzChecked(f *testing.F) {
	f.Add([]byte(`{"a":{"b":"\\\""},"metadata":{"name":"n"}}`))
	f.Add([]byte(`{"a":["\`))
	f.Fuzz(func(t *testing.T, object []byte) {
		type want struct {
			Metadata Identity `json:"metadata"`
		}
		p := planFor[want](t)
		var a, b want
		if len(object) == 0 {
			return
		}
		err := p.Decode(object, &a)
		checkedErr := p.DecodeKnown(object, Known{Checked: checked(object, span{})}, &b)
		if err == nil && (checkedErr != nil || a != b) {
			t.Fatalf("%+v, %v; checked: %+v, %v", a, err, b, checkedErr)
		}
	})
}
