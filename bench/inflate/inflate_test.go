// Package inflate measures what unpacks a compressed list: the standard
// library, which rawwatch uses, beside the best known alternative.
package inflate

import (
	"bytes"
	stdgzip "compress/gzip"
	"encoding/json"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/rawwatch/rawwatch/bench/load"
)

// body is a list of pods as an API server compresses it (level 4).
func body(b *testing.B) (packed []byte, size int64) {
	b.Helper()
	var out bytes.Buffer
	w, err := stdgzip.NewWriterLevel(&out, 4)
	if err != nil {
		b.Fatal(err)
	}
	for n := range 500 {
		pod, err := json.Marshal(load.Pod(n))
		if err != nil {
			b.Fatal(err)
		}
		written, err := w.Write(pod)
		if err != nil {
			b.Fatal(err)
		}
		size += int64(written)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Bytes(), size
}

func measure(b *testing.B, reader func(io.Reader) (io.Reader, error)) {
	packed, size := body(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		r, err := reader(bytes.NewReader(packed))
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r); err != nil || n != size {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkStandard(b *testing.B) {
	z := new(stdgzip.Reader)
	measure(b, func(r io.Reader) (io.Reader, error) { return z, z.Reset(r) })
}

func BenchmarkKlauspost(b *testing.B) {
	z := new(gzip.Reader)
	measure(b, func(r io.Reader) (io.Reader, error) { return z, z.Reset(r) })
}
