package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// logger is what the library logs to: warnings in words without -v, as slog's
// text with it.
func (a *app) logger() *slog.Logger {
	switch {
	case a.verbosity <= 0:
		return slog.New(&warnings{app: a})
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

// warnings is the slog.Handler for people: it tells warnings, but for those
// about a watch, of which a [narrator] tells.
type warnings struct {
	app   *app
	attrs []slog.Attr
}

// Enabled implements slog.Handler.
func (w *warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// WithAttrs implements slog.Handler.
func (w *warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &warnings{app: w.app, attrs: append(slices.Clip(w.attrs), attrs...)}
}

// WithGroup implements slog.Handler. Groups mean nothing in a sentence.
func (w *warnings) WithGroup(string) slog.Handler { return w }

// Handle implements slog.Handler.
func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	aboutWatch, first := false, true
	tell := func(a slog.Attr) bool {
		aboutWatch = aboutWatch || first && a.Key == "watch"
		first = false
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		return true
	}
	for _, a := range w.attrs {
		tell(a)
	}
	r.Attrs(tell)
	if aboutWatch {
		return nil
	}
	w.app.say("warning: %s%s\n", r.Message, b.String())
	return nil
}
