package workqueue

import "time"

// Hooks are values that implement one or more of the interfaces below; a queue
// calls those that it finds in [Options].Hooks. They are called without a lock,
// from whatever goroutine brought the change about and from several at once:
// they must be safe for that, quick, and must not panic. They may ask the queue
// for its [Stats]. Gauges are told as differences, so that a sum of them is
// right whatever order concurrent calls arrive in.

// DepthHook is told how the number of keys that are ready for a worker changes.
type DepthHook interface{ OnDepth(delta int) }

// InFlightHook is told how the number of keys in work changes.
type InFlightHook interface{ OnInFlight(delta int) }

// WaitHook is told, when a key is handed out, how long it was ready before and
// with which priority. For how long those still waiting have waited, ask
// [Stats].
type WaitHook interface {
	OnWait(waited time.Duration, priority int)
}

// WorkHook is told, when a key is done, how long it was in work.
type WorkHook interface{ OnWork(took time.Duration) }

// RetryHook is told of each retry: how many failures in a row the key has, and
// in what time it is ready again.
type RetryHook interface {
	OnRetry(failures int, wait time.Duration)
}

// DropHook is told when a key is given up: after how many failures in a row.
type DropHook interface{ OnDrop(failures int) }

// hooks are the values of Options.Hooks, sorted by what they can do.
type hooks struct {
	depth    []DepthHook
	inFlight []InFlightHook
	wait     []WaitHook
	work     []WorkHook
	retry    []RetryHook
	drop     []DropHook
}

// sortHooks fails for a value that no queue would ever call.
func sortHooks(values []any) (h hooks, err error) {
	for _, value := range values {
		known := collect(&h.depth, value)
		known = collect(&h.inFlight, value) || known
		known = collect(&h.wait, value) || known
		known = collect(&h.work, value) || known
		known = collect(&h.retry, value) || known
		known = collect(&h.drop, value) || known
		if !known {
			return h, &OptionError{Option: "Hooks", Problem: "holds a value that implements none of the hook interfaces: is a method's signature or its receiver wrong?"}
		}
	}
	return h, nil
}

func collect[H any](into *[]H, value any) bool {
	hook, ok := value.(H)
	if ok {
		*into = append(*into, hook)
	}
	return ok
}

func (h *hooks) tellDepth(delta int) {
	if delta == 0 {
		return
	}
	for _, hook := range h.depth {
		hook.OnDepth(delta)
	}
}

func (h *hooks) tellInFlight(delta int) {
	for _, hook := range h.inFlight {
		hook.OnInFlight(delta)
	}
}

func (h *hooks) tellWait(waited time.Duration, priority int) {
	for _, hook := range h.wait {
		hook.OnWait(waited, priority)
	}
}

func (h *hooks) tellWork(took time.Duration) {
	for _, hook := range h.work {
		hook.OnWork(took)
	}
}

func (h *hooks) tellRetry(failures int, wait time.Duration) {
	for _, hook := range h.retry {
		hook.OnRetry(failures, wait)
	}
}

func (h *hooks) tellDrop(failures int) {
	for _, hook := range h.drop {
		hook.OnDrop(failures)
	}
}
