package checkpoint_test

import (
	"fmt"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

const benchPods = 10_000

func stored(b *testing.B, files checkpoint.FS) {
	b.Helper()
	s := open(b, memPath, checkpoint.Options{FS: files})
	ok(b, s.Replace(b.Context(), checkpointtest.PodsIdentity("pods"), "1", checkpointtest.Pods(benchPods)))
	ok(b, s.Close())
}

// From nothing to all objects of 10,000 pods of five fields, from a file that
// is in the page cache.
func BenchmarkOpenAndLoad(b *testing.B) {
	path := file(b)
	s := open(b, path, checkpoint.Options{})
	begin(b, s, benchPods)
	ok(b, s.Close())
	b.ReportAllocs()
	for b.Loop() {
		s := open(b, path, checkpoint.Options{})
		saved, err := s.Load(b.Context(), "pods")
		ok(b, err)
		n := 0
		for _, err := range saved.Objects {
			ok(b, err)
			n++
		}
		if n != benchPods {
			b.Fatalf("%d pods", n)
		}
		ok(b, s.Close())
	}
}

// Commits of events among 10,000 pods, compaction included. payload and written
// are bytes per event.
func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("events=%d", size), func(b *testing.B) {
			files := newMemFS()
			stored(b, files)
			s := open(b, memPath, checkpoint.Options{FS: files})
			var batch resume.Batch
			var r resume.Record
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				b.StopTimer()
				batch.Reset()
				for range size {
					n++
					checkpointtest.Pod(&r, n*7919%benchPods, benchPods+n)
					batch.Add(&r)
				}
				b.StartTimer()
				ok(b, s.Commit(b.Context(), "pods", &batch, fmt.Sprint(benchPods+n)))
			}
			st := s.Status()
			b.ReportMetric(float64(st.Written)/float64(n), "written/event")
			b.ReportMetric(float64(st.Payload)/float64(n), "payload/event")
			b.ReportMetric(float64(st.Written)/float64(st.Payload), "written/payload")
		})
	}
}

// One note of a delivery, and what it takes to drop it again, half a thousand at a
// time, compaction included.
func BenchmarkNote(b *testing.B) {
	files := newMemFS()
	stored(b, files)
	s := open(b, memPath, checkpoint.Options{FS: files})
	ok(b, s.Replace(b.Context(), checkpointtest.PodsIdentity("notes"), "", checkpointtest.Pods(0)))
	var batch resume.Batch
	var m decode.Meta
	note := func(n int) {
		uid := fmt.Sprintf("%08d-0000-4000-8000-000000000000", n)
		m = decode.Meta{Namespace: []byte("handler"), Name: []byte(uid), UID: []byte("namespace/web-7d8f9c-x2x4z"), ResourceVersion: []byte("s4711")}
	}
	before := s.Status().Written
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		batch.Reset()
		note(n)
		batch.Put(&m, nil)
		ok(b, s.Note(b.Context(), "notes", &batch))
		if n%500 == 0 {
			batch.Reset()
			for old := n - 499; old <= n; old++ {
				note(old)
				batch.Delete(&m)
			}
			ok(b, s.Note(b.Context(), "notes", &batch))
		}
	}
	b.ReportMetric(float64(s.Status().Written-before)/float64(n), "written/note")
}

func BenchmarkReplace(b *testing.B) {
	files := newMemFS()
	s := open(b, memPath, checkpoint.Options{FS: files})
	b.ReportAllocs()
	for b.Loop() {
		ok(b, s.Replace(b.Context(), checkpointtest.PodsIdentity("pods"), "1", checkpointtest.Pods(benchPods)))
	}
}
