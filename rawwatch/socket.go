package rawwatch

import (
	"net"
	"syscall"
)

// muted is how many bytes a muted socket gathers before it wakes anybody, in
// bytes: what a batch holds.
const muted = batchSize

// socket is a TCP connection that can be muted: what arrives then wakes nobody
// until it is a whole batch. Reading a connection late spares little while the
// runtime's poller is woken for each segment all the same. In any other kind
// of connection, a wrapped one too, and where there is no such option, muting
// does nothing.
type socket struct {
	net.Conn
	raw syscall.RawConn // nil without one
	mut bool
}

func newSocket(c net.Conn) socket {
	s := socket{Conn: c}
	// Asking for the interface syscall.Conn instead would link what every kind
	// of connection and file has for it.
	if tcp, ok := c.(*net.TCPConn); ok && canMute {
		if raw, err := tcp.SyscallConn(); err == nil {
			s.raw = raw
		}
	}
	return s
}

// mute begins to gather what arrives. Nobody may wait for the connection until
// it was read by readMuted, or unmuted.
func (s *socket) mute() {
	if s.raw == nil || s.mut {
		return
	}
	_ = s.raw.Control(func(fd uintptr) { s.mut = setLowWater(fd, muted) })
}

func (s *socket) unmute() {
	if s.mut {
		_ = s.raw.Control(func(fd uintptr) { setLowWater(fd, 1) })
		s.mut = false
	}
}
