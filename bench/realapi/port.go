package realapi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports come from below the range that operating systems give to outgoing
// connections. While a server is down nothing else can then take its port,
// and a client that dials it cannot end up connected to itself.
const (
	firstPort = 20000
	lastPort  = 29999
)

// freePorts finds n TCP ports of the loopback interface that nobody uses now.
// Another process may take one before a server does; the start then fails
// with that server's own message.
func freePorts(n int) ([]int, error) {
	ports := make([]int, 0, n)
	for range 1000 {
		if len(ports) == n {
			return ports, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		l, err := net.Listen("tcp", address(port))
		if err != nil {
			continue
		}
		defer l.Close() // all at the end, so that no port is found twice
		ports = append(ports, port)
	}
	return nil, errors.New("realapi: no free ports")
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
