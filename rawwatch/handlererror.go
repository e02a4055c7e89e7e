package rawwatch

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// HandlerError is a handler, filter or predicate of a subscription that
// returned an error or panicked. No part of an object is in it but its key; the
// value of a panic may be an object, and is left out for that reason.
type HandlerError struct {
	// Subscription is [SubscriptionOptions].Name.
	Subscription string
	// Func is "handler", "filter", or "predicate".
	Func string
	// Key of the object; of the first one of a batch. Zero for Synced.
	Key decode.Key
	// Sequence of the change, or of the first one of a batch.
	Sequence uint64
	// Changes is how many were in the batch; 1 when there was none.
	Changes int
	// Attempt counts from 1; 0 for a filter or predicate.
	Attempt int
	// Dropped is true when it was the last attempt: the changes are given up.
	Dropped bool
	// Stack of the panic, as text; nil when it was none.
	Stack []byte
	// Err is what the handler returned, or a [*PanicError].
	Err error
}

// Error implements error.
func (e *HandlerError) Error() string {
	var b strings.Builder
	b.WriteString("subscription")
	if e.Subscription != "" {
		b.WriteString(" " + e.Subscription)
	}
	b.WriteString(": " + e.Func)
	if e.Key != (decode.Key{}) {
		b.WriteString(" of " + e.Key.String())
	}
	if e.Changes > 1 {
		fmt.Fprintf(&b, " and %d more", e.Changes-1)
	}
	if e.Attempt > 0 {
		fmt.Fprintf(&b, ", attempt %d", e.Attempt)
	}
	if e.Dropped {
		b.WriteString(", dropped")
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *HandlerError) Unwrap() error { return e.Err }

// PanicError is a panic that was contained. Its value may hold an object and is
// not kept; the stack is in the [*HandlerError].
type PanicError struct {
	// What is the text of a run-time error, which names no values but indexes
	// and types; else the type of the value.
	What string
}

// Error implements error.
func (e *PanicError) Error() string { return "panic: " + e.What }

// panicError describes a recovered value without showing it.
func panicError(value any) *PanicError {
	if err, ok := value.(error); ok {
		var known runtime.Error
		if errors.As(err, &known) {
			return &PanicError{What: known.Error()}
		}
	}
	return &PanicError{What: fmt.Sprintf("a value of type %T", value)}
}

// Errors of subscriptions.
var (
	// ErrInformerStopped is what a subscription to an informer yields that
	// has been stopped: make a new informer.
	ErrInformerStopped = errors.New("rawwatch: the informer has been stopped and takes no more subscriptions; make a new one")
	// ErrSubscriptionClosed is what a second [Subscription.Close] yields.
	ErrSubscriptionClosed = errors.New("rawwatch: the subscription has been closed already")
	// ErrNotManualAck is what [Subscription.Ack] yields where the handler
	// acknowledges by returning nil.
	ErrNotManualAck = errors.New("rawwatch: the subscription acknowledges by itself; set ManualAck to do so by hand")
)
