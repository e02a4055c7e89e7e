package encode

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// The files in testdata/streams are what a kube-apiserver v1.37.2 answered.

// inList begins the items of a metadata list in JSON, which say their kind only
// there.
const inList = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// there and back: an object to JSON by package decode, and back to protobuf.
func thereAndBack(t *testing.T, wire []byte) []byte {
	t.Helper()
	text, err := decode.ToJSON(nil, wire)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Object(nil, text)
	if err != nil {
		t.Fatal(err)
	}
	back, err := decode.ToJSON(nil, again)
	if err != nil || !bytes.Equal(back, text) {
		t.Errorf("%v\n%s\nwant\n%s", err, back, text)
	}
	return again
}

func TestRecordedBodies(t *testing.T) {
	for _, kind := range []string{"list", "error"} {
		files, err := filepath.Glob("../../testdata/streams/" + kind + "-*.pb")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, name := range files {
			t.Run(filepath.Base(name), func(t *testing.T) {
				wire := file(t, name)
				if again := thereAndBack(t, wire); !bytes.Equal(again, wire) {
					t.Errorf("%q\nwant\n%q", again, wire)
				}
				text := bytes.TrimSpace(file(t, strings.TrimSuffix(name, ".pb")+".json"))
				text = bytes.ReplaceAll(text, []byte(inList), []byte("{"))
				again, err := Object(nil, text)
				if err != nil {
					t.Fatal(err)
				}
				if back, err := decode.ToJSON(nil, again); err != nil || !bytes.Equal(back, text) {
					t.Errorf("from JSON: %v\n%s\nwant\n%s", err, back, text)
				}
			})
		}
	}
}

// TestRecordedWatches takes each frame apart and puts it together again.
func TestRecordedWatches(t *testing.T) {
	files, err := filepath.Glob("../../testdata/streams/watch-*.pb")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			for b := file(t, name); len(b) > 0; {
				end := 4 + int(binary.BigEndian.Uint32(b))
				frame := b[:end]
				b = b[end:]
				eventType := string(frame[6 : 6+frame[5]])
				at := bytes.Index(frame, []byte(magic))
				again := Frame(nil, eventType, thereAndBack(t, frame[at:]))
				if !bytes.Equal(again, frame) {
					t.Errorf("%q\nwant\n%q", again, frame)
				}
			}
		})
	}
}

func TestGolden(t *testing.T) {
	lines := bytes.Split(bytes.TrimSpace(file(t, "../../decode/testdata/objects.jsonl")), []byte("\n"))
	same := 0
	for wires := file(t, "../../decode/testdata/objects.pb"); len(wires) > 0; {
		end := 4 + int(binary.BigEndian.Uint32(wires))
		line, wire := lines[0], wires[4:end]
		lines, wires = lines[1:], wires[end:]
		got, err := Object(nil, line)
		if err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if bytes.Equal(got, wire) {
			same++
		} else if !bytes.Contains(line, []byte(":null")) { // a null that a pointer stood for
			t.Errorf("%s\ngives %q\nwant  %q", line, got, wire)
		}
	}
	if same == 0 || len(lines) > 0 {
		t.Errorf("%d the same, %d left", same, len(lines))
	}
}
