package decode

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The grammar is held against encoding/json: the two must accept the same
// bytes, and find the same borders.

// splitValues takes a stream of JSON values apart with the package's walker.
// ok is false where it found something that is no JSON.
func splitValues(r io.Reader) (values []string, ok bool) {
	var y body
	y.init(r, Options{}.withDefaults())
	defer y.fail(ErrClosed)
	for {
		_, err := y.between()
		if err == io.EOF {
			return values, true
		}
		if err != nil || y.skip() != nil {
			return values, false
		}
		values = append(values, string(y.take()))
		y.endLoan(&Meta{})
	}
}

func splitReference(text []byte) (values []string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var v json.RawMessage
		err := d.Decode(&v)
		if err == io.EOF {
			return values, true
		}
		if err != nil {
			return values, false
		}
		values = append(values, string(v))
	}
}

func compareSplit(t *testing.T, text []byte) {
	t.Helper()
	want, wantOK := splitReference(text)
	got, ok := splitValues(bytes.NewReader(text))
	if ok != wantOK || joined(got) != joined(want) {
		t.Fatalf("%q:\ngot %v\n%swant %v\n%s", text, ok, joined(got), wantOK, joined(want))
	}
	slow, ok := splitValues(iotest.OneByteReader(bytes.NewReader(text)))
	if ok != wantOK || joined(slow) != joined(want) {
		t.Fatalf("%q byte by byte:\ngot %v\n%swant %v\n%s", text, ok, joined(slow), wantOK, joined(want))
	}
}

// TestGrammarExhaustive tries every short text over JSON's own alphabet, bare
// and inside an array and an object.
func TestGrammarExhaustive(t *testing.T) {
	const alphabet = `{}[]",:\u01-.eE+nt ` + "\n\x01\xff"
	length := 4
	if testing.Short() {
		length = 3
	}
	var try func(text []byte)
	var s scanner
	check := func(text string) {
		s.b, s.i, s.depth, s.max = []byte(text), 0, 0, DefaultDepth
		_, err := s.space()
		if err == nil {
			err = s.skip()
		}
		if err == nil {
			err = s.end()
		}
		if (err == nil) != json.Valid(s.b) {
			t.Errorf("%q: %v", text, err)
		}
	}
	try = func(text []byte) {
		check(string(text))
		check("[" + string(text) + "]")
		check(`{"a":` + string(text) + "}")
		if len(text) == length {
			return
		}
		for _, c := range []byte(alphabet) {
			try(append(text, c))
		}
	}
	try(make([]byte, 0, 8))
}

// TestGrammarCases are longer texts that the exhaustive test does not reach.
func TestGrammarCases(t *testing.T) {
	for _, text := range grammarSeeds {
		compareSplit(t, []byte(text))
	}
	for _, depth := range []int{63, 64, 65, 127, 128, 129, 192, 1000, DefaultDepth, DefaultDepth + 1} {
		for _, unit := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			open, shut := strings.Repeat(unit[0], depth), strings.Repeat(unit[1], depth)
			if unit[0] != "[" {
				open += "1"
			}
			compareSplit(t, []byte(open+shut))
			compareSplit(t, []byte(open+shut[1:]+"]"))
			compareSplit(t, []byte(open+shut[1:]+"}"))
		}
	}
	alternating := strings.Repeat(`[{"a":`, 100) + "[]" + strings.Repeat("}]", 100)
	for i := range alternating {
		compareSplit(t, []byte(alternating[:i]+"]"+alternating[i+1:]))
	}
}

var grammarSeeds = []string{
	`1 2 -3.5e+10 0 -0 0.0 1E5 1e-5`, `01`, `-`, `1.`, `1.e5`, `1e`, `1e+`, `.5`, `+1`, `0x1`,
	`true false null`, `tru`, `nulll`, `truefalse`, `"a""b"`, `[1][2]{"a":1}{}`,
	`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, `"\ud800"`, `"\udc00\ud800"`, `"\u12"`, `"\u12g4"`, `"\'"`,
	"\"a\tb\"", "\"\x7f\x80\xff\"", "\"long enough for two words \x1f\"", `"exactly8"`, `"exactly 16 bytes"`,
	`{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1 "b":2}`, `{"a" :1 , "b" : [ ] , "c" : { } }`,
	`[1,]`, `[,1]`, `[1 2]`, `[}`, `{]`, `[1}`, `{"a":1]`, "\ufeff{}", "{}\x00", ` `, ``,
	`{"metadata":{"name":"a"}}` + "\n" + `{"metadata":{"name":"b"}}`,
}

func FuzzSplit(f *testing.F) {
	for _, text := range grammarSeeds {
		f.Add([]byte(text))
	}
	f.Add(podJSON(1))
	f.Fuzz(func(t *testing.T, text []byte) { compareSplit(t, text) })
}
