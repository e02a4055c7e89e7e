package main

import "context"

func (d *demo) firstList(ctx context.Context) error {
	return d.await(ctx, func(now mirrored) bool { return now.synced })
}

func (d *demo) everyday(ctx context.Context) error {
	d.screen.happens("a pod is created, one changes, one is deleted")
	d.world.create("shop", "gift-0")
	d.world.change("shop", "web-0")
	d.world.remove("jobs", "nightly-0")
	return d.await(ctx, nil)
}

// cutMessage lets the start of a message through, but not its end.
func (d *demo) cutMessage(ctx context.Context) error {
	before := d.mirror.look()
	d.screen.happens("shop/web-1 changes; only the first bytes of that message arrive")
	d.link.cutAfter(150)
	d.world.change("shop", "web-1")
	return d.await(ctx, func(now mirrored) bool { return now.lost > before.lost })
}

// pullCable changes pods while the watch cannot see it, within the server's
// history.
func (d *demo) pullCable(ctx context.Context) error {
	if err := d.unplugged(ctx, func() {
		d.screen.happens("shop/web-2 is deleted; shop/web-3 too, and a new one takes its name; web-4 changes")
		d.world.remove("shop", "web-2")
		d.world.remove("shop", "web-3")
		d.world.create("shop", "web-3")
		d.world.change("shop", "web-4")
	}); err != nil {
		return err
	}
	return d.await(ctx, nil)
}

// forgetHistory does the same, and takes the history away: what happened can
// only be found by comparing lists.
func (d *demo) forgetHistory(ctx context.Context) error {
	before := d.mirror.look()
	if err := d.unplugged(ctx, func() {
		d.screen.happens("shop/web-5 is deleted, shop/gift-1 is created, web-6 changes three times")
		d.world.remove("shop", "web-5")
		d.world.create("shop", "gift-1")
		for range 3 {
			d.world.change("shop", "web-6")
		}
		d.screen.happens("the server compacts its history: it can only answer “410 Gone”")
		d.world.forget()
	}); err != nil {
		return err
	}
	return d.await(ctx, func(now mirrored) bool { return now.relists > before.relists })
}

func (d *demo) restart(ctx context.Context) error {
	before := d.mirror.look()
	d.screen.happens("all connections break, and jobs/nightly-1 is deleted on the way up")
	d.link.unplug()
	d.world.remove("jobs", "nightly-1")
	d.world.server.Restart()
	d.link.plug()
	return d.await(ctx, func(now mirrored) bool { return now.relists > before.relists })
}

// storm changes pods in bursts, as fast as it can, and breaks the connection in
// the middle of each.
func (d *demo) storm(ctx context.Context) error {
	before := d.mirror.look()
	d.screen.happens("3 bursts of 100 changes; in each the connection is cut, in one the history forgotten too")
	d.screen.mute()
	for burst := range 3 {
		calm := d.mirror.look()
		d.link.cutAfter(3000 * (burst + 1))
		d.world.shake(100)
		if burst == 1 {
			d.world.forget()
		}
		if err := d.await(ctx, func(now mirrored) bool { return now.lost > calm.lost }); err != nil {
			return err
		}
	}
	now := d.mirror.look()
	d.screen.sum("%d events, %d connections lost, %d relists", now.events-before.events, now.lost-before.lost, now.relists-before.relists)
	return nil
}

// unplugged pulls the cable, waits until the watch has noticed, does something
// behind its back, and plugs the cable in again.
func (d *demo) unplugged(ctx context.Context, do func()) error {
	before := d.mirror.look()
	d.screen.happens("the network cable is pulled")
	d.link.unplug()
	if err := d.await(ctx, func(now mirrored) bool { return now.lost > before.lost }); err != nil {
		return err
	}
	do()
	if err := rest(ctx, d.pause/2); err != nil {
		return err
	}
	d.screen.happens("the cable is plugged in again")
	d.link.plug()
	return nil
}
