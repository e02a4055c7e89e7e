package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

const watchLong = `Prints the objects of a resource, then every change, until it is interrupted.
It comes through server restarts, cut connections and expired histories; what
happens is told on standard error.

-o name prints time, ADDED, MODIFIED or DELETED, and NAMESPACE/NAME; in brackets
        how it was learned, unless from the stream of changes as it happened.
-o wide prints the columns that the server has for people, as kubectl does.
-o json prints {"type":…,"cause":"list|stream|relist|checkpoint","object":{…}} per line.

A deletion learned from a relist (the server's history was gone) carries only
kind, name, uid and resourceVersion of the object.

With --resume FILE, what was printed is saved in FILE, and the next watch with it
prints only what has changed since: with the cause checkpoint, or relist where
the server's history was gone. FILE holds names, uids and versions, and nothing
else of the objects.`

const watchExample = `  rawwatch watch pods -A
  rawwatch watch nodes/edge-7 -o json
  rawwatch watch pods -A --resume pods.ckpt
  rawwatch watch pods -A --field-selector spec.nodeName=node-7 --sync-line`

func (a *app) watchCommand() *cobra.Command {
	var (
		s        selection
		format   string
		syncLine bool
		resume   string
	)
	cmd := &cobra.Command{
		Use:     "watch RESOURCE[/NAME]",
		Short:   "Print the objects of a resource, then every change",
		Long:    watchLong,
		Example: watchExample,
		Args:    s.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := formatOfWatch(format, a.now)
			if err != nil {
				return err
			}
			if resume != "" && format == formatWide {
				return misuse("--resume prints with -o name or json: columns are the server's, and come with lists only")
			}
			w := &watching{app: a, out: newOutput(a.stdout), output: format, format: f, syncLine: syncLine, resume: resume}
			return w.run(cmd.Context(), s)
		},
		ValidArgsFunction: completeResource,
	}
	s.bind(cmd.Flags())
	bindFormat(cmd, &format)
	cmd.Flags().BoolVar(&syncLine, "sync-line", false, "print a SYNCED line whenever the output is in sync with the server")
	cmd.Flags().StringVar(&resume, "resume", "", "a file to save in what was printed; the next watch with it prints only what has changed since")
	return cmd
}

// watching is one watch on its way to standard output.
type watching struct {
	*app
	out      *output
	output   string // as -o names it
	format   eventFormat
	syncLine bool
	resume   string       // a checkpoint's file, or ""
	waiting  func() error // prints what waits for its columns; nil if nothing does

	narrator *narrator
	status   func() rawwatch.Status
	synced   bool
	flushed  time.Time
}

func (w *watching) run(ctx context.Context, s selection) error {
	w.narrator = newNarrator(w.app)
	client, config, err := w.open(rawwatch.ClientOptions{Logger: w.logger(), Hooks: []rawwatch.Hook{w.narrator}, Link: s.link.link})
	if err != nil {
		return err
	}
	defer closeClient(client)
	q, err := s.query(ctx, client, config.Namespace)
	if err == nil {
		w.narrator.what = describe(q)
		options := rawwatch.ListWatchOptions{PageLimit: s.pageLimit(), OnFailure: w.failed}
		options.Encoding, options.MetadataOnly = s.form(w.output)
		reflector := rawwatch.NewReflector(client, q, options)
		w.status = reflector.Status
		switch {
		case w.resume != "":
			err = w.resumed(ctx, client, q, options)
		case w.output == formatWide:
			err = w.wide(ctx, q, reflector)
		default:
			err = w.follow(reflector.Events(ctx))
		}
	}
	if flushErr := w.out.flush(); flushErr != nil {
		return flushErr
	}
	if ctx.Err() != nil {
		return nil // the way to end a watch
	}
	return err
}

func (w *watching) follow(events func(func(rawwatch.Event, error) bool)) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := w.event(e); err != nil {
			return err
		}
	}
	return nil
}

func (w *watching) event(e rawwatch.Event) error {
	switch {
	case e.Err != nil && e.Type == rawwatch.Deleted:
		e.Object.Raw = nil // who is gone is known, and all that matters
	case e.Err != nil:
		w.say("warning: an object cannot be read and is left out: %v\n", e.Err)
		return nil
	case e.Type == rawwatch.Synced:
		return w.inSync(e)
	}
	if err := w.print(e); err != nil {
		return err
	}
	if e.Cause == rawwatch.CauseStream || w.now().Sub(w.flushed) > flushInterval {
		return w.flush()
	}
	return nil
}

// flushInterval is how long lines of a list may wait for others. Changes from
// the stream never wait.
const flushInterval = 200 * time.Millisecond

func (w *watching) inSync(e rawwatch.Event) error {
	if w.syncLine {
		if err := w.print(e); err != nil {
			return err
		}
	}
	err := w.flush()
	w.narrator.inSync(w.status().Objects)
	w.synced = true
	return err
}

func (w *watching) print(e rawwatch.Event) error {
	return w.out.writeLine(func(dst []byte) ([]byte, error) { return w.format(dst, e) })
}

func (w *watching) flush() error {
	w.flushed = w.now()
	if w.waiting != nil {
		if err := w.waiting(); err != nil {
			return err
		}
	}
	return w.out.flush()
}

// failed decides whether to go on. Once the output was in sync, always. Before
// that, what a person has to mend ends the watch at once: nobody should wait
// for a wrong password to become right.
func (w *watching) failed(failure error) error {
	if err := w.flush(); err != nil {
		return err
	}
	class := w.status().LastErrorClass
	if !w.synced && !passing(failure, class) {
		return failure
	}
	w.narrator.interrupted(failure, class)
	return nil
}

// passing reports whether a failure at the start is likely to be over soon: a
// server that answers and asks for patience, or that is in trouble.
func passing(failure error, class resume.FailureClass) bool {
	switch class {
	case resume.Expired, resume.TooLargeVersion, resume.Throttled:
		return true
	case resume.Unavailable:
		var answered *rawwatch.RequestError
		return errors.As(failure, &answered) && answered.Code != 0
	}
	return false
}
