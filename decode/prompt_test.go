package decode

import (
	"encoding/json"
	"io"
	"testing"
)

// TestDeliveredAtOnce: a frame or an item is there as soon as its last byte
// is, without waiting for what comes next.
func TestDeliveredAtOnce(t *testing.T) {
	returned := 0
	chunks := func(parts ...string) io.Reader {
		sent, rest := 0, ""
		return readFunc(func(p []byte) (n int, err error) {
			if rest != "" {
				n, rest = copy(p, rest), rest[min(len(p), len(rest)):]
				return n, nil
			}
			if returned < sent {
				t.Errorf("asks for more although value %d is complete", sent)
			}
			if sent == len(parts) {
				return 0, io.EOF
			}
			sent++
			rest = parts[sent-1]
			n, rest = copy(p, rest), rest[min(len(p), len(rest)):]
			return n, nil
		})
	}
	e := NewEventReader(chunks(`{"type":"ADDED","object":{}}`, "\n"+`{"type":"ADDED","object":{}}`), Options{})
	defer e.Close()
	for ; returned < 2; returned++ {
		if _, err := e.Next(); err != nil {
			t.Fatal(err)
		}
	}
	returned = 0
	l := NewListReader(chunks(`{"items":[{}`, `,{}`, ` , {}`), Options{})
	defer l.Close()
	for ; returned < 3; returned++ {
		if _, err := l.Next(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPodIsRealistic guards what the benchmarks are made on.
func TestPodIsRealistic(t *testing.T) {
	pod := podJSON(7)
	if !json.Valid(pod) || len(pod) < 7500 || len(pod) > 8200 {
		t.Errorf("valid %v, %d bytes", json.Valid(pod), len(pod))
	}
}
