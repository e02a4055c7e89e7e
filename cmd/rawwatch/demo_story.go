package main

import (
	"context"
	"time"
)

// chapter is one kind of trouble.
type chapter struct {
	title string
	play  func(context.Context) error
}

// tell plays the chapters one after the other. Each ends when the watch has
// caught up with the server.
func (d *demo) tell(ctx context.Context) error {
	d.screen.plain("An API server starts inside this program, with %d pods. One watch follows it.", len(d.world.state()))
	for _, c := range []chapter{
		{"1. The watch starts: it lists what is there, then listens for changes.", d.firstList},
		{"2. Everyday life.", d.everyday},
		{"3. The connection is cut in the middle of a message.", d.cutMessage},
		{"4. The cable is pulled, and pods are changed behind the watch's back.", d.pullCable},
		{"5. The same, and the server forgets its history meanwhile.", d.forgetHistory},
		{"6. The server restarts.", d.restart},
		{"7. A storm: hundreds of changes, while the connection is cut again and again.", d.storm},
	} {
		d.screen.heading(c.title)
		if err := c.play(ctx); err != nil {
			return err
		}
		if err := rest(ctx, d.pause); err != nil {
			return err
		}
	}
	return nil
}

// rest gives the reader time.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
