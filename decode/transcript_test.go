package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"
)

// Readers are compared by what they say: one line for each event or item, and
// one for the error at the end.

func watchTranscript(r io.Reader, o Options) (lines []string) {
	e := NewEventReader(r, o)
	defer e.Close()
	for {
		ev, err := e.Next()
		if err != nil {
			if _, again := e.Next(); again != err {
				return append(lines, "not sticky: "+fmt.Sprint(again))
			}
			return append(lines, errorLine(err))
		}
		lines = append(lines, eventLine(ev))
	}
}

func eventLine(ev *Event) string {
	s := fmt.Sprintf("%s %s%s", ev.Type, metaLine(&ev.Meta), ev.Object)
	if ev.Status != nil {
		s += " | " + errorLine(ev.Status)
	}
	if ev.Err != nil {
		s += " | " + errorLine(ev.Err)
	}
	return s
}

func listTranscript(r io.Reader, o Options) (lines []string) {
	l := NewListReader(r, o)
	defer l.Close()
	for {
		it, err := l.Next()
		if err != nil {
			if _, again := l.Next(); again != err {
				return append(lines, "not sticky: "+fmt.Sprint(again))
			}
			if err == io.EOF {
				lines = append(lines, fmt.Sprintf("%+v", l.Meta()))
			}
			return append(lines, errorLine(err))
		}
		line := metaLine(&it.Meta) + string(it.Object)
		if it.Err != nil {
			line += " | " + errorLine(it.Err)
		}
		lines = append(lines, line)
	}
}

func metaLine(m *Meta) string {
	s := ""
	for _, f := range []struct {
		name string
		text []byte
	}{{"v", m.APIVersion}, {"k", m.Kind}, {"ns", m.Namespace}, {"n", m.Name}, {"u", m.UID}, {"rv", m.ResourceVersion}} {
		if len(f.text) > 0 {
			s += fmt.Sprintf("%s=%s ", f.name, f.text)
		}
	}
	if m.InitialEventsEnd {
		s += "end "
	}
	return s
}

// errorLine is an error's type and what is in it.
func errorLine(err error) string {
	var (
		stream *StreamError
		syntax *SyntaxError
		limit  *LimitError
		object *ObjectError
		status *StatusError
		noList *NotListError
	)
	switch {
	case err == io.EOF:
		return "EOF"
	case errors.As(err, &stream):
		return fmt.Sprintf("stream @%d -%d: %v", stream.Offset, stream.Partial, stream.Err)
	case errors.As(err, &syntax):
		return fmt.Sprintf("syntax @%d: %s, want %s", syntax.Offset, syntax.Found, syntax.Want)
	case errors.As(err, &limit):
		return fmt.Sprintf("limit @%d: %s %d", limit.Offset, limit.What, limit.Limit)
	case errors.As(err, &object):
		return fmt.Sprintf("object %s @%d: %s is %s, want %s", object.Key, object.Offset, object.Path, object.Token, object.Want)
	case errors.As(err, &status):
		return fmt.Sprintf("status %d %s", status.Status.Code, status.Status.Reason)
	case errors.As(err, &noList):
		return fmt.Sprintf("no list @%d: %q %s", noList.Offset, noList.Kind, noList.Token)
	}
	return fmt.Sprintf("%T %v", err, err)
}

// chunkings are ways in which the same bytes can arrive.
func chunkings(body string) map[string]func() io.Reader {
	whole := func() io.Reader { return bytes.NewReader([]byte(body)) }
	ways := map[string]func() io.Reader{
		"whole":       whole,
		"byte":        func() io.Reader { return iotest.OneByteReader(whole()) },
		"half":        func() io.Reader { return iotest.HalfReader(whole()) },
		"end at once": func() io.Reader { return iotest.DataErrReader(whole()) },
	}
	for k := 1; k < len(body); k++ {
		ways[fmt.Sprintf("split at %d", k)] = func() io.Reader {
			return io.MultiReader(bytes.NewReader([]byte(body[:k])), bytes.NewReader([]byte(body[k:])))
		}
	}
	return ways
}

// sameHowever checks that read says want of body, in whatever pieces it comes,
// and with what was lent out poisoned.
func sameHowever(t *testing.T, body string, want []string, read func(io.Reader, Options) []string) {
	t.Helper()
	for way, reader := range chunkings(body) {
		got := read(reader(), Options{Poison: true})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n%s\ngot\n%s\nwant\n%s", way, body, joined(got), joined(want))
			return
		}
	}
}

func joined(lines []string) string {
	s := ""
	for _, l := range lines {
		s += "\t" + l + "\n"
	}
	return s
}
