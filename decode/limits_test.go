package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func bytesReader(s string) io.Reader { return bytes.NewReader([]byte(s)) }

// frameOf is a frame of exactly size bytes.
func frameOf(size int) string {
	const head, tail = `{"type":"ADDED","object":{"metadata":{"name":"a"},"data":"`, `"}}`
	return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
}

func itemOf(size int) string {
	const head, tail = `{"metadata":{"name":"a"},"data":"`, `"}`
	return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
}

func TestFrameLimit(t *testing.T) {
	for _, limit := range []int{100, 512, 513, 1000, smallBuffer - 1, smallBuffer, smallBuffer + 1, 100_000} {
		for way, chunk := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "byte": iotest.OneByteReader, "half": iotest.HalfReader,
		} {
			o := Options{FrameLimit: limit}
			got := watchTranscript(chunk(bytesReader(frameOf(limit)+"\n"+frameOf(limit)+"\n\n"+frameOf(limit+1)+frameOf(limit))), o)
			if len(got) != 3 || !strings.HasPrefix(got[1], "ADDED n=a") || got[2] != fmt.Sprintf("limit @%d: frame %d", 2*limit+3, limit) {
				t.Errorf("limit %d, %s: %d lines, last %.80s", limit, way, len(got), got[len(got)-1])
			}
		}
	}
}

func TestItemLimit(t *testing.T) {
	const limit = 1000
	for way, chunk := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "byte": iotest.OneByteReader,
	} {
		o := Options{ItemLimit: limit}
		number := strings.Repeat("7", limit+1)
		sameLine(t, listTranscript(chunk(bytesReader(`{"items":[`+number+"]}")), o), 0, "limit @10: list item 1000")
		sameLine(t, listTranscript(chunk(bytesReader(`{"code":`+number+"}")), o), 0, "limit @1: list member 1000")
		got := listTranscript(chunk(bytesReader(`{"items":[`+itemOf(limit)+","+itemOf(limit)+","+itemOf(limit+1)+"]}")), o)
		if len(got) != 3 || got[2] != fmt.Sprintf("limit @%d: list item %d", 10+2*limit+2, limit) {
			t.Errorf("%s: %d lines, last %.80s", way, len(got), got[len(got)-1])
		}
		got = listTranscript(chunk(bytesReader(`{"items":[{}],"kind":"`+strings.Repeat("x", limit)+`"}`)), o)
		if len(got) != 2 || got[1] != "limit @13: list member 1000" {
			t.Errorf("%s: %.80s", way, got)
		}
	}
}

// TestHugeFrames: 2 MB is a legal frame, 17 MB is an error, which is found
// without holding more than the limit.
func TestHugeFrames(t *testing.T) {
	var read int64
	body := io.MultiReader(bytesReader(frameOf(2_000_000)), bytesReader(frameOf(17_000_000)))
	e := NewEventReader(countingReader{body, &read}, Options{})
	defer e.Close()
	ev, err := e.Next()
	if err != nil || len(ev.Object) < 1_999_900 {
		t.Fatal(err)
	}
	_, err = e.Next()
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Offset != 2_000_000 || limit.Limit != DefaultFrameLimit {
		t.Fatalf("%v", err)
	}
	if read > 2_000_000+DefaultFrameLimit {
		t.Errorf("read %d bytes", read)
	}
	if e.body.input.block != nil {
		t.Error("a buffer is still held")
	}
}

type countingReader struct {
	io.Reader
	n *int64
}

func (c countingReader) Read(p []byte) (int, error) {
	if len(p) > DefaultFrameLimit {
		return 0, errors.New("a buffer beyond the limit")
	}
	n, err := c.Reader.Read(p)
	*c.n += int64(n)
	return n, err
}

// TestEndlessFrame: a frame that never ends costs its limit, not more.
func TestEndlessFrame(t *testing.T) {
	var read int64
	r := countingReader{io.MultiReader(bytesReader(`{"type":"`), endless{}), &read}
	got := watchTranscript(r, Options{FrameLimit: 100_000})
	if got[0] != "limit @0: frame 100000" || read > 100_000 {
		t.Errorf("%s after %d bytes", got, read)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	mixed := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + strings.Repeat("]}", n/2) }
	for _, f := range []func(int) string{nested, mixed} {
		for _, depth := range []int{2, 64, 66, 128, 130, 200, DefaultDepth - 2} {
			frame := func(n int) string { return `{"type":"ADDED","object":{"x":` + f(n) + `}}` }
			o := Options{Depth: depth + 2}
			sameLine(t, watchTranscript(bytesReader(frame(depth)), o), 1, "EOF")
			got := watchTranscript(bytesReader(frame(depth+2)), o)
			if !strings.Contains(got[0], fmt.Sprintf("nesting %d", depth+2)) {
				t.Errorf("depth %d: %.100s", depth, got)
			}
		}
	}
	sameLine(t, watchTranscript(bytesReader(`{"type":"ADDED","object":{}}`), Options{Depth: 1}), 0, "limit @25: nesting 1")
	sameLine(t, listTranscript(bytesReader(`{"items":[]}`), Options{Depth: 1}), 0, "limit @9: nesting 1")
	sameLine(t, listTranscript(bytesReader(`{"items":[{"metadata":{"annotations":{}}}]}`), Options{Depth: 4}), 0, "limit @37: nesting 4")
}

func sameLine(t *testing.T, lines []string, at int, want string) {
	t.Helper()
	if len(lines) <= at || lines[at] != want {
		t.Errorf("got %.200s, want %s at %d", lines, want, at)
	}
}

func TestOptionsDefaults(t *testing.T) {
	want := Options{FrameLimit: DefaultFrameLimit, ItemLimit: DefaultItemLimit, Depth: DefaultDepth}
	for _, o := range []Options{{}, {FrameLimit: -1, ItemLimit: -1, Depth: -1}} {
		if got := o.withDefaults(); got != want {
			t.Errorf("%+v: %+v", o, got)
		}
	}
}
