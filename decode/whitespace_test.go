package decode

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// blanks is white space without end, but for a test that would not end either.
type blanks struct{ read int64 }

func (b *blanks) Read(p []byte) (int, error) {
	if b.read > 64<<20 {
		return 0, io.ErrClosedPipe
	}
	for i := range p {
		p[i] = " \n\t\r"[i%4]
	}
	b.read += int64(len(p))
	return len(p), nil
}

// TestEndlessWhiteSpace: it is no sign of life, wherever it stands.
func TestEndlessWhiteSpace(t *testing.T) {
	for _, head := range []string{
		"",
		`{"type":"ADDED","object":{"metadata":{"name":"a"}}}`,
		`{"kind":"PodList","items":[`,
		`{"kind":"PodList","items":[{"metadata":{"name":"a"}}`,
		`{"kind":"PodList","items":[]`,
		`{"kind":"PodList","items":[]}`,
	} {
		for name, next := range map[string]func(io.Reader) error{
			"events": func(r io.Reader) error {
				e := NewEventReader(r, Options{})
				for {
					if _, err := e.Next(); err != nil {
						return err
					}
				}
			},
			"list": func(r io.Reader) error {
				l := NewListReader(r, Options{})
				for {
					if _, err := l.Next(); err != nil {
						return err
					}
				}
			},
		} {
			var endless blanks
			err := next(io.MultiReader(bytes.NewReader([]byte(head)), &endless))
			syntax, limit := new(SyntaxError), new(LimitError)
			if !errors.As(err, &syntax) && !errors.As(err, &limit) {
				t.Errorf("%s after %q: %v", name, head, err)
			}
			if endless.read > 20<<20 {
				t.Errorf("%s after %q: read %d bytes", name, head, endless.read)
			}
		}
	}
}
