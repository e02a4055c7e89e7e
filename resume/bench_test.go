package resume

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// must steps a machine that cannot fail.
func must(b *testing.B, m *Machine, now time.Time, o Outcome) Action {
	a, err := m.Step(now, o)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func watchingMachine(b *testing.B) *Machine {
	m, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, o := range []Outcome{start, listed, opens} {
		must(b, m, time.Time{}, o)
	}
	return m
}

func versions(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(80_000_000 + i)
	}
	return all
}

// BenchmarkMachineStep is the machine's share of each event of a stream.
func BenchmarkMachineStep(b *testing.B) {
	m, all := watchingMachine(b), versions(1000)
	now := time.Unix(1e9, 0)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		must(b, m, now, Outcome{Kind: EventSeen, ResourceVersion: all[i%len(all)]})
		i++
	}
}

// BenchmarkMachineReconnect is a whole failure: lost, waited, opened again.
func BenchmarkMachineReconnect(b *testing.B) {
	m := watchingMachine(b)
	now := time.Unix(1e9, 0)
	b.ReportAllocs()
	for b.Loop() {
		for _, o := range []Outcome{failure(Unavailable), over, opens} {
			must(b, m, now, o)
		}
	}
}

func metas(n int) []*decode.Meta {
	var all []*decode.Meta
	for _, id := range pods(n) {
		all = append(all, metaOf(id))
	}
	return all
}

// BenchmarkIndexObserve takes in one object of 50,000.
func BenchmarkIndexObserve(b *testing.B) {
	const n = 50_000
	all := metas(n)
	filled := func() *Index[struct{}] {
		x := new(Index[struct{}])
		for _, m := range all {
			x.Observe(m)
		}
		return x
	}
	b.Run("unchanged", func(b *testing.B) {
		x := filled()
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if c, _ := x.Observe(all[i%n]); c != Unchanged {
				b.Fatal(c)
			}
			i++
		}
	})
	b.Run("modified", func(b *testing.B) {
		x := filled()
		version := int64(90_000_000)
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			version++
			m := *all[i%n]
			var digits [20]byte
			m.ResourceVersion = strconv.AppendInt(digits[:0], version, 10)
			if c, _ := x.Observe(&m); c != Modified {
				b.Fatal(c)
			}
			i++
		}
	})
	b.Run("added", func(b *testing.B) {
		x := new(Index[struct{}])
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if i%n == 0 {
				*x = Index[struct{}]{}
			}
			if c, _ := x.Observe(all[i%n]); c != Added {
				b.Fatal(c)
			}
			i++
		}
	})
}

// BenchmarkIndexRelist is a relist of 50,000 objects that are all known.
func BenchmarkIndexRelist(b *testing.B) {
	all := metas(50_000)
	var x Index[struct{}]
	b.ReportAllocs()
	for b.Loop() {
		x.BeginRelist()
		for _, m := range all {
			x.Observe(m)
		}
		for id := range x.EndRelist() {
			b.Fatalf("%v is gone", id)
		}
	}
}

// BenchmarkIndexMemory reports what an entry takes, key included: 39 bytes of
// namespace and name.
func BenchmarkIndexMemory(b *testing.B) {
	for _, n := range []int{1_000, 50_000, 100_000} {
		all := metas(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var used uint64
			for b.Loop() {
				before := heap()
				x := new(Index[struct{}])
				for _, m := range all {
					x.Observe(m)
				}
				used = heap() - before
				runtime.KeepAlive(x)
			}
			b.ReportMetric(float64(used)/float64(n), "B/entry")
		})
	}
}
