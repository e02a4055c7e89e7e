//go:build unix

package checkpoint_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

func pipe(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	ok(t, syscall.Mkfifo(name, 0o600))
	return name
}
