package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestOutputKeepsNoHugeBuffer(t *testing.T) {
	var sink bytes.Buffer
	o := newOutput(&sink)
	huge := strings.Repeat("x", 2*keepBuffer)
	for _, text := range []string{"short", huge, "short"} {
		if err := o.writeLine(func(dst []byte) ([]byte, error) { return append(dst, text...), nil }); err != nil {
			t.Fatal(err)
		}
		if c := cap(o.line); c > keepBuffer {
			t.Errorf("after a line of %d bytes a buffer of %d is kept", len(text), c)
		}
	}
	if err := o.flush(); err != nil {
		t.Fatal(err)
	}
	if want := "short\n" + huge + "\nshort\n"; sink.String() != want {
		t.Errorf("got %d bytes, want %d", sink.Len(), len(want))
	}
}

func TestWriteErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		left bool
	}{
		{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, true},
		{io.ErrClosedPipe, true},
		{&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}, false},
	} {
		err := writeError(test.err)
		if errors.Is(err, errReaderLeft) != test.left {
			t.Errorf("%v becomes %v", test.err, err)
		}
		if !test.left && !errors.Is(err, test.err) {
			t.Errorf("%v does not wrap its cause", err)
		}
	}
	if err := writeError(nil); err != nil {
		t.Errorf("no error becomes %v", err)
	}
}

func TestProgressLine(t *testing.T) {
	var sink bytes.Buffer
	p := &progress{w: &sink}
	p.show(500, 9500)
	p.show(1000, -1)
	p.clear()
	p.clear()
	want := "\r\x1b[K500 of 10000 objects\r\x1b[K1000 objects\r\x1b[K"
	if sink.String() != want {
		t.Errorf("got %q, want %q", sink.String(), want)
	}
	hidden := newProgress(&sink, io.Discard)
	before := sink.Len()
	hidden.show(1, 1)
	hidden.clear()
	if sink.Len() != before {
		t.Error("progress is shown on what is no terminal")
	}
}

func TestNullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Error("the null device is taken for a terminal")
	}
}

func TestSecretsAreHidden(t *testing.T) {
	var s secrets
	s.add("planted-token", "ab", "")
	if got, want := s.hide("about planted-token"), "about REDACTED"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
