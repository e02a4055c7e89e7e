package rawwatch

import (
	"context"
	"errors"
	"iter"
	"log/slog"
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
	options ListWatchOptions
	rows    rowReader // asked for in place of objects; nil as a rule
	index   tracking  // set by an informer; nil is what own makes
	own     func() tracking
	// from is where to go on; restored says that index holds what is known
	// already. Set by a checkpoint.
	from     string
	restored bool
	// settle is called before anything is waited for, from any goroutine, if
	// the consumer has left something to settle while lazy was set: the wake-up
	// of its handlers. Set by an informer; nil leaves nothing.
	settle func()
	lazy   bool
	used   atomic.Bool
	board  statusBoard
}

// NewReflector returns a reflector for the query. Nothing is sent before its
// events are asked for.
func NewReflector(c *Client, q Query, o ListWatchOptions) *Reflector {
	r := &Reflector{client: c, options: o}
	r.board.status.Query = q
	return r
}

// asks is the query, shared by all of the run. It does not change.
func (r *Reflector) asks() *Query { return &r.board.status.Query }

// form that the options ask for.
func (r *Reflector) form() form {
	if r.rows != nil {
		return form{rows: r.rows}
	}
	return formFor(r.asks().Resource, r.options.Encoding, r.options.MetadataOnly)
}

// ErrReflectorUsed is what a [Reflector] yields whose events are asked for twice.
var ErrReflectorUsed = errors.New("rawwatch: the events of a Reflector can be iterated once; make a new one")

// Events yields what [Client.ListWatch] yields.
func (r *Reflector) Events(ctx context.Context) iter.Seq2[Event, error] {
	r.own = func() tracking { return new(resume.Index[struct{}]) }
	return r.events(ctx)
}

// events is Events with an index of its own, if it needs one: an informer does
// not, and does not link it.
func (r *Reflector) events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := r.run(ctx, yield); err != nil {
			endWith(yield, err)
		}
	}
}

// endWith yields the last thing that there is. An Event is large: it has no
// place in a function below which a watch waits, see [stream.await].
//
//go:noinline
func endWith(yield func(Event, error) bool, err error) { yield(Event{}, err) }

// run returns what the consumer is to be told of the end, if anything.
func (r *Reflector) run(ctx context.Context, yield func(Event, error) bool) error {
	if r.used.Swap(true) {
		return ErrReflectorUsed
	}
	defer r.board.stopped(nil) // also when the consumer panics
	run, err := r.start(ctx, yield)
	if err == nil {
		err = run.loop()
	}
	r.board.stopped(err)
	if errors.Is(err, errConsumerDone) {
		return nil
	}
	return err
}

// errConsumerDone unwinds the loop after the consumer broke out of it.
var errConsumerDone = errors.New("the consumer has stopped")

func (r *Reflector) start(ctx context.Context, yield func(Event, error) bool) (*reflection, error) {
	if err := r.asks().Validate(); err != nil {
		return nil, err
	}
	if r.options.ListFirst && r.options.StreamRelist {
		return nil, &resume.OptionError{Option: "StreamRelist", Problem: "must be used without ListFirst"}
	}
	streamless := r.options.ListFirst || r.client.unstreamed(r.asks().Resource) != nil
	machine, err := resume.New(resume.Options{
		PageLimit:       r.options.PageLimit,
		WatchTimeoutMin: r.options.WatchTimeoutMin,
		WatchTimeoutMax: r.options.WatchTimeoutMax,
		Backoff:         r.options.Backoff,
		StreamInitial:   !r.options.ListFirst,
		StreamRelist:    r.options.StreamRelist,
		StreamRefused:   streamless,

		ListWhileWatching: r.options.ListWhileWatching,
		AuditEvery:        r.options.AuditEvery,
		From:              r.from,
	})
	if err != nil {
		return nil, err
	}
	index := r.index
	if index == nil {
		index = r.own()
	}
	return &reflection{
		index:     index,
		relist:    r.restored,
		Reflector: r, query: r.asks(), ctx: ctx, yield: yield, machine: machine,
		form: r.form(), streamless: streamless,
		kinds: kindCache{resource: &r.asks().Resource},
	}, nil
}

// loop does what the machine says until it gives up, the context is done, or
// the consumer has stopped. Nearly all its life a watch waits in here.
func (r *reflection) loop() error {
	defer r.closeStream() // also when the consumer panics
	err := r.begin()
	for err == nil {
		r.stream.await()
		err = r.read()
	}
	return err
}

// begin goes on until the first watch is open. Like [reflection.read] it keeps
// what is large out of loop's frame, see [stream.await].
//
//go:noinline
func (r *reflection) begin() error {
	first, err := r.step(resume.Outcome{Kind: resume.Started})
	if err != nil {
		return err
	}
	return r.goOn(first)
}

// read takes in what has come, and goes on until there is nothing more to do than
// to wait for what comes next. Its error is the end.
//
//go:noinline
func (r *reflection) read() error { return r.goOn(resume.Action{Kind: resume.Read}) }

// goOn carries out the action and all that follow, up to the next that only reads.
func (r *reflection) goOn(action resume.Action) (err error) {
	for {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		action, err = r.act(action)
		switch {
		case err != nil:
			return err
		case action.Kind == resume.GiveUp:
			return r.lastFailure
		case action.Kind == resume.Read && action.Beside == resume.NothingBeside:
			return nil
		}
	}
}

// act carries out one action.
func (r *reflection) act(action resume.Action) (resume.Action, error) {
	if action.Beside != resume.NothingBeside {
		r.settled()
		return r.duet(action)
	}
	if action.Kind == resume.Read {
		return r.lazily()
	}
	r.settled()
	r.closeStream()
	switch action.Kind {
	case resume.List:
		return r.list(action)
	case resume.Probe:
		return r.probe()
	case resume.Wait:
		return r.wait(action.Wait)
	default:
		return r.watch(action)
	}
}

// lazily reads a frame. Its consumer may leave to settle what can wait until the
// stream's next read.
func (r *reflection) lazily() (resume.Action, error) {
	r.stream.body.before, r.lazy = r.settle, r.settle != nil
	next, err := r.framed(r.stream.next())
	r.lazy = false
	return next, err
}

// settled says that what was left to settle can wait no longer.
func (r *reflection) settled() {
	if r.settle != nil {
		r.settle()
	}
}

// step tells the machine what happened and publishes where it now stands.
func (r *reflection) step(o resume.Outcome) (resume.Action, error) { return r.stepAfter(o, nil) }

// stepAfter is step with the failure that the outcome is.
func (r *reflection) stepAfter(o resume.Outcome, failure error) (resume.Action, error) {
	now := time.Now()
	action, err := r.machine.Step(now, o)
	if err == nil {
		r.besides = action.Beside != resume.NothingBeside
		r.moved(now, failure)
		if len(r.client.hooks.backoff) > 0 {
			r.backoffBegins(o, failure, action)
		}
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

// moved publishes where the machine stands, after the failure if there was one.
func (r *reflection) moved(now time.Time, failure error) {
	state := r.machine.State()
	r.board.moved(state, now)
	r.unstreamed(state, failure)
}

// failed tells the machine of a failure, and whoever wants to know.
func (r *reflection) failed(failure error) (resume.Action, error) { return r.report(failure, false) }

// report is failed, also for what runs beside the watch.
func (r *reflection) report(failure error, beside bool) (resume.Action, error) {
	if err := context.Cause(r.ctx); err != nil {
		return resume.Action{}, err
	}
	if errors.Is(failure, ErrClosed) {
		return resume.Action{}, failure
	}
	class := classify(failure)
	if !beside && class.Class != resume.Expired {
		r.board.lose()
	}
	if err := r.note(failure); err != nil {
		return resume.Action{}, err
	}
	action, err := r.stepAfter(resume.Outcome{Kind: resume.Failed, Beside: beside, Failure: class}, failure)
	if err == nil {
		r.logFailure(failure, class, action)
		r.ring(failure, class.Class)
	}
	if err == nil && class.Class == resume.NotFound {
		err = r.rediscover(failure)
	}
	return action, err
}

// note publishes a failure, and tells whoever wants to know.
func (r *reflection) note(failure error) error {
	class := classify(failure).Class
	r.lastFailure = failure
	r.board.failed(failure, class)
	if class == resume.Expired || r.options.OnFailure == nil {
		return nil
	}
	return r.options.OnFailure(failure)
}

func (r *reflection) logFailure(failure error, f resume.Failure, action resume.Action) {
	switch {
	case f.Class == resume.Expired && action.Kind == resume.GoOn:
		r.client.log.Log(context.Background(), slog.LevelInfo, "the list's continue token has expired, going on with the one that came in its place", "watch", r.query.String())
	case f.Class == resume.Expired:
		r.client.log.Log(context.Background(), slog.LevelInfo, "the server's history no longer reaches back, listing anew", "watch", r.query.String())
	case action.Kind == resume.Wait || action.Beside == resume.WaitBeside:
		r.client.log.Log(context.Background(), slog.LevelWarn, "watch interrupted", "watch", r.query.String(), "error", failure, "class", f.Class, "retry_in", action.Wait)
	default:
		r.client.log.Log(context.Background(), slog.LevelWarn, "watch interrupted", "watch", r.query.String(), "error", failure, "class", f.Class, "next", action.Kind)
	}
}

// probe asks for one object at the most recent version, to see whether the
// server's history is still the one that the watch follows.
func (r *reflection) probe() (resume.Action, error) {
	meta, err := r.client.readPage(r.ctx, *r.query, listPage{limit: 1, form: r.form}, func(*decode.Item) bool { return true })
	if err != nil {
		return r.failed(err)
	}
	r.board.page()
	return r.step(resume.Outcome{Kind: resume.PageListed, ResourceVersion: meta.ResourceVersion})
}
