//go:build !linux

package rawwatch

import (
	"syscall"
	"time"
)

// userTimeout is Linux's alone.
func userTimeout(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
