package decode

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	jsoniter "github.com/json-iterator/go"
)

var iterator = jsoniter.Config{CaseSensitive: true}.Froze()

// The three benchmarks of this package's own work, on pods of 7.7 KB.

func BenchmarkEventReader(b *testing.B) {
	body := watchBody(500)
	perBody(b, body, func(r io.Reader) int {
		e := NewEventReader(r, Options{})
		defer e.Close()
		n := 0
		for {
			ev, err := e.Next()
			if err == io.EOF {
				return n
			}
			if err != nil || len(ev.Meta.Name) == 0 {
				b.Fatalf("%v, %+v", err, ev)
			}
			n++
		}
	})
}

func BenchmarkListReader(b *testing.B) {
	body := listBody(500)
	perBody(b, body, func(r io.Reader) int {
		l := NewListReader(r, Options{})
		defer l.Close()
		n := 0
		for {
			it, err := l.Next()
			if err == io.EOF {
				return n
			}
			if err != nil || len(it.Meta.Name) == 0 {
				b.Fatalf("%v, %+v", err, it)
			}
			n++
		}
	})
}

// perBody reports throughput in bytes of the body, and allocations per value.
func perBody(b *testing.B, body []byte, read func(io.Reader) int) {
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	values := 0
	for b.Loop() {
		values = read(bytes.NewReader(body))
	}
	if values != 500 {
		b.Fatalf("%d values", values)
	}
	b.ReportMetric(float64(values), "values/op")
}

func BenchmarkScanMeta(b *testing.B) {
	pod := podJSON(7)
	b.SetBytes(int64(len(pod)))
	b.ReportAllocs()
	var m Meta
	for b.Loop() {
		if err := ScanMeta(pod, &m); err != nil || len(m.UID) == 0 {
			b.Fatal(err)
		}
	}
}

// What other means take for the same pod, to have ratios that hold on any
// machine. The quote scanner finds no borders and checks nothing: it is the
// floor of what looking at every string costs.

func BenchmarkReferenceQuotes(b *testing.B) {
	pod := podJSON(7)
	b.SetBytes(int64(len(pod)))
	for b.Loop() {
		n := 0
		for rest := pod; ; n++ {
			k := bytes.IndexByte(rest, '"')
			if k < 0 {
				break
			}
			rest = rest[k+1:]
		}
		if n == 0 {
			b.Fatal("no quotes")
		}
	}
}

type podMeta struct {
	Metadata Identity `json:"metadata"`
}

func BenchmarkReferenceEncodingJSON(b *testing.B) {
	referenceUnmarshal(b, json.Unmarshal)
}

func BenchmarkReferenceJSONIterator(b *testing.B) {
	referenceUnmarshal(b, iterator.Unmarshal)
}

func referenceUnmarshal(b *testing.B, unmarshal func([]byte, any) error) {
	pod := podJSON(7)
	b.SetBytes(int64(len(pod)))
	b.ReportAllocs()
	for b.Loop() {
		var m podMeta
		if err := unmarshal(pod, &m); err != nil || m.Metadata.UID == "" {
			b.Fatal(err)
		}
	}
}

func BenchmarkReferenceJSONIteratorSkip(b *testing.B) {
	pod := podJSON(7)
	b.SetBytes(int64(len(pod)))
	b.ReportAllocs()
	for b.Loop() {
		it := iterator.BorrowIterator(pod)
		it.Skip()
		if it.Error != nil && it.Error != io.EOF {
			b.Fatal(it.Error)
		}
		iterator.ReturnIterator(it)
	}
}
