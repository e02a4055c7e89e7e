// Package silent is what logs to nobody. It is not a *slog.Logger: whatever
// calls a method of that one links all that package log/slog can print with,
// encoding/json included, which is a fortieth of a small agent. A program whose
// author hands over a *slog.Logger links it there.
package silent

import (
	"context"
	"log/slog"
)

// Logger drops everything.
type Logger struct{}

// Log does nothing.
func (Logger) Log(context.Context, slog.Level, string, ...any) {}

// Enabled is false.
func (Logger) Enabled(context.Context, slog.Level) bool { return false }

// Is reports whether a logger is none: nil, or a *slog.Logger that is nil.
func Is(logger any) bool {
	if logger == nil {
		return true
	}
	l, ok := logger.(*slog.Logger)
	return ok && l == nil
}
