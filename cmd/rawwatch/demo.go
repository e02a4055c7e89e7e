package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

const demoLong = `Starts an API server inside this program, watches it, and breaks what can
break: cut connections, changes behind the watch's back, an expired history, a
restart. At the end the watch's state is compared with the server's, object for
object; exit code 1 if they differ. No cluster is needed.`

func (a *app) demoCommand() *cobra.Command {
	pause := 500 * time.Millisecond
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a watch coming through trouble, without a cluster",
		Long:  demoLong,
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pause < 0 {
				return misuse("--pause must not be negative")
			}
			return a.demo(cmd.Context(), pause)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().DurationVar(&pause, "pause", pause, "`time` to read between the steps")
	return cmd
}

// demo is the stage: a server, a network cable, a watch, and a screen.
type demo struct {
	screen *screen
	world  *world
	link   *link
	mirror *mirror
	pause  time.Duration
	ended  chan error // the watch's end; closed after it
}

func (a *app) demo(ctx context.Context, pause time.Duration) error {
	began := a.now()
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.TLS, Protobuf: watchtest.ProtobufOff})
	defer server.Close()
	d := &demo{
		screen: &screen{w: a.stdout}, world: newWorld(server), link: newLink(),
		mirror: newMirror(), pause: pause, ended: make(chan error, 1),
	}
	watchCtx, stop := context.WithCancel(ctx)
	defer func() { stop(); <-d.ended }()
	if err := d.start(watchCtx, server); err != nil {
		close(d.ended)
		return err
	}
	if err := d.tell(ctx); err != nil {
		return err
	}
	d.screen.plain("\n%s", d.figures(a.now().Sub(began)))
	return d.prove()
}

// start fills the server and starts the watch in a goroutine of its own, which
// ends with ctx.
func (d *demo) start(ctx context.Context, server *watchtest.Server) error {
	if err := d.world.populate(); err != nil {
		return err
	}
	tellers := &narrator{print: d.screen.watch, what: "pods"}
	client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{
		UserAgent:   "rawwatch-demo",
		DialContext: d.link.dial,
		Hooks:       []rawwatch.Hook{tellers},
	})
	if err != nil {
		return err
	}
	go func() {
		defer close(d.ended)
		defer closeClient(client)
		d.ended <- d.watch(ctx, client, tellers)
	}()
	return nil
}

// watch is what any user of the library writes: a loop over the events.
func (d *demo) watch(ctx context.Context, client *rawwatch.Client, n *narrator) error {
	var reflector *rawwatch.Reflector
	reflector = rawwatch.NewReflector(client, rawwatch.Pods.AllNamespaces(), rawwatch.ListWatchOptions{
		// Sooner than the default, since nobody wants to watch a demo wait.
		Backoff: resume.Backoff{Min: 150 * time.Millisecond, Max: 600 * time.Millisecond, ResetAfter: 50 * time.Millisecond},
		OnFailure: func(failure error) error {
			n.interrupted(failure, reflector.Status().LastErrorClass)
			d.mirror.failed()
			return nil
		},
	})
	for e, err := range reflector.Events(ctx) {
		if err != nil {
			return err
		}
		if e.Type == rawwatch.Synced {
			d.screen.finish()
			n.inSync(reflector.Status().Objects)
		} else {
			d.screen.event(string(appendEvent(nil, e)))
		}
		if err := d.mirror.apply(e); err != nil {
			return err
		}
	}
	return nil
}

// await returns when the watch's state equals the server's and done is true of
// it too; nil is true of all.
func (d *demo) await(ctx context.Context, done func(mirrored) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errLate)
	defer cancel()
	for {
		if err := d.world.failed(); err != nil {
			return err
		}
		seen := d.mirror.look()
		v := compare(d.world.state(), seen.objects)
		if v.equal() && (done == nil || done(seen)) {
			d.screen.finish()
			return d.screen.failed()
		}
		select {
		case <-seen.changed:
		case err := <-d.ended:
			return fmt.Errorf("the watch ended: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("%w: %v", context.Cause(ctx), v)
		}
	}
}

var errLate = errors.New("the watch did not catch up in time")

// prove compares the states once more.
func (d *demo) prove() error {
	v := compare(d.world.state(), d.mirror.look().objects)
	d.screen.plain("Proof: %v.", v)
	if !v.equal() {
		return fmt.Errorf("the watch's state is not the server's: %v", v)
	}
	return d.screen.failed()
}

func (d *demo) figures(took time.Duration) string {
	m := d.mirror.look()
	return fmt.Sprintf("%d events, %d of them delivered twice; %d failures healed, %d relists; %.1f s.",
		m.events, m.twice, m.lost, m.relists, took.Seconds())
}
