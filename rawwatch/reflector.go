package rawwatch

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// Reflector is a [Client.ListWatch] that can be asked how it is: it drives the
// [resume.Machine], which decides, and does what it says. A Reflector is used
// once.
type Reflector struct {
	client  *Client
	query   Query
	options ListWatchOptions
	asked   form // set where options cannot say it
	used    atomic.Bool
	board   statusBoard
}

// NewReflector returns a reflector for the query. Nothing is sent before its
// events are asked for.
func NewReflector(c *Client, q Query, o ListWatchOptions) *Reflector {
	return &Reflector{client: c, query: q, options: o}
}

// form that the options ask for.
func (r *Reflector) form() form {
	if r.asked.rows != nil {
		return r.asked
	}
	return formFor(r.query.Resource, r.options.Encoding, r.options.MetadataOnly)
}

// ErrUsed is what a [Reflector] yields whose events are asked for twice.
var ErrUsed = errors.New("rawwatch: the events of a Reflector can be iterated once; make a new one")

// Events yields what [Client.ListWatch] yields.
func (r *Reflector) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if r.used.Swap(true) {
			yield(Event{}, ErrUsed)
			return
		}
		defer r.board.stopped(nil) // also when the consumer panics
		run, err := r.start(ctx, yield)
		if err == nil {
			err = run.loop()
		}
		r.board.stopped(err)
		if err != nil && !errors.Is(err, errConsumerDone) {
			yield(Event{}, err)
		}
	}
}

// errConsumerDone unwinds the loop after the consumer broke out of it.
var errConsumerDone = errors.New("the consumer has stopped")

func (r *Reflector) start(ctx context.Context, yield func(Event, error) bool) (*reflection, error) {
	if err := r.query.Validate(); err != nil {
		return nil, err
	}
	limit := r.options.PageLimit
	machine, err := resume.New(resume.Options{
		PageLimit:       limit,
		WatchTimeoutMin: r.options.WatchTimeoutMin,
		WatchTimeoutMax: r.options.WatchTimeoutMax,
		Backoff:         r.options.Backoff,
		StreamInitial:   r.options.StreamInitial,
	})
	if err != nil {
		return nil, err
	}
	return &reflection{
		Reflector: r, ctx: ctx, yield: yield, machine: machine,
		form:  r.form(),
		kinds: kindCache{resource: r.query.Resource},
		log:   r.client.log.With("watch", r.query.String()),
	}, nil
}

// loop does what the machine says until it gives up, the context is done, or
// the consumer has stopped.
func (r *reflection) loop() error {
	action, err := r.step(resume.Outcome{Kind: resume.Started})
	for err == nil {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		switch action.Kind {
		case resume.List:
			action, err = r.list(action)
		case resume.Watch, resume.StreamInitial:
			action, err = r.watch(action)
		case resume.Probe:
			action, err = r.probe()
		case resume.Wait:
			action, err = r.wait(action.Wait)
		default:
			return r.lastFailure
		}
	}
	return err
}

// step tells the machine what happened and publishes where it now stands.
func (r *reflection) step(o resume.Outcome) (resume.Action, error) {
	action, err := r.machine.Step(time.Now(), o)
	if err == nil {
		r.board.moved(r.machine.State())
	}
	return action, err
}

func (r *reflection) wait(d time.Duration) (resume.Action, error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return r.step(resume.Outcome{Kind: resume.WaitOver})
	case <-r.ctx.Done():
		return resume.Action{}, context.Cause(r.ctx)
	}
}

// failed tells the machine of a failure, and whoever wants to know.
func (r *reflection) failed(failure error) (resume.Action, error) {
	if err := context.Cause(r.ctx); err != nil {
		return resume.Action{}, err
	}
	if errors.Is(failure, ErrClosed) {
		return resume.Action{}, failure
	}
	class := classify(failure)
	r.lastFailure = failure
	r.board.failed(failure, class.Class)
	if class.Class != resume.Expired && r.options.OnFailure != nil {
		if err := r.options.OnFailure(failure); err != nil {
			return resume.Action{}, err
		}
	}
	action, err := r.step(resume.Outcome{Kind: resume.Failed, Failure: class})
	if err == nil {
		r.logFailure(failure, class, action)
	}
	return action, err
}

func (r *reflection) logFailure(failure error, f resume.Failure, action resume.Action) {
	switch {
	case f.Class == resume.Expired:
		r.log.Info("the server's history no longer reaches back, listing anew")
	case action.Kind == resume.Wait:
		r.log.Warn("watch interrupted", "error", failure, "class", f.Class, "retry_in", action.Wait)
	default:
		r.log.Warn("watch interrupted", "error", failure, "class", f.Class, "next", action.Kind)
	}
}

// probe asks for one object at the most recent version, to see whether the
// server's history is still the one that the watch follows.
func (r *reflection) probe() (resume.Action, error) {
	meta, err := r.client.readPage(r.ctx, r.query, listPage{limit: 1, form: r.form}, func(*decode.Item) bool { return true })
	if err != nil {
		return r.failed(err)
	}
	return r.step(resume.Outcome{Kind: resume.PageListed, ResourceVersion: meta.ResourceVersion})
}
