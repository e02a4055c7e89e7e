package ownagent

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/rawwatch/rawwatch/bench/usage"
)

// countedConn counts what it receives, also where that is read past it through
// the raw socket.
type countedConn struct {
	net.Conn
	teller  *usage.Teller
	counted int64
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.count(int64(n))
	return n, err
}

func (c *countedConn) count(n int64) {
	c.counted += n
	c.teller.Received.Add(n)
}

// SyscallConn implements syscall.Conn.
func (c *countedConn) SyscallConn() (syscall.RawConn, error) {
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	return &countedRaw{raw, c}, err
}

type countedRaw struct {
	syscall.RawConn
	conn *countedConn
}

// Read lets the kernel say how much has come.
func (r *countedRaw) Read(f func(fd uintptr) bool) error {
	return r.RawConn.Read(func(fd uintptr) bool {
		done := f(fd)
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			r.conn.count(int64(info.Bytes_received) - r.conn.counted)
		}
		return done
	})
}
