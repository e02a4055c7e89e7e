package ownagent

import (
	"net"
	"sync"

	"golang.org/x/sys/unix"
)

// sockets are the program's connections. The kernel counts what they receive: a
// connection wrapped to be counted would not be the one that users have.
type sockets struct {
	mu  sync.Mutex
	all []*counted
}

type counted struct {
	conn  *net.TCPConn
	bytes int64 // as last seen, which stays when it is closed
}

func (s *sockets) add(c *net.TCPConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, &counted{conn: c})
}

func (s *sockets) received() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all {
		if raw, err := c.conn.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
					c.bytes = int64(info.Bytes_received)
				}
			})
		}
		sum += c.bytes
	}
	return sum
}
