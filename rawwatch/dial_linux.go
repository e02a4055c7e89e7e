package rawwatch

import (
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT of tcp(7), which package syscall lacks.
const tcpUserTimeout = 0x12

// userTimeout makes the kernel give a connection up whose sent data is not
// acknowledged for so long. It notices a dead link also where nothing is read,
// and on HTTP/1.1, which has no pings.
func userTimeout(d time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if network != "tcp4" && network != "tcp6" {
			return nil
		}
		// A kernel without it has the other bounds.
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(d.Milliseconds()))
		})
	}
}
