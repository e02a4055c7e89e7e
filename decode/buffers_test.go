package decode

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// readFunc is a reader that a test can look out of.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// TestIdleHoldsLittle: while a stream waits for its next frame, it has given
// its buffer back and waits with the tiny one.
func TestIdleHoldsLittle(t *testing.T) {
	frames := [][]byte{watchBody(1), []byte(frameOf(3 << 20)), watchBody(3), []byte(frameOf(100) + " \n")}
	var e *EventReader
	waits := 0
	var rest []byte
	e = NewEventReader(readFunc(func(p []byte) (int, error) {
		if len(rest) == 0 {
			if len(p) > tinyBuffer || e.body.input.block != nil || cap(e.body.b) > tinyBuffer {
				t.Errorf("waits with a buffer of %d bytes", len(p))
			}
			waits++
			if len(frames) == 0 {
				return 0, io.EOF
			}
			rest, frames = frames[0], frames[1:]
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n, nil
	}), Options{})
	defer e.Close()
	for {
		if _, err := e.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if waits != 5 || e.Frames() != 6 {
		t.Errorf("%d waits, %d frames", waits, e.Frames())
	}
}

// TestGiantIsDropped: a giant buffer neither stays with a busy stream nor goes
// to a pool.
func TestGiantIsDropped(t *testing.T) {
	body := io.MultiReader(bytesReader(frameOf(3<<20)), bytes.NewReader(watchBody(400)))
	e := NewEventReader(body, Options{})
	for n := 0; ; n++ {
		_, err := e.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if size := len(e.body.input.full); n > 300 && size > smallBuffer {
			t.Fatalf("after %d small frames the buffer still has %d bytes", n, size)
		}
	}
	e.Close()
	for _, size := range []int{tinyBuffer, smallBuffer + 1, 2 * largeBuffer, DefaultFrameLimit} {
		if class(size) >= 0 {
			t.Errorf("a buffer of %d bytes would be pooled", size)
		}
	}
	if class(largeBuffer) < 0 || class(smallBuffer) < 0 {
		t.Error("usual buffers are not pooled")
	}
}

// TestListIsFlat: however long a list is, its reader holds a few items' bytes.
func TestListIsFlat(t *testing.T) {
	l := NewListReader(bytes.NewReader(listBody(2000)), Options{})
	defer l.Close()
	for {
		_, err := l.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if size := len(l.body.input.full); size > smallBuffer {
			t.Fatalf("a buffer of %d bytes", size)
		}
	}
}

// TestRandomChunks reads bodies of random frames in random chunks, so that
// the window moves and grows in all ways.
func TestRandomChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var body strings.Builder
		var want []string
		for range 40 {
			size := 100 + random.IntN(1<<(6+random.IntN(11)))
			frame := frameOf(size)
			body.WriteString(frame)
			body.WriteString(strings.Repeat("\n", random.IntN(3)))
			want = append(want, "ADDED n=a "+frame[len(`{"type":"ADDED","object":`):size-1])
		}
		rest := body.String()
		r := readFunc(func(p []byte) (int, error) {
			if rest == "" {
				return 0, io.EOF
			}
			n := copy(p, rest[:min(len(rest), 1+random.IntN(1<<random.IntN(16)))])
			rest = rest[n:]
			return n, nil
		})
		got := watchTranscript(r, Options{Poison: true})
		if joined(got) != joined(append(want, "EOF")) {
			t.Fatal("frames differ")
		}
	}
}

func TestPoison(t *testing.T) {
	e := NewEventReader(bytesReader(`{"type":"ADDED","object":{"metadata":{"name":"\u0061b","uid":"u"}}}{"type":"ADDED","object":{}}`), Options{Poison: true})
	defer e.Close()
	ev, err := e.Next()
	if err != nil {
		t.Fatal(err)
	}
	owned, kept := ev.Meta.Identity(), *ev
	if _, err := e.Next(); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"object": kept.Object, "name": kept.Meta.Name, "uid": kept.Meta.UID} {
		if !poisoned(b) {
			t.Errorf("%s is not poisoned: %q", name, b)
		}
	}
	if owned.Name != "ab" || owned.UID != "u" {
		t.Errorf("the identity is not owned: %+v", owned)
	}
}

func poisoned(b []byte) bool {
	return len(b) > 0 && bytes.Count(b, []byte{poisonByte}) == len(b)
}

func TestPoisonOnClose(t *testing.T) {
	l := NewListReader(bytesReader(`{"kind":"PodList","items":[{"metadata":{"name":"a"}},{}]}`), Options{Poison: true})
	it, err := l.Next()
	if err != nil {
		t.Fatal(err)
	}
	object, kind := it.Object, it.Meta.Kind
	l.Close()
	if !poisoned(object) {
		t.Errorf("not poisoned: %q", object)
	}
	if string(kind) != "Pod" {
		t.Errorf("the list's kind was poisoned: %q", kind)
	}
}

func TestClose(t *testing.T) {
	e := NewEventReader(bytes.NewReader(watchBody(3)), Options{})
	if _, err := e.Next(); err != nil {
		t.Fatal(err)
	}
	e.Close()
	e.Close()
	if _, err := e.Next(); err != ErrClosed {
		t.Error(err)
	}
	if e.Frames() != 1 || e.Offset() != int64(len(watchBody(1)))-1 {
		t.Errorf("%d frames, %d bytes", e.Frames(), e.Offset())
	}
	l := NewListReader(bytesReader(`{"items":[]}`), Options{})
	if _, err := l.Next(); err != io.EOF {
		t.Error(err)
	}
	l.Close()
	if _, err := l.Next(); err != ErrClosed {
		t.Error(err)
	}
}

func TestOffset(t *testing.T) {
	e := NewEventReader(bytesReader("\n\n"+frameOf(90)+"\n"+frameOf(700)+frameOf(80)), Options{})
	defer e.Close()
	for i, want := range []int64{92, 793, 873} {
		if _, err := e.Next(); err != nil || e.Offset() != want || e.Frames() != int64(i+1) {
			t.Errorf("frame %d: offset %d, want %d; %v", e.Frames(), e.Offset(), want, err)
		}
	}
}

var errTorn = errors.New("connection reset")

// TestReaderErrors: a reader's error comes after all that was complete before
// it, wrapped.
func TestReaderErrors(t *testing.T) {
	const frame = `{"type":"ADDED","object":{}}`
	for _, c := range []struct {
		body string
		want []string
	}{
		{frame, []string{"ADDED {}", "stream @28 -0: connection reset"}},
		{frame + "\n" + frame[:20], []string{"ADDED {}", "stream @49 -20: connection reset"}},
		{"", []string{"stream @0 -0: connection reset"}},
	} {
		for _, r := range []io.Reader{
			io.MultiReader(bytesReader(c.body), iotest.ErrReader(errTorn)),
			iotest.DataErrReader(io.MultiReader(bytesReader(c.body), iotest.ErrReader(errTorn))),
		} {
			got := watchTranscript(r, Options{})
			if joined(got) != joined(c.want) {
				t.Errorf("%q:\n%s", c.body, joined(got))
			}
		}
	}
	_, err := NewListReader(iotest.ErrReader(errTorn), Options{}).Next()
	if !errors.Is(err, errTorn) {
		t.Error(err)
	}
	_, err = NewListReader(io.MultiReader(bytesReader(`{"items":[]}`), iotest.ErrReader(errTorn)), Options{}).Next()
	if !errors.Is(err, errTorn) {
		t.Errorf("an error behind the list: %v", err)
	}
}

// TestBrokenReaders: readers that break their contract end the stream.
func TestBrokenReaders(t *testing.T) {
	for name, r := range map[string]readFunc{
		"nothing, for ever": func([]byte) (int, error) { return 0, nil },
		"too much":          func(p []byte) (int, error) { return len(p) + 1, nil },
		"negative":          func([]byte) (int, error) { return -1, nil },
	} {
		_, err := NewEventReader(r, Options{}).Next()
		var stream *StreamError
		if !errors.As(err, &stream) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAllocations: a consumer that keeps nothing costs nothing, whatever the
// number of events.
func TestAllocations(t *testing.T) {
	body := watchBody(100)
	perEvent := testing.AllocsPerRun(20, func() {
		e := NewEventReader(bytes.NewReader(body), Options{})
		for {
			if _, err := e.Next(); err != nil {
				break
			}
		}
		e.Close()
	}) / 100
	if perEvent > 0.2 {
		t.Errorf("%.2f allocations per event", perEvent)
	}
	m := Meta{Name: []byte("a"), UID: []byte("u"), ResourceVersion: []byte("5")}
	if n := testing.AllocsPerRun(100, func() { sink = m.Identity() }); n > 1 {
		t.Errorf("Identity allocates %.0f times", n)
	}
}

var sink Identity
