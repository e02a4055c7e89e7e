package store

import (
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// ready is a Keep that takes what was decoded beforehand, so that a benchmark
// measures the store alone, as it does client-go's.
func ready(values map[decode.Key]fields) rawwatch.Keep[fields] {
	return func(o rawwatch.Object, into *fields) error {
		*into = values[o.Key()]
		return nil
	}
}

// changes are later states of some pods, for both.
func changes(b *testing.B, count int) ([]rawwatch.Event, []*corev1.Pod, map[decode.Key]fields) {
	b.Helper()
	plan, err := decode.For[fields]()
	if err != nil {
		b.Fatal(err)
	}
	var events []rawwatch.Event
	var typedPods []*corev1.Pod
	values := map[decode.Key]fields{}
	for i := range count {
		n := i * 7919 % pods
		e := event(b, rawwatch.CauseStream, n, 1)
		var f fields
		if err := plan.Decode(e.Object.Raw, &f); err != nil {
			b.Fatal(err)
		}
		values[e.Object.Key()] = f
		events, typedPods = append(events, e), append(typedPods, typed(b, n, 1))
	}
	return events, typedPods, values
}

// BenchmarkUpdate is one change of one pod into the store and its indexes;
// client-go's pods are decoded beforehand, and so are those of "rawwatch";
// "rawwatch+decode" begins with the bytes of the frame.
func BenchmarkUpdate(b *testing.B) {
	events, typedPods, values := changes(b, 1000)
	run := func(s *rawwatch.Store[fields]) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Apply(events[i%len(events)], nil)
			}
		}
	}
	b.Run("rawwatch", run(ours(b, ready(values))))
	b.Run("rawwatch+decode", run(ours(b, nil)))
	b.Run("client-go", func(b *testing.B) {
		s := theirs(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := s.Update(typedPods[i%len(typedPods)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkGet is one look-up, while nobody writes and while one goroutine
// writes without a pause.
func BenchmarkGet(b *testing.B) {
	events, typedPods, values := changes(b, 1000)
	keys := make([]decode.Key, pods)
	texts := make([]string, pods)
	for n := range pods {
		keys[n] = key(n * 7919 % pods)
		texts[n] = keys[n].String()
	}
	mine, other := ours(b, ready(values)), theirs(b)
	getMine := func(i int) bool { _, ok := mine.Get(keys[i]); return ok }
	getTheirs := func(i int) bool { _, ok, _ := other.GetByKey(texts[i]); return ok }
	for _, load := range []string{"idle", "written"} {
		writing := load == "written"
		b.Run("rawwatch/"+load, reading(getMine, writing, func(i int) { mine.Apply(events[i%len(events)], nil) }))
		b.Run("client-go/"+load, reading(getTheirs, writing, func(i int) {
			if err := other.Update(typedPods[i%len(typedPods)]); err != nil {
				panic(err)
			}
		}))
	}
}

func reading(get func(int) bool, writing bool, write func(int)) func(*testing.B) {
	return func(b *testing.B) {
		var writer sync.WaitGroup
		var done atomic.Bool
		if writing {
			writer.Go(func() {
				for i := 0; !done.Load(); i++ {
					write(i)
				}
			})
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if !get(i % pods) {
				b.Fatal("a pod is missing")
			}
		}
		done.Store(true)
		writer.Wait()
	}
}

// BenchmarkByIndex looks at all pods of one node.
func BenchmarkByIndex(b *testing.B) {
	mine, other := ours(b, nil), theirs(b)
	b.Run("rawwatch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			items, err := mine.ByIndex("node", "node-7")
			n := 0
			for range items {
				n++
			}
			if err != nil || n != pods/50 {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("client-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			items, err := other.ByIndex("node", "node-7")
			if err != nil || len(items) != pods/50 {
				b.Fatal(len(items), err)
			}
		}
	})
}

// BenchmarkAll looks at all pods: of rawwatch as they are shown, of client-go
// as a copy of its map.
func BenchmarkAll(b *testing.B) {
	mine, other := ours(b, nil), theirs(b)
	b.Run("rawwatch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for range mine.All() {
				n++
			}
			if n != pods {
				b.Fatal(n)
			}
		}
	})
	b.Run("client-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if n := len(other.List()); n != pods {
				b.Fatal(n)
			}
		}
	})
}
