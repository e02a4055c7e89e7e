package ownagent

import (
	"context"
	"errors"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// Raw follows every pod and keeps nothing of it but what ListWatch itself
// does: the events' bytes are there, and nobody looks at them.
func Raw(a *Agent) error {
	o, err := a.listWatch()
	if err != nil {
		return err
	}
	client, err := a.client()
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	held := map[rawwatch.EventType]int{}
	count := func() int { return held[rawwatch.Added] - held[rawwatch.Deleted] }
	for e, err := range client.ListWatch(ctx, rawwatch.Pods.AllNamespaces(), o) {
		if err != nil {
			return err
		}
		held[e.Type]++
		switch e.Type {
		case rawwatch.Added, rawwatch.Modified:
			a.Teller.Event(e.Object.Name, e.Object.ResourceVersion)
		case rawwatch.Synced:
			if held[rawwatch.Synced] > 1 {
				continue
			}
			if err := a.Teller.Synced(count); err != nil {
				return err
			}
			if !a.Teller.Follows() {
				return nil
			}
			if a.BeforeUpdates != nil {
				a.BeforeUpdates()
			}
		}
		if a.Teller.Told() {
			return nil
		}
	}
	return errors.New("the stream has ended")
}
