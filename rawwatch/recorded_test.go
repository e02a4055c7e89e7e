package rawwatch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// told decodes a compressed watch, and gives a line for each frame and the
// error that ended it.
func told(body io.Reader, e decode.Encoding) (lines []string, end error) {
	z := &inflater{in: compressed{body: body}}
	defer z.close()
	frames := decode.NewEventReader(z, decode.Options{Encoding: e, Poison: true})
	defer frames.Close()
	for {
		frame, err := frames.Next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, fmt.Sprint(string(frame.Type), " ", frame.Meta.Identity().Key(), " ", string(frame.Meta.Kind), " ", frame.Meta.InitialEventsEnd, " ", frame.Err))
	}
}

// TestRecordedGzip: initial streams as a kube-apiserver v1.37.2 compressed them.
// Both encodings tell the same, and cut at any place a stream gives the frames
// that had come, in order, and says that it was cut.
func TestRecordedGzip(t *testing.T) {
	for name, kind := range map[string]string{"initial": "Pod", "metadata": "PartialObjectMetadata"} {
		var golden []string
		for suffix, encoding := range map[string]decode.Encoding{"json": decode.JSON, "pb": decode.Protobuf} {
			whole, err := os.ReadFile("../testdata/streams/gzip-" + name + "." + suffix + ".gz")
			if err != nil {
				t.Fatal(err)
			}
			lines, end := told(bytes.NewReader(whole), encoding)
			if !errors.Is(end, io.EOF) || len(lines) < 4 {
				t.Fatalf("%s.%s: %q, then %v", name, suffix, lines, end)
			}
			if want := "ADDED recorded/one " + kind + " false <nil>"; lines[0] != want {
				t.Errorf("%s.%s begins with %s, want %s", name, suffix, lines[0], want)
			}
			if last := lines[len(lines)-1]; golden == nil {
				golden = lines
			} else if fmt.Sprint(golden) != fmt.Sprint(lines) {
				t.Errorf("%s.%s: %q\nthe other encoding: %q, last %s", name, suffix, lines, golden, last)
			}
			checkCuts(t, whole, encoding, lines)
		}
	}
}

func checkCuts(t *testing.T, whole []byte, e decode.Encoding, lines []string) {
	t.Helper()
	came := 0
	for cut := range len(whole) {
		got, end := told(bytes.NewReader(whole[:cut]), e)
		if len(got) < came || fmt.Sprint(got) != fmt.Sprint(lines[:len(got)]) {
			t.Fatalf("cut at %d: %q after %d frames", cut, got, came)
		}
		came = len(got)
		var torn *decode.StreamError
		if !errors.Is(end, io.EOF) && (!errors.As(end, &torn) || !errors.Is(end, io.ErrUnexpectedEOF)) {
			t.Fatalf("cut at %d: %v", cut, end)
		}
	}
	if came < len(lines)-1 {
		t.Errorf("%d frames of %d before the last byte", came, len(lines))
	}
}
