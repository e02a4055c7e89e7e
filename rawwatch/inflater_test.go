package rawwatch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func member(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEachMemberIsDeliveredWhenItHasCome: what a member holds is there before
// the first byte of the next, and nothing is held while it is waited for.
func TestEachMemberIsDeliveredWhenItHasCome(t *testing.T) {
	body, server := io.Pipe()
	defer body.Close()
	z := &inflater{in: compressed{body: body}}
	buffer := make([]byte, 1<<10)
	for _, text := range []string{"one", strings.Repeat("two ", 200), "three"} {
		go func() { _, _ = server.Write(member(t, text)) }()
		got := ""
		for len(got) < len(text) {
			n, err := z.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			got += string(buffer[:n])
		}
		if got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	waiting := make(chan error)
	go func() {
		_, err := z.Read(buffer)
		waiting <- err
	}()
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !errors.Is(err, io.EOF) {
		t.Errorf("after the last member: %v, want io.EOF", err)
	}
	if z.member != nil || z.in.large != nil {
		t.Error("an inflater or a buffer is held between two members")
	}
}

// TestBetweenMembers: the end of a member that comes after all that it holds is
// waited for by between, nothing is held then, and what comes in its place is
// not lost.
func TestBetweenMembers(t *testing.T) {
	var sent bytes.Buffer
	w := gzip.NewWriter(&sent)
	piece := func(text string, then func() error) []byte {
		t.Helper()
		_, err := io.WriteString(w, text)
		if err := errors.Join(err, then()); err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(sent.Next(sent.Len()))
	}
	one, two, end := piece("one", w.Flush), piece("two", w.Flush), piece("", w.Close)

	body, server := io.Pipe()
	defer body.Close()
	z := &inflater{in: compressed{body: body}}
	read := func(want string) {
		t.Helper()
		got, err := io.ReadAll(io.LimitReader(z, int64(len(want))))
		if err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	arrives := func(bytes []byte) { go func() { _, _ = server.Write(bytes) }() }
	arrives(one)
	read("one")
	arrives(two)
	for range 2 {
		if z.between() {
			t.Error("between members within one")
		}
	}
	read("two")
	arrives(end)
	if !z.between() || z.member != nil || z.in.large != nil {
		t.Error("not between members after the end of one, or something is held")
	}
	arrives(member(t, "three"))
	read("three")
}

// TestInflatedInPieces: how the body was cut means nothing.
func TestInflatedInPieces(t *testing.T) {
	want := strings.Repeat("a line of text\n", 3000)
	var whole []byte
	for i := 0; i < len(want); i += 7777 {
		whole = append(whole, member(t, want[i:min(i+7777, len(want))])...)
	}
	for name, body := range map[string]io.Reader{
		"at once":   bytes.NewReader(whole),
		"by bytes":  iotest.OneByteReader(bytes.NewReader(whole)),
		"halves":    iotest.HalfReader(bytes.NewReader(whole)),
		"early end": iotest.DataErrReader(bytes.NewReader(whole)),
	} {
		got, err := io.ReadAll(&inflater{in: compressed{body: body}})
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// TestSpoiltGzip: cut at any place it is a cut stream, at a member's end a
// clean end; with any byte changed it is an error, or the same text.
func TestSpoiltGzip(t *testing.T) {
	first := member(t, "first")
	whole := append(bytes.Clone(first), member(t, "second")...)
	for cut := range len(whole) {
		got, err := io.ReadAll(&inflater{in: compressed{body: bytes.NewReader(whole[:cut])}})
		if clean := cut == 0 || cut == len(first); clean != (err == nil) || !clean && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %q, %v", cut, got, err)
		}
	}
	for i := range whole {
		spoilt := bytes.Clone(whole)
		spoilt[i] ^= 0x55
		got, err := io.ReadAll(&inflater{in: compressed{body: bytes.NewReader(spoilt)}})
		if err == nil && string(got) != "firstsecond" {
			t.Errorf("byte %d changed: %q without an error", i, got)
		}
		var located *InflateError
		if errors.As(err, &located) && (located.Offset <= 0 || located.Offset > int64(len(whole))) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	silent := &inflater{in: compressed{body: emptyReader{}}}
	if _, err := silent.Read(make([]byte, 10)); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a body that says nothing: %v", err)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

func FuzzInflater(f *testing.F) {
	f.Add(member(f, "text"), 3)
	f.Add([]byte("\x1f\x8b"), 1)
	f.Fuzz(func(t *testing.T, body []byte, size int) {
		z := &inflater{in: compressed{body: iotest.HalfReader(bytes.NewReader(body))}}
		defer z.close()
		got, err := io.ReadAll(io.LimitReader(z, 1<<20))
		reference, parseErr := gzip.NewReader(bytes.NewReader(body))
		if parseErr != nil {
			if err == nil && len(body) > 0 {
				t.Fatalf("%q was inflated to %q", body, got)
			}
			return
		}
		want, wantErr := io.ReadAll(io.LimitReader(reference, 1<<20))
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v; the standard library: %d, %v", len(got), err, len(want), wantErr)
		}
	})
}

func BenchmarkInflater(b *testing.B) {
	text := strings.Repeat(`{"metadata":{"name":"web-7d4b9c6f5d-00001","namespace":"edge-1"}},`, 1<<14)
	body := member(b, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		z := &inflater{in: compressed{body: bytes.NewReader(body)}}
		if n, err := io.Copy(io.Discard, z); err != nil || n != int64(len(text)) {
			b.Fatal(n, err)
		}
		z.close()
	}
}
