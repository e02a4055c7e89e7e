package resume

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Defaults and bounds of [Options].
const (
	// DefaultPageLimit is the page size that kubectl and client-go use.
	DefaultPageLimit = 500
	// DefaultMaxPages bounds a list that never ends.
	DefaultMaxPages = 100_000
	// DefaultWatchTimeoutMin and DefaultWatchTimeoutMax are client-go's
	// bounds for a watch's timeoutSeconds.
	DefaultWatchTimeoutMin = 5 * time.Minute
	DefaultWatchTimeoutMax = 10 * time.Minute
	// DefaultSlowRetry is the wait after 403 and 404: what heals them is a
	// person, not time.
	DefaultSlowRetry = 30 * time.Second
	// DefaultMaxRetryAfter caps what a server may ask for in Retry-After.
	DefaultMaxRetryAfter = 2 * time.Minute
	// DefaultInitialLimit bounds an initial stream whose end mark does not
	// come. A list that takes longer is better fetched in pages, which can be
	// retried one by one.
	DefaultInitialLimit = 2 * time.Minute
	// DefaultSilence is how long a driver lets an open watch be without a
	// frame before it reports Silent, where bookmarks are known to come
	// (servers send them about once a minute, KEP-956).
	DefaultSilence = 3 * time.Minute
	// MaxContinueLength bounds a continue token, in bytes. It is sent in a
	// URL; real ones hold one object key and stay under 2 KiB.
	MaxContinueLength = 16 << 10
	// MaxPageRetries is how often one list page is asked for again with its
	// token before the list starts over at page 1.
	MaxPageRetries = 4
	// MaxListRestarts is how often a list is started over in pages because
	// its continue token expired; then it is asked for once without a limit.
	MaxListRestarts = 3
	// MaxInitialTries is how many initial streams may break in a row before
	// the state is listed instead.
	MaxInitialTries = 3
	// MaxBesideRetries is how often a page that is listed beside a watch is
	// asked for again before the list starts over. With the default Backoff
	// that is about seven minutes, more than the restart of a server takes.
	MaxBesideRetries = 20
	// SlowListsBeforeBeside is how many lists in a row may take longer than the
	// server's history lasts before lists go on beside their watches.
	SlowListsBeforeBeside = 2
	// EmptyStreamsBeforeList is how many watches may end at once without a
	// frame before the state is listed anew. It doubles, up to
	// MaxEmptyStreams, each time that did not help.
	EmptyStreamsBeforeList = 3
	MaxEmptyStreams        = 48
	// EndJitter spreads the reopening of watches that a server ended before
	// their time (a rolling restart ends thousands at one instant).
	EndJitter = 2 * time.Second
)

// Options configure a [Machine]. The zero value is ready to use.
type Options struct {
	// PageLimit is the limit of each list page. 0 is [DefaultPageLimit],
	// less than 0 asks for the whole list at once.
	PageLimit int64

	// MaxPages bounds the pages of one list; more are a BadResponse. 0 is
	// [DefaultMaxPages].
	MaxPages int

	// StreamInitial fetches the first state as a stream of initial events
	// (WatchList, KEP-3157) and falls back to list and watch where a server
	// refuses it. A history that was lost later is listed in pages.
	StreamInitial bool

	// StreamRelist fetches also a history that was lost as a stream of initial
	// events. It needs StreamInitial.
	StreamRelist bool

	// StreamRefused says that this server is known to refuse initial streams,
	// as an earlier machine's State.StreamRefused told.
	StreamRefused bool

	// ListWhileWatching lets a watch from page 1's version run beside the
	// further pages of each list, so that a list may take longer than the
	// server's history lasts. The machine turns to it by itself after
	// SlowListsBeforeBeside lists in a row that did. Where versions have no
	// order, lists come first and watches after them.
	ListWhileWatching bool

	// AuditEvery is how often what is known is compared with a list at exactly
	// the resume point, beside the watch; the first time after a random part
	// of it. 0 is never; at least a minute.
	AuditEvery time.Duration

	// InitialLimit bounds an initial stream until its end mark. 0 is
	// [DefaultInitialLimit].
	InitialLimit time.Duration

	// WatchTimeoutMin and WatchTimeoutMax bound the timeoutSeconds of each
	// watch, which is drawn between them in whole seconds. 0 is the default;
	// at least a second.
	WatchTimeoutMin, WatchTimeoutMax time.Duration

	// Backoff is the wait between failures.
	Backoff Backoff

	// SlowRetry is the wait after 403 and 404, before up to half of it is
	// added by chance. 0 is [DefaultSlowRetry].
	SlowRetry time.Duration

	// MaxRetryAfter caps the wait that a server asks for. 0 is
	// [DefaultMaxRetryAfter].
	MaxRetryAfter time.Duration

	// From is the resume point of a checkpoint: the first action is a watch
	// from there. "" begins with the state itself.
	From string

	// Single is reserved and must be false.
	Single bool

	// Rand gives numbers in [0,1). nil is math/rand/v2's Float64. It is only
	// called inside Step.
	Rand func() float64
}

// OptionError says which option New does not accept, and what it would.
type OptionError struct {
	Option  string // the field's name
	Problem string // completes the sentence "Option …"
}

// Error names the option and what is accepted.
func (e *OptionError) Error() string {
	return fmt.Sprintf("resume: option %s %s", e.Option, e.Problem)
}

func (o Options) withDefaults() Options {
	o.PageLimit = max(orDefault(o.PageLimit, DefaultPageLimit), 0)
	o.MaxPages = orDefault(o.MaxPages, DefaultMaxPages)
	o.InitialLimit = orDefault(o.InitialLimit, DefaultInitialLimit)
	o.WatchTimeoutMin = orDefault(o.WatchTimeoutMin, DefaultWatchTimeoutMin)
	o.WatchTimeoutMax = orDefault(o.WatchTimeoutMax, max(DefaultWatchTimeoutMax, o.WatchTimeoutMin))
	o.Backoff = o.Backoff.withDefaults()
	o.SlowRetry = orDefault(o.SlowRetry, max(DefaultSlowRetry, o.Backoff.Min))
	o.MaxRetryAfter = orDefault(o.MaxRetryAfter, DefaultMaxRetryAfter)
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o
}

// check is the one place that says which values make sense, after defaults.
func (o Options) check() error {
	b := o.Backoff
	for _, rule := range []struct {
		ok           bool
		option, need string
	}{
		{o.MaxPages > 0, "MaxPages", "positive: a list has at least one page"},
		{o.InitialLimit > 0, "InitialLimit", "positive"},
		{o.WatchTimeoutMin >= time.Second, "WatchTimeoutMin", "at least 1s: timeoutSeconds are whole seconds"},
		{o.WatchTimeoutMax >= o.WatchTimeoutMin, "WatchTimeoutMax", "at least WatchTimeoutMin"},
		{b.Min >= time.Millisecond, "Backoff.Min", "at least 1ms: a shorter wait is a hot loop"},
		{b.Max >= b.Min, "Backoff.Max", "at least Backoff.Min"},
		{b.Factor >= 1, "Backoff.Factor", "at least 1: waits must not shrink"},
		{b.Jitter <= 1, "Backoff.Jitter", "at most 1: it is a share of the wait"},
		{b.ResetAfter > 0, "Backoff.ResetAfter", "positive"},
		{o.SlowRetry >= b.Min, "SlowRetry", "at least Backoff.Min"},
		{o.MaxRetryAfter > 0, "MaxRetryAfter", "positive"},
		{!o.StreamRelist || o.StreamInitial, "StreamRelist", "used together with StreamInitial"},
		{o.AuditEvery == 0 || o.AuditEvery >= time.Minute, "AuditEvery", "0, or at least 1m: an audit lists everything"},
		{o.From == "" || usable(o.From), "From", "a version that a server gave: not 0, and at most 1024 bytes"},
		{!o.Single, "Single", "false: it is reserved"},
	} {
		if !rule.ok {
			return &OptionError{Option: rule.option, Problem: "must be " + rule.need}
		}
	}
	return nil
}
