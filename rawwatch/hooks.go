package rawwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// Hook is told what a client does, for metrics, traces and logs: any value that
// has at least one of the methods of the Hook… interfaces below. Whoever only
// wants to know of requests implements [HookRequestEnd] and nothing else.
//
// Hooks are called synchronously, on the goroutine that does the work, in the
// order in which they stand in [ClientOptions].Hooks: they must not block, must
// not use the client, not even its Status, and must be safe for concurrent use.
// What they are given is theirs to keep.
//
// A client without hooks pays one comparison for each call that is not made,
// and allocates nothing for it. One with a hook pays the call, and allocates
// nothing for a frame; a [HookLag] costs two readings of the clock for each
// frame, a [HookRequestEnd] a small allocation for each request. BenchmarkHooks
// measures it.
type Hook interface{}

// RequestInfo says which request an event is about.
type RequestInfo struct {
	// Verb of Kubernetes: "list", "watch", "get", "create", ….
	Verb string
	// Resource and Namespace asked for; zero for documents such as discovery's.
	Resource  Resource
	Namespace string
}

// HookRequestStart is told before a request is sent, and before it waits for
// its turn in the client's budget.
type HookRequestStart interface {
	OnRequestStart(RequestInfo)
}

// HookRequestEnd is told when the answer's headers have come, or why they have
// not. A body that follows is told of by [HookPage] and [HookStreamClose].
type HookRequestEnd interface {
	OnRequestEnd(RequestInfo, RequestResult)
}

// RequestResult is how a request ended.
type RequestResult struct {
	// Code of HTTP; 0 when no answer came.
	Code int
	// Duration from HookRequestStart on.
	Duration time.Duration
	// Err is nil, or a [*RequestError].
	Err error
}

// HookPage is told when a page of a list has been read.
type HookPage interface {
	OnPage(RequestInfo, PageInfo)
}

// PageInfo says what a page held.
type PageInfo struct {
	Objects  int
	Bytes    int64 // after unpacking
	Encoding decode.Encoding
}

// HookStreamOpen is told when a server has accepted a watch.
type HookStreamOpen interface {
	OnStreamOpen(RequestInfo, decode.Encoding)
}

// HookStreamClose is told when a watch stream has ended.
type HookStreamClose interface {
	OnStreamClose(RequestInfo, StreamResult)
}

// StreamResult is how a watch stream ended.
type StreamResult struct {
	// Reason says who ended it.
	Reason StreamEnd
	// Err is why, for StreamFailed: a [*RequestError]. Nil for all others.
	Err      error
	Frames   int64
	Bytes    int64 // after unpacking
	Duration time.Duration
}

// StreamEnd says how a watch stream ended. The words are made for labels; new
// ones may be added.
type StreamEnd string

const (
	// StreamTimeout: it has lived for its timeoutSeconds. This is the rule.
	StreamTimeout StreamEnd = "timeout"
	// StreamEnded: the server ended it cleanly before that, as one that shuts
	// down does.
	StreamEnded StreamEnd = "ended"
	// StreamSilent: nothing came for the silence bound, and the server is asked
	// where it stands.
	StreamSilent StreamEnd = "silent"
	// StreamFailed: it broke, could not be understood, or the server ended it
	// with an error, as it does when the history is gone.
	StreamFailed StreamEnd = "failed"
	// StreamClosed: the client ended it, because the consumer has stopped, its
	// context is done, or the state is fetched anew.
	StreamClosed StreamEnd = "closed"
)

// HookFrame is told of each frame of a watch, bookmarks included, before it is
// delivered. Bytes are those of the frame after unpacking.
type HookFrame interface {
	OnFrame(r RequestInfo, t decode.EventType, bytes int64)
}

// HookLag is told, for each frame of a watch, how long it took the consumer to
// come back for the next: the time that the stream has stood still.
type HookLag interface {
	OnLag(RequestInfo, time.Duration)
}

// HookRelistBegin is told when a reflector begins to fetch the whole state: the
// first time, and whenever it has to again.
type HookRelistBegin interface {
	OnRelistBegin(RequestInfo, resume.Reason)
}

// HookRelistEnd is told when the state is complete.
type HookRelistEnd interface {
	OnRelistEnd(RequestInfo, RelistResult)
}

// RelistResult is what a relist found.
type RelistResult struct {
	Objects  int           // that exist now
	Changes  int           // that were delivered because of it
	Duration time.Duration // since HookRelistBegin
}

// HookBackoff is told when a reflector waits before it goes on.
type HookBackoff interface {
	OnBackoff(RequestInfo, BackoffInfo)
}

// BackoffInfo says why and how long a reflector waits.
type BackoffInfo struct {
	Wait time.Duration
	// Reason says why: [resume.ReasonEnded] is a watch that ended, also at its
	// time, after which a short wait keeps clients from coming back at once.
	Reason resume.Reason
	// Class and Err are the failure because of which it waits; 0 and nil when
	// it was none.
	Class resume.FailureClass
	Err   error
}

// HookBreaker is told when the client's circuit breaker changes its state: each
// change in its order, by one goroutine at a time, which is that of a request or
// of whoever asks for [Client.Status]. No lock is held; other requests go on.
// While a call does not return, later changes wait, and from a certain number on
// are told as one.
type HookBreaker interface {
	OnBreaker(from, to BreakerState)
}

// HookDecodeError is told of an object of a [Reflector] that could not be
// understood; it is delivered with its error all the same.
type HookDecodeError interface {
	OnDecodeError(RequestInfo, decode.Key, error)
}

// hooks are a client's hooks, sorted by what they want to know.
type hooks struct {
	requestStart []HookRequestStart
	requestEnd   []HookRequestEnd
	page         []HookPage
	streamOpen   []HookStreamOpen
	streamClose  []HookStreamClose
	frame        []HookFrame
	lag          []HookLag
	relistBegin  []HookRelistBegin
	relistEnd    []HookRelistEnd
	backoff      []HookBackoff
	breaker      []HookBreaker
	decodeError  []HookDecodeError
}

// sortHooks fails for a value that has none of the methods: a typing error in
// a method's name would otherwise never be found.
func sortHooks(all []Hook) (hooks, error) {
	var h hooks
	for _, hook := range all {
		known := enlist(&h.requestStart, hook)
		known = enlist(&h.requestEnd, hook) || known
		known = enlist(&h.page, hook) || known
		known = enlist(&h.streamOpen, hook) || known
		known = enlist(&h.streamClose, hook) || known
		known = enlist(&h.frame, hook) || known
		known = enlist(&h.lag, hook) || known
		known = enlist(&h.relistBegin, hook) || known
		known = enlist(&h.relistEnd, hook) || known
		known = enlist(&h.backoff, hook) || known
		known = enlist(&h.breaker, hook) || known
		known = enlist(&h.decodeError, hook) || known
		if !known {
			return h, &OptionError{Option: "ClientOptions.Hooks", Problem: "has a value with none of the methods of the Hook… interfaces"}
		}
	}
	return h, nil
}

func enlist[H any](into *[]H, hook Hook) bool {
	h, ok := hook.(H)
	if ok {
		*into = append(*into, h)
	}
	return ok
}

func (q request) info() RequestInfo {
	return RequestInfo{Verb: q.verb, Resource: q.resource, Namespace: q.namespace}
}

func (q Query) info(verb string) RequestInfo {
	return RequestInfo{Verb: verb, Resource: q.Resource, Namespace: q.Namespace}
}
