package resume

import "time"

// handler carries out one cell of the table. It may rely on the state's type.
type handler func(*Machine, time.Time, Outcome) Action

// rule is one line of the table: in this phase, when any of these happens, do
// that, which leads to one of those phases.
type rule struct {
	in  Phase
	on  []signal
	do  handler
	to  []Phase
	doc string
}

// in fits a state's method to the table. Inlined, each line of the table would
// hold a copy of its method: 16 KB in every agent.
//
//go:noinline
func in[S state](method func(S, *Machine, time.Time, Outcome) Action) handler {
	return func(m *Machine, now time.Time, o Outcome) Action { return method(m.state.(S), m, now, o) }
}

// beside fits the method of what runs beside the watch to the table.
//
//go:noinline
func beside[S state](method func(S, *Machine, time.Time, Outcome) Action) handler {
	return func(m *Machine, now time.Time, o Outcome) Action { return method(m.side.(S), m, now, o) }
}

// aged lets an open stream that has lived count as healthy before its failure
// is counted.
//
//go:noinline
func aged(h handler) handler {
	return func(m *Machine, now time.Time, o Outcome) Action {
		m.state.(*watching).settle(m, now)
		return h(m, now, o)
	}
}

type on = []signal
type to = []Phase

// table holds every transition there is. What is not in it is a
// *TransitionError.
var table = [...]rule{
	{PhaseIdle, on{started}, in((*idle).start), to{PhaseListing, PhaseOpeningInitial, PhaseOpening},
		"fetch the state, or watch from the checkpoint"},

	{PhaseListing, on{pageListed}, in((*listing).page), to{PhaseListing, PhaseOpening, PhaseWaiting},
		"ask for the next page, beside a watch if lists are to be so; after the last, watch from page 1's version; a page that cannot belong to the list, a list older than what is known, or one that says for the first time that all is gone: wait, list anew"},
	{PhaseListing, on{fail(Expired)}, in((*listing).expired), to{PhaseListing, PhaseWaiting},
		"list anew in pages, a bounded number of times, then once without a limit; at once the first time, then with backoff"},
	{PhaseListing, on{fail(TooLargeVersion), fail(Unauthorized), fail(Unavailable)}, in((*listing).again), to{PhaseWaiting},
		"backoff, then the same page a bounded number of times, then from page 1; page 1 for ever"},
	{PhaseListing, on{fail(Throttled)}, in((*listing).throttled), to{PhaseWaiting},
		"wait as told, then the same page"},
	{PhaseListing, on{fail(Forbidden), fail(NotFound)}, in((*listing).denied), to{PhaseWaiting},
		"wait long, then from page 1"},
	{PhaseListing, on{fail(Refused)}, in((*listing).wrong), to{PhaseGaveUp, PhaseWaiting},
		"give up if nothing was ever fetched; a later page: backoff, list anew; after the first sync: wait long, list anew"},
	{PhaseListing, on{fail(BadResponse)}, in((*listing).broken), to{PhaseWaiting},
		"backoff, then from page 1"},

	{PhaseOpening, on{streamOpened}, in((*opening).opened), to{PhaseWatching},
		"read"},
	{PhaseOpening, on{fail(Expired)}, expired, to{PhaseListing, PhaseOpeningInitial, PhaseWaiting},
		"fetch the most recent state: at once the first time, then with backoff"},
	{PhaseOpening, on{fail(TooLargeVersion)}, tooLarge, to{PhaseListing, PhaseWaiting},
		"list: at once the first time, then with backoff; what is listed may be older"},
	{PhaseOpening, on{fail(Throttled)}, throttled, to{PhaseWaiting},
		"wait as told, then the same watch"},
	{PhaseOpening, on{fail(Unauthorized), fail(Unavailable), fail(BadResponse)}, again, to{PhaseWaiting},
		"backoff, then the same watch"},
	{PhaseOpening, on{fail(Forbidden), fail(NotFound)}, denied, to{PhaseWaiting},
		"wait long, then the same watch"},
	{PhaseOpening, on{fail(Refused)}, wrong, to{PhaseWaiting},
		"backoff, or a long wait if it is not the first failure; then fetch the state"},

	{PhaseWatching, on{eventSeen, bookmarkSeen}, in((*watching).event), to{PhaseWatching, PhaseListing, PhaseWaiting},
		"move the resume point forward, read on; begin an audit when it is time; a version without an order beside a list: list anew"},
	{PhaseWatching, on{streamEnded}, in((*watching).ended), to{PhaseOpening, PhaseWaiting},
		"at its deadline: the next watch at once; earlier: after 0 to 2 s, with backoff if it did not live; after repeated empty streams: fetch the state"},
	{PhaseWatching, on{silent}, in((*watching).silent), to{PhaseProbing, PhaseWaiting},
		"close the stream and probe; after a backoff if the stream did not live"},
	{PhaseWatching, on{fail(Expired)}, aged(expired), to{PhaseListing, PhaseOpeningInitial, PhaseWaiting},
		"fetch the most recent state: at once the first time, then with backoff"},
	{PhaseWatching, on{fail(TooLargeVersion)}, aged(tooLarge), to{PhaseListing, PhaseWaiting},
		"list: at once the first time, then with backoff; what is listed may be older"},
	{PhaseWatching, on{fail(Throttled)}, aged(throttled), to{PhaseWaiting},
		"wait as told, then watch from the resume point"},
	{PhaseWatching, on{fail(Unauthorized), fail(Unavailable)}, aged(in((*watching).torn)), to{PhaseWaiting},
		"backoff and 0 to 2 s, then watch from the resume point; if the server's own ERROR frames repeat without a frame: fetch the state"},
	{PhaseWatching, on{fail(Forbidden), fail(NotFound)}, aged(denied), to{PhaseWaiting},
		"wait long, then watch from the resume point"},
	{PhaseWatching, on{fail(Refused)}, aged(wrong), to{PhaseWaiting},
		"backoff, or a long wait if it is not the first failure; then fetch the state"},
	{PhaseWatching, on{fail(BadResponse)}, aged(in((*watching).garbled)), to{PhaseWaiting},
		"backoff, then watch from the resume point; if that repeats without a frame: fetch the state"},

	{PhaseOpeningInitial, on{streamOpened}, in((*openingInitial).opened), to{PhaseStreaming},
		"read"},
	{PhaseOpeningInitial, on{fail(Expired)}, initialExpired, to{PhaseOpeningInitial, PhaseListing, PhaseWaiting},
		"stream anew: at once the first time, then with backoff; after too many, list"},
	{PhaseOpeningInitial, on{fail(TooLargeVersion)}, tooLarge, to{PhaseListing, PhaseWaiting},
		"list: at once the first time, then with backoff"},
	{PhaseOpeningInitial, on{fail(Throttled)}, initialThrottled, to{PhaseWaiting},
		"wait as told, then stream anew"},
	{PhaseOpeningInitial, on{fail(Unauthorized), fail(Unavailable), fail(BadResponse)}, initialFailed, to{PhaseWaiting},
		"backoff, then stream anew, a bounded number of times; then list"},
	{PhaseOpeningInitial, on{fail(Forbidden), fail(NotFound)}, initialDenied, to{PhaseWaiting},
		"wait long, then stream anew"},
	{PhaseOpeningInitial, on{fail(Refused)}, initialRefused, to{PhaseListing},
		"list, now and from now on"},

	{PhaseStreaming, on{eventSeen}, in((*streaming).event), to{PhaseStreaming, PhaseListing},
		"read on, the version is no resume point; if the end mark is overdue: list, now and from now on"},
	{PhaseStreaming, on{bookmarkSeen}, in((*streaming).bookmark), to{PhaseStreaming, PhaseWatching, PhaseListing, PhaseWaiting},
		"with the end mark: in sync, read on as a watch; a mark without a version, or older than what is known: wait, stream anew; no mark: as an event"},
	{PhaseStreaming, on{streamEnded}, in((*streaming).ended), to{PhaseListing, PhaseWaiting},
		"at its deadline: list, now and from now on; earlier: backoff, stream anew, a bounded number of times"},
	{PhaseStreaming, on{silent}, in((*streaming).silent), to{PhaseListing},
		"list, now and from now on"},
	{PhaseStreaming, on{fail(Expired)}, initialExpired, to{PhaseOpeningInitial, PhaseListing, PhaseWaiting},
		"stream anew: at once the first time, then with backoff; after too many, list"},
	{PhaseStreaming, on{fail(TooLargeVersion)}, tooLarge, to{PhaseListing, PhaseWaiting},
		"list: at once the first time, then with backoff"},
	{PhaseStreaming, on{fail(Throttled)}, initialThrottled, to{PhaseWaiting},
		"wait as told, then stream anew"},
	{PhaseStreaming, on{fail(Unauthorized), fail(Unavailable), fail(BadResponse)}, in((*streaming).failed), to{PhaseListing, PhaseWaiting},
		"told by the server: list, now and from now on; otherwise backoff, stream anew, a bounded number of times"},
	{PhaseStreaming, on{fail(Forbidden), fail(NotFound)}, in((*streaming).denied), to{PhaseListing, PhaseWaiting},
		"told by the server: list, now and from now on; otherwise wait long, stream anew"},
	{PhaseStreaming, on{fail(Refused)}, initialRefused, to{PhaseListing},
		"list, now and from now on"},

	{PhaseProbing, on{pageListed}, in((*probing).answer), to{PhaseOpening, PhaseListing, PhaseOpeningInitial, PhaseWaiting},
		"server behind the resume point: fetch the state; otherwise watch from the resume point"},
	{PhaseProbing, on{fail(Expired)}, expired, to{PhaseListing, PhaseOpeningInitial, PhaseWaiting},
		"fetch the most recent state: at once the first time, then with backoff"},
	{PhaseProbing, on{fail(TooLargeVersion)}, tooLarge, to{PhaseListing, PhaseWaiting},
		"list: at once the first time, then with backoff; what is listed may be older"},
	{PhaseProbing, on{fail(Throttled)}, throttled, to{PhaseWaiting},
		"wait as told, then watch from the resume point"},
	{PhaseProbing, on{fail(Unauthorized), fail(Forbidden), fail(NotFound), fail(Refused), fail(Unavailable), fail(BadResponse)}, again, to{PhaseWaiting},
		"backoff, then watch from the resume point: the probe is only a question"},

	{PhaseWaiting, on{waitOver}, in((*waiting).over), to{PhaseListing, PhaseOpening, PhaseOpeningInitial, PhaseProbing},
		"do what the wait was for"},

	{PhaseListingBeside, on{pageListed}, beside((*listingBeside).page), to{PhaseListingBeside, PhaseIdle, PhaseWaiting},
		"ask for the next page; after the last, in sync; a page that cannot belong to the list, or a list that says for the first time that all is gone: wait, list anew"},
	{PhaseListingBeside, on{fail(Expired)}, beside((*listingBeside).expired), to{PhaseListingBeside, PhaseWaitingBeside, PhaseListing, PhaseWaiting},
		"go on with the token that the answer carries: at once the first time, then with backoff; without one, list anew"},
	{PhaseListingBeside, on{fail(TooLargeVersion), fail(Unauthorized), fail(Unavailable), fail(BadResponse)}, beside((*listingBeside).again), to{PhaseWaitingBeside, PhaseWaiting},
		"backoff, then the same page, a bounded number of times; then from page 1"},
	{PhaseListingBeside, on{fail(Throttled)}, beside((*listingBeside).throttled), to{PhaseWaitingBeside},
		"wait as told, then the same page"},
	{PhaseListingBeside, on{fail(Forbidden), fail(NotFound)}, beside((*listingBeside).denied), to{PhaseWaitingBeside, PhaseWaiting},
		"wait long, then the same page, a bounded number of times; then from page 1"},
	{PhaseListingBeside, on{fail(Refused)}, beside((*listingBeside).wrong), to{PhaseWaiting},
		"backoff, list anew"},

	{PhaseWaitingBeside, on{waitOver}, beside((*waitingBeside).over), to{PhaseListingBeside},
		"ask for the page that the wait was for"},

	{PhaseAuditing, on{pageListed}, beside((*auditing).page), to{PhaseAuditing, PhaseIdle, PhaseListing, PhaseOpeningInitial, PhaseWaiting},
		"ask for the next page; after the last, nothing if all is the same, otherwise fetch the state"},
	{PhaseAuditing, on{fail(Expired), fail(TooLargeVersion), fail(Throttled), fail(Unauthorized), fail(Forbidden), fail(NotFound), fail(Refused), fail(Unavailable), fail(BadResponse)}, beside((*auditing).ended), to{PhaseIdle},
		"until the next time"},
}
