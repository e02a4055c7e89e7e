package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// logger is what the library logs to: in words without -v, as slog's text with
// it. n tells what concerns a watch; it may be nil.
func (a *app) logger(n *narrator) *slog.Logger {
	switch {
	case a.verbosity <= 0:
		return slog.New(&words{app: a, narrator: n})
	case a.verbosity == 1:
		return a.textLogger(slog.LevelInfo)
	}
	return a.textLogger(slog.LevelDebug)
}

func (a *app) textLogger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(sayer{a}, &slog.HandlerOptions{Level: level}))
}

// sayer is [app.say] as a writer.
type sayer struct{ app *app }

func (s sayer) Write(p []byte) (int, error) {
	s.app.say("%s", p)
	return len(p), nil
}

// words is the slog.Handler for people: of a watch it tells everything that
// happens to it, of all else only warnings. Records are told apart by their
// attributes, never by their text.
type words struct {
	app      *app
	narrator *narrator
	attrs    []slog.Attr
}

// Enabled implements slog.Handler.
func (w *words) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn || w.narrator != nil && level >= slog.LevelInfo
}

// WithAttrs implements slog.Handler.
func (w *words) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *w
	c.attrs = append(slices.Clip(c.attrs), attrs...)
	return &c
}

// WithGroup implements slog.Handler. Groups mean nothing in a sentence.
func (w *words) WithGroup(string) slog.Handler { return w }

// Handle implements slog.Handler.
func (w *words) Handle(_ context.Context, r slog.Record) error {
	attrs := slices.Clone(w.attrs)
	r.Attrs(func(a slog.Attr) bool { attrs = append(attrs, a); return true })
	if w.narrator != nil && has(attrs, "watch") {
		w.tell(r, attrs)
		return nil
	}
	if r.Level >= slog.LevelWarn {
		var b strings.Builder
		for _, a := range attrs {
			fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		}
		w.app.say("warning: %s%s\n", r.Message, b.String())
	}
	return nil
}

// tell passes a record about the watch on to the narrator.
func (w *words) tell(r slog.Record, attrs []slog.Attr) {
	failure, failed := value[error](attrs, "error")
	switch {
	case failed:
		class, _ := value[resume.FailureClass](attrs, "class")
		wait, _ := value[time.Duration](attrs, "retry_in")
		w.narrator.tellFailure(class, failure, wait)
	case has(attrs, "objects"):
		// In sync; the event of that says it after the lines that it is about.
	case r.Level >= slog.LevelInfo:
		w.narrator.tell("%s", r.Message)
	}
}

func has(attrs []slog.Attr, key string) bool {
	return slices.ContainsFunc(attrs, func(a slog.Attr) bool { return a.Key == key })
}

func value[T any](attrs []slog.Attr, key string) (v T, ok bool) {
	for _, a := range attrs {
		if a.Key == key {
			v, ok = a.Value.Any().(T)
			return v, ok
		}
	}
	return v, false
}
