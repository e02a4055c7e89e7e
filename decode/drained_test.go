package decode

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
)

// TestDrained: between frames Drained says whether Next would read, ends the
// loan, and holds no buffer while it is true; it takes nothing away from Next.
func TestDrained(t *testing.T) {
	json := []string{frameOf(100), " \n" + frameOf(40<<10) + "\r\n", frameOf(110) + frameOf(120) + "\n \n"}
	wire := []string{wireOf(100), wireOf(40 << 10), wireOf(10) + wireOf(20)}
	for _, test := range []struct {
		name    string
		chunks  []string
		options Options
	}{
		{"JSON", json, Options{Poison: true}},
		{"protobuf", wire, Options{Poison: true, Encoding: Protobuf}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rest, chunks := "", test.chunks
			e := NewEventReader(readFunc(func(p []byte) (int, error) {
				if rest == "" {
					if len(chunks) == 0 {
						return 0, io.EOF
					}
					rest, chunks = chunks[0], chunks[1:]
				}
				n := copy(p, rest)
				rest = rest[n:]
				return n, nil
			}), test.options)
			defer e.Close()
			var drained, frames int
			for ; ; frames++ {
				for range 2 { // asking again changes nothing
					if got, want := e.Drained(), rest == "" && frames != 3; got != want {
						t.Fatalf("after %d frames: drained is %v", frames, got)
					}
				}
				if e.Drained() {
					drained++
					if e.body.input.block != nil || e.body.b != nil && cap(e.body.b) > tinyBuffer {
						t.Error("a buffer is held")
					}
				}
				event, err := e.Next()
				if err == io.EOF {
					break
				}
				if err != nil || event.Type != Added || event.Err != nil {
					t.Fatalf("%+v, %v", event, err)
				}
			}
			if frames != 4 || drained != 4 {
				t.Errorf("%d frames, drained %d times", frames, drained)
			}
			if e.Drained() {
				t.Error("drained after the end")
			}
		})
	}
}

// wireOf is a watch frame in protobuf whose object has a padding of the size.
func wireOf(size int) string {
	field := func(number int, data string) string {
		return string(appendLength(nil, number, len(data))) + data
	}
	padding := field(15, strings.Repeat("x", size)) // of no meaning
	object := string(wrap(nil, "v1", "ConfigMap", len(padding))) + padding
	frame := field(watchType, "ADDED") + field(watchObject, field(extensionRaw, object))
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(frame)))) + frame
}
