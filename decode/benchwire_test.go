package decode

import (
	"bytes"
	"io"
	"testing"
)

// The readers of protobuf on pods of 5.5 KB, alone and with a plan behind.

func BenchmarkWireWatch(b *testing.B) { wireWatchBench(b, func(*Event) error { return nil }) }

func BenchmarkWireWatchFive(b *testing.B) {
	p := planFor[five](b)
	var v five
	wireWatchBench(b, func(ev *Event) error { return p.Decode(ev.Object, &v) })
}

func wireWatchBench(b *testing.B, each func(*Event) error) {
	var body []byte
	for range 500 {
		body = append(body, wireFrame("MODIFIED", testFile(b, "pod.pb"))...)
	}
	perBody(b, body, func(r io.Reader) int {
		e := NewEventReader(r, Options{Encoding: Protobuf})
		defer e.Close()
		for n := 0; ; n++ {
			ev, err := e.Next()
			if err == io.EOF {
				return n
			}
			if err != nil || each(ev) != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWireList(b *testing.B) { wireListBench(b, func(*Item) error { return nil }) }

func BenchmarkWireListFive(b *testing.B) {
	p := planFor[five](b)
	var v five
	wireListBench(b, func(it *Item) error { return p.Decode(it.Object, &v) })
}

func wireListBench(b *testing.B, each func(*Item) error) {
	e, bad := open(testFile(b, "pod.pb"))
	if bad != nil {
		b.Fatal(bad)
	}
	items := make([][]byte, 500)
	for i := range items {
		items[i] = e.raw
	}
	perBody(b, wireListBody("PodList", str(2, "8"), items...), func(r io.Reader) int {
		l := NewListReader(r, Options{Encoding: Protobuf})
		defer l.Close()
		for n := 0; ; n++ {
			it, err := l.Next()
			if err == io.EOF {
				return n
			}
			if err != nil || each(it) != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkJSONListFive is the same list in JSON.
func BenchmarkJSONListFive(b *testing.B) {
	p := planFor[five](b)
	var v five
	items := make([][]byte, 500)
	for i := range items {
		items[i] = testFile(b, "pod.json")
	}
	body := append(append([]byte(`{"kind":"PodList","apiVersion":"v1","items":[`), bytes.Join(items, []byte(","))...), "]}"...)
	perBody(b, body, func(r io.Reader) int {
		l := NewListReader(r, Options{})
		defer l.Close()
		for n := 0; ; n++ {
			it, err := l.Next()
			if err == io.EOF {
				return n
			}
			if err != nil || p.DecodeKnown(it.Object, Known{Checked: it.Meta.Checked()}, &v) != nil {
				b.Fatal(err)
			}
		}
	})
}
