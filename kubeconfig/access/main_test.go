package access

import (
	"bytes"
	"log/slog"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is an exec plugin when it is called as one; see plugin_test.go.
func TestMain(m *testing.M) {
	if answer := os.Getenv("TEST_PLUGIN"); answer != "" {
		actAsPlugin(answer)
		return
	}
	goleak.VerifyTestMain(m)
}

// logbook keeps what is logged, by whichever goroutine.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logbook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
