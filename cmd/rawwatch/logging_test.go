package main

import (
	"bytes"
	"log/slog"
	"testing"
)

// TestWarningsInWords: people are told what goes wrong, but not twice of a watch,
// which the narrator speaks of.
func TestWarningsInWords(t *testing.T) {
	var out bytes.Buffer
	log := (&app{stderr: &out}).logger()
	log.Info("all is well")
	log.Warn("watch interrupted", "watch", "pods", "error", "reset")
	log.With("checkpoint", "pods").Warn("set aside", "watch", "pods")
	log.Warn("the server is slow", "took", 5)
	if want := "warning: set aside checkpoint=pods watch=pods\nwarning: the server is slow took=5\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if log.Enabled(t.Context(), slog.LevelInfo) {
		t.Error("without -v, people are told more than warnings")
	}
}
