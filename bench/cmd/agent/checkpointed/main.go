// Command checkpointed is the agent of the folder above with a checkpoint: what
// it keeps of every pod is on disk too, and what is there is where it begins.
//
//	checkpointed -path FILE [-encoding …] [-follow]
package main

import (
	"context"
	"errors"
	"flag"
	"log"

	"github.com/rawwatch/rawwatch/bench/ownagent"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

func main() {
	a := ownagent.Flags()
	path := flag.String("path", "", "the checkpoint's file")
	flag.Parse()
	if err := run(a, *path); err != nil {
		log.Fatal(err)
	}
}

func run(a *ownagent.Agent, path string) error {
	store, err := checkpoint.Open(context.Background(), path, checkpoint.Options{})
	if err != nil {
		return err
	}
	saved := rawwatch.CheckpointIn(store, rawwatch.CheckpointOptions[ownagent.Pod]{})
	return errors.Join(ownagent.Keep(a, saved), store.Close())
}
