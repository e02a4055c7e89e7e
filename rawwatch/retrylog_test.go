package rawwatch

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/hashicorp/go-retryablehttp"
)

// TestRetriesAreDetails: an attempt that failed and is repeated must not look
// like an error in a program's log.
func TestRetriesAreDetails(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo}))
	var l retryablehttp.LeveledLogger = retryLog{log}
	for _, say := range []func(string, ...any){l.Error, l.Warn, l.Info, l.Debug} {
		say("request failed", "method", "GET")
	}
	if out.Len() > 0 {
		t.Errorf("logged above debug:\n%s", out.String())
	}
}
