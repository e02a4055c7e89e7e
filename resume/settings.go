package resume

import (
	"sync/atomic"
	"time"
)

// settings are [Options] with their defaults that machines which were made alike
// share: a program may have thousands of those.
type settings struct {
	PageLimit         int64
	MaxPages          int
	StreamInitial     bool
	StreamRelist      bool
	ListWhileWatching bool

	AuditEvery, InitialLimit         time.Duration
	WatchTimeoutMin, WatchTimeoutMax time.Duration
	Backoff                          Backoff
	SlowRetry, MaxRetryAfter         time.Duration
}

// lastSettings are those of the machine that was made last.
var lastSettings atomic.Pointer[settings]

// settings of the options, which have their defaults.
func (o *Options) settings() *settings {
	s := settings{
		PageLimit: o.PageLimit, MaxPages: o.MaxPages,
		StreamInitial: o.StreamInitial, StreamRelist: o.StreamRelist, ListWhileWatching: o.ListWhileWatching,
		AuditEvery: o.AuditEvery, InitialLimit: o.InitialLimit,
		WatchTimeoutMin: o.WatchTimeoutMin, WatchTimeoutMax: o.WatchTimeoutMax,
		Backoff: o.Backoff, SlowRetry: o.SlowRetry, MaxRetryAfter: o.MaxRetryAfter,
	}
	last := lastSettings.Load()
	if last == nil || *last != s {
		last = new(settings)
		*last = s
		lastSettings.Store(last)
	}
	return last
}
