package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// result is what a process prints.
type result struct {
	Payload, Written, Disk int64 // bytes
	File                   int64 // bytes
	RssAnon, RssFile       int   // KiB
	CPU, Took              time.Duration
	Version                string
	Objects                int
	Sum                    uint64 // over all keys and objects, in any order
}

// write fills a store, then commits events, and measures the events.
func (o options) write() error {
	s, err := openStore(o.Store, o.Path)
	if err != nil {
		return err
	}
	if err := s.fill(o.Pods); err != nil {
		return err
	}
	var r result
	written, disk := procIO("wchar"), procIO("write_bytes")
	cpu := cpuTime()
	var b resume.Batch
	var record resume.Record
	for n := range o.Events {
		checkpointtest.Pod(&record, n*7919%o.Pods, o.Pods+n)
		if b.Add(&record); b.Len() < o.Batch && n < o.Events-1 {
			continue
		}
		if err := s.commit(&b, fmt.Sprint(o.Pods+n)); err != nil {
			return err
		}
		r.Payload += b.Payload()
		b.Reset()
	}
	r.CPU = cpuTime() - cpu
	r.memory()
	if err := s.close(); err != nil {
		return err
	}
	r.Written, r.Disk = procIO("wchar")-written, procIO("write_bytes")-disk
	if info, err := os.Stat(o.Path); err == nil {
		r.File = info.Size()
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// read opens a store and reads all of it.
func (o options) read() error {
	var r result
	start, cpu := time.Now(), cpuTime()
	s, err := openStore(o.Store, o.Path)
	if err != nil {
		return err
	}
	hash := fnv.New64a()
	r.Version, err = s.all(func(namespace, name, value []byte) {
		hash.Reset()
		for _, part := range [][]byte{namespace, name, value} {
			_, _ = hash.Write(part)
		}
		r.Sum += hash.Sum64()
		r.Objects++
	})
	if err != nil {
		return err
	}
	r.Took, r.CPU = time.Since(start), cpuTime()-cpu
	r.memory()
	if err := s.close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// memory is what stays when garbage is collected.
func (r *result) memory() {
	runtime.GC()
	debug.FreeOSMemory()
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "RssAnon: %d kB", &r.RssAnon)
		_, _ = fmt.Sscanf(line, "RssFile: %d kB", &r.RssFile)
	}
}

func procIO(field string) (n int64) {
	text, _ := os.ReadFile("/proc/self/io")
	for line := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(line, field+": %d", &n)
	}
	return n
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
