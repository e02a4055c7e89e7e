package watchtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// largePod is of the size that real pods with managedFields have: 7.7 KB.
func largePod(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"metadata":{"namespace":"load","name":%q,"labels":{"app":"web"},"managedFields":[`, name)
	for i := range 30 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"manager":"m%d","operation":"Update","fieldsV1":{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{}}}}}}`, i)
	}
	b.WriteString(`]},"spec":{"nodeName":"n1","containers":[`)
	for i := range 12 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"c%d","image":"registry.invalid/app:%d","env":[{"name":"A","value":%q}]}`, i, i, strings.Repeat("v", 200))
	}
	b.WriteString(`]},"status":{"phase":"Pending","n":0}}`)
	return b.String()
}

func fill(b *testing.B, s *Server, n int) {
	b.Helper()
	for i := range n {
		if _, err := s.Create(Pods, largePod(fmt.Sprintf("p%05d", i))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	s := NewServer(Options{Mode: MemoryPlain})
	defer s.Close()
	texts := make([]string, b.N)
	for i := range texts {
		texts[i] = largePod(fmt.Sprintf("p%08d", i))
	}
	b.SetBytes(int64(len(texts[0])))
	b.ResetTimer()
	for _, text := range texts {
		if _, err := s.Create(Pods, text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpdate replaces whole objects, read and checked from their text.
func BenchmarkUpdate(b *testing.B) {
	s := NewServer(Options{Mode: MemoryPlain})
	defer s.Close()
	fill(b, s, 100)
	texts := make([]string, 200)
	for i := range texts {
		texts[i] = strings.Replace(largePod(fmt.Sprintf("p%05d", i%100)), `"n":0`, fmt.Sprintf(`"n":%d`, i), 1)
	}
	b.SetBytes(int64(len(texts[0])))
	for i := 0; b.Loop(); i++ {
		if _, err := s.Update(Pods, texts[i%200]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvents patches the status of 10,000 pods, while watches read every
// event over HTTP: one iteration is one event to all of them.
func BenchmarkEvents(b *testing.B) {
	for _, mode := range []Mode{MemoryPlain, Memory, TLS} {
		for _, watches := range []int{0, 1, 10} {
			name := map[Mode]string{MemoryPlain: "MemoryPlain", Memory: "Memory", TLS: "TLS"}[mode]
			b.Run(fmt.Sprintf("%s/watches=%d", name, watches), func(b *testing.B) { benchmarkEvents(b, mode, watches) })
		}
	}
}

func benchmarkEvents(b *testing.B, mode Mode, watches int) {
	s := NewServer(Options{Mode: mode, History: 20_000})
	defer s.Close()
	fill(b, s, 10_000)
	client := s.Client()
	defer client.CloseIdleConnections()
	done := fmt.Sprintf(`"n":%d,`, b.N)
	var readers sync.WaitGroup
	for range watches {
		resp, err := client.Get(s.base() + fmt.Sprintf("/api/v1/pods?watch=1&resourceVersion=%d", s.Revision()))
		if err != nil {
			b.Fatal(err)
		}
		readers.Go(func() { readUntil(b, resp, done) })
	}
	o, err := s.Get(Pods, "load", "p00000")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(o.JSON)))
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if _, err := s.Patch(Pods, "load", fmt.Sprintf("p%05d", i%10_000), fmt.Sprintf(`{"status":{"n":%d}}`, i+1)); err != nil {
			b.Fatal(err)
		}
	}
	readers.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// readUntil reads a watch until a text has come.
func readUntil(b *testing.B, resp *http.Response, text string) {
	defer resp.Body.Close()
	p := make([]byte, 64<<10)
	kept := 0 // bytes of the part before, in case the text is split
	for {
		n, err := resp.Body.Read(p[kept:])
		if err != nil {
			b.Errorf("watch: %v", err)
			return
		}
		n += kept
		if bytes.Contains(p[:n], []byte(text)) {
			return
		}
		kept = copy(p, p[max(0, n-len(text)):n])
	}
}

// BenchmarkList reads 10,000 pods, as a whole and in pages.
func BenchmarkList(b *testing.B) {
	s := NewServer(Options{Mode: MemoryPlain})
	defer s.Close()
	fill(b, s, 10_000)
	client := s.Client()
	defer client.CloseIdleConnections()
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			resp, err := client.Get(s.base() + "/api/v1/pods")
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if err != nil {
				b.Fatal(err)
			}
			resp.Body.Close()
			b.SetBytes(n)
		}
	})
	b.Run("selected by field", func(b *testing.B) {
		for b.Loop() {
			resp, err := client.Get(s.base() + "/api/v1/pods?fieldSelector=spec.nodeName%3Dother")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				b.Fatal(err)
			}
			resp.Body.Close()
		}
	})
}
