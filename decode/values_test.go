package decode

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"
)

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		q            Quantity
		value, milli int64
	}{
		{"", 0, 0}, {"0", 0, 0}, {"1", 1, 1000}, {"-3", -3, -3000}, {"+5", 5, 5000},
		{"100m", 1, 100}, {"-100m", -1, -100}, {"1500m", 2, 1500}, {"1n", 1, 1}, {"999u", 1, 1},
		{"1k", 1000, 1000000}, {"2M", 2e6, 2e9}, {"3G", 3e9, 3e12}, {"1T", 1e12, 1e15},
		{"1Ki", 1024, 1024000}, {"1.5Gi", 3 << 29, 3 << 29 * 1000}, {"0.5Ki", 512, 512000},
		{"1e3", 1000, 1e6}, {"1E3", 1000, 1e6}, {"12e-1", 2, 1200}, {".5", 1, 500}, {"5.", 5, 5000}, {"1.0001", 2, 1001},
	} {
		v, err1 := c.q.Value()
		m, err2 := c.q.MilliValue()
		if v != c.value || m != c.milli || err1 != nil || err2 != nil {
			t.Errorf("%s: %d, %d, %v, %v", c.q, v, m, err1, err2)
		}
	}
	for q, want := range map[Quantity]int64{"9223372036854775807": math.MaxInt64, "1E": 1e18, "7Ei": 7 << 60, "-9223372036854775808": math.MinInt64} {
		if v, err := q.Value(); v != want || err != nil {
			t.Errorf("%s: %d, %v", q, v, err)
		}
		if v, err := q.MilliValue(); !errors.Is(err, ErrQuantity) {
			t.Errorf("%s: %d, %v", q, v, err)
		}
	}
	for _, bad := range []Quantity{"x", "1x", "1 k", "Ki", "-", ".", "1e", "e3", "1e999", "1e3k", "1..5", "1.5.2", "0x10", "1_000", "9223372036854775808", "8Ei",
		"1111111111111111111111111111111111111111111111111111111111111111111111"} {
		if v, err := bad.Value(); !errors.Is(err, ErrQuantity) {
			t.Errorf("%q: %d, %v", bad, v, err)
		}
	}
}

// TestOwnTypesInJSON takes the types through encoding/json, where users meet
// them too.
func TestOwnTypesInJSON(t *testing.T) {
	type all struct {
		Q Quantity
		T Time
		M MicroTime
		I IntOrString
		S IntOrString
	}
	const text = `{"Q":"1500Mi","T":"2026-03-01T11:00:00Z","M":"2026-03-01T11:00:00.000120Z","I":-8080,"S":"50% \u003c"}`
	var v all
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if v.Q.String() != "1500Mi" || v.I.String() != "-8080" || v.S.String() != "50% <" || v.M.Nanosecond() != 120000 || v.T.Location() != time.UTC {
		t.Errorf("%+v", v)
	}
	if again, err := json.Marshal(v); err != nil || string(again) != text {
		t.Errorf("%s, %v", again, err)
	}
	const nulls = `{"Q":"","T":null,"M":null,"I":0,"S":0}`
	if err := json.Unmarshal([]byte(`{"Q":null,"T":null,"M":null,"I":null,"S":null}`), &v); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(v); err != nil || string(again) != nulls {
		t.Errorf("%s, %v", again, err)
	}
	for text, want := range map[string]error{
		`{"Q":true}`: ErrQuantity, `{"Q":{}}`: ErrQuantity,
		`{"T":5}`: ErrTime, `{"T":"yesterday"}`: ErrTime, `{"M":""}`: ErrTime, `{"M":[]}`: ErrTime,
		`{"I":1.5}`: ErrIntOrString, `{"I":2147483648}`: ErrIntOrString, `{"I":[1]}`: ErrIntOrString,
	} {
		if err := json.Unmarshal([]byte(text), &v); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "<&>", "\"\\\b\f\n\r\t\x00\x1f\x7f", "\u2028\u2029", "\xff\xc3", "日本\U0001f600", "\xe2\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendString(nil, s); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
		if got := appendString(nil, []byte(s)); string(got) != string(want) {
			t.Errorf("of bytes: %s, want %s", got, want)
		}
	})
}

func FuzzAppendFloat(f *testing.F) {
	for _, n := range []float64{0, 1, -1.5, 1e21, 1e20, 1e-6, 1e-7, 1.5e-9, 123456789.25, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n float64) {
		want, err := json.Marshal(n)
		if err != nil {
			return // not a number
		}
		if got := appendFloat(nil, n); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func FuzzAppendCompact(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : [ 1 , 2 ] } `, `"<\"& \u2028\\"`, "\"\u2028\xe2\x80\"", `[true, null]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want, err := json.Marshal(json.RawMessage(b))
		w := writer{}
		if bad := w.raw(b, 0); (bad == nil) != (err == nil) {
			if len(b) == 0 {
				return // stands for null here
			}
			t.Fatalf("%v, encoding/json %v", bad, err)
		}
		if err == nil && string(w.dst) != string(want) {
			t.Errorf("%s, want %s", w.dst, want)
		}
	})
}
