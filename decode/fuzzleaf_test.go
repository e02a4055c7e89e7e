package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"testing"
)

// FuzzLeafJSON compares the values that have no simple form with what
// encoding/json makes of them.
func FuzzLeafJSON(f *testing.F) {
	for _, s := range []string{
		`null`, `true`, `false`, `""`, `"a\u0041\ud83d\ude00\ud83d"`, "\"\xff\xc3(\"", `"aGVsbG8="`, `"aGVs\nbG8="`, `"aGVsbG8"`, `"\u0061A=="`, `"!"`,
		`[]`, `[0,255,null]`, `[256]`, `[-1]`, `[-0]`, `[0,-0]`, `[1.0]`, `[1e2]`, `["1"]`, `[[1]]`, `{}`, `{"a":1,"a":[2.5,{"b":null}]}`, "{\"\xff\":1,\"\uFFFD\":2}",
		`0`, `-0`, `1.5e300`, `1e400`, `-9223372036854775808`, `18446744073709551615`, `"1.5"`, `"-"`, `"1e5"`, `" 1"`, `"01"`, `"0x1"`, ` [ 1 , { "x" : [ ] } ] `,
	} {
		f.Add([]byte(s))
	}
	anything, number, octets := planFor[any](f), planFor[json.Number](f), planFor[[]byte](f)
	f.Fuzz(func(t *testing.T, b []byte) {
		var x any
		if err := anything.Decode(b, &x); errors.As(err, new(*LimitError)) || EncodingOf(b) == Protobuf {
			return
		} else if want, ok := referenceAny(b); (err == nil) != ok || ok && !reflect.DeepEqual(x, want) {
			t.Errorf("any: %#v, %v, encoding/json %#v, %v", x, err, want, ok)
		}
		var n, wantN json.Number
		err, wantErr := number.Decode(b, &n), json.Unmarshal(b, &wantN)
		if (err == nil) != (wantErr == nil) || err == nil && n != wantN {
			t.Errorf("json.Number: %q, %v, encoding/json %q, %v", n, err, wantN, wantErr)
		}
		var y, wantY []byte
		err, wantErr = octets.Decode(b, &y), json.Unmarshal(b, &wantY)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(y, wantY) {
			t.Errorf("[]byte: %q, %v, encoding/json %q, %v", y, err, wantY, wantErr)
		}
	})
}

// referenceAny is what encoding/json makes of b, with exact integers.
func referenceAny(b []byte) (x any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if d.Decode(&x) != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	return exactNumbers(x)
}

func exactNumbers(x any) (_ any, ok bool) {
	ok = true
	switch x := x.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(x), 10, 64); err == nil {
			return n, true
		}
		n, err := strconv.ParseFloat(string(x), 64)
		return n, err == nil
	case []any:
		for i := range x {
			if x[i], ok = exactNumbers(x[i]); !ok {
				return nil, false
			}
		}
	case map[string]any:
		for k := range x {
			if x[k], ok = exactNumbers(x[k]); !ok {
				return nil, false
			}
		}
	}
	return x, ok
}
