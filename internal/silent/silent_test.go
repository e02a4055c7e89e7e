package silent

import (
	"log/slog"
	"testing"
)

func TestIs(t *testing.T) {
	var none *slog.Logger
	for _, c := range []struct {
		logger any
		want   bool
	}{{nil, true}, {none, true}, {slog.Default(), false}, {Logger{}, false}} {
		if got := Is(c.logger); got != c.want {
			t.Errorf("%T: %v", c.logger, got)
		}
	}
	if (Logger{}).Enabled(t.Context(), slog.LevelError) {
		t.Error("the silent logger wants to be told of errors")
	}
}
