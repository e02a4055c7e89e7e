package access

import (
	"log/slog"
	"testing"
)

// TestNoLogger: a *slog.Logger that is nil is silent, as no logger is.
func TestNoLogger(t *testing.T) {
	var none *slog.Logger
	for _, logger := range []Logger{nil, none} {
		open(t, &Config{Server: "https://k.example", InsecureSkipTLSVerify: true}, SessionOptions{Logger: logger})
	}
}
