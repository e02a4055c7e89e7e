// Command agent is the agent that rawwatch is for: it keeps a few fields of
// every pod, and says what that has cost when it is in sync, and again when the
// pod named "marker" has come. It is one of the programs that measure runs. The
// one in the folder checkpointed also keeps them on disk.
//
//	agent -as five -encoding auto|json|protobuf [-link …] [-paged]
//	agent -as metadata|raw
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/pprof"

	"github.com/rawwatch/rawwatch/bench/ownagent"
)

func main() {
	a := ownagent.Flags()
	as := flag.String("as", "five", "five, metadata or raw: what is kept of a pod")
	profile := flag.String("cpuprofile", "", "write a CPU profile of what comes after the sync to this file")
	flag.Parse()
	end := func() {}
	if *profile != "" {
		a.BeforeUpdates = func() { end = profiled(*profile) }
	}
	err := run(a, *as)
	end()
	if err != nil {
		log.Fatal(err)
	}
}

func run(a *ownagent.Agent, as string) error {
	switch as {
	case "five":
		return ownagent.Keep[ownagent.Pod](a, nil)
	case "metadata":
		return ownagent.Keep[struct{}](a, nil)
	case "raw":
		return ownagent.Raw(a)
	}
	return fmt.Errorf("-as %s: five, metadata or raw", as)
}

// profiled begins a CPU profile and returns what ends it.
func profiled(file string) (end func()) {
	f, err := os.Create(file)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		log.Fatal(err)
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}
}
