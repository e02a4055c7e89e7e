package rawwatch

import (
	"io"
	"net"
	"os"
	"syscall"
)

const canMute = true

// setLowWater sets from how many bytes on a socket counts as readable:
// SO_RCVLOWAT of socket(7), which poll and epoll heed for TCP.
func setLowWater(fd uintptr, bytes int) bool {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, bytes) == nil
}

// readMuted is Read on a connection that may be muted: it takes what there is,
// and unmutes it before it waits for more.
func (s *socket) readMuted(p []byte) (n int, err error) {
	if !s.mut {
		return s.Read(p)
	}
	waiting := s.raw.Read(func(fd uintptr) bool {
		if n, err = readNow(fd, p); err != syscall.EAGAIN {
			return true
		}
		if s.mut {
			// What comes from now on wakes us; what has come before is there to
			// be read.
			setLowWater(fd, 1)
			s.mut = false
			n, err = readNow(fd, p)
		}
		return err != syscall.EAGAIN
	})
	switch {
	case waiting != nil: // closed, or past its deadline
		return 0, waiting
	case err != nil:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: os.NewSyscallError("read", err)}
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func readNow(fd uintptr, p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), p)
		if err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}
