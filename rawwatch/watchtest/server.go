package watchtest

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Server is an API server in the process. It is safe for concurrent use.
type Server struct {
	options   Options
	store     *store
	faults    *faults
	journal   *journal
	access    *access
	authority *authority // nil without TLS

	door    *doorway
	memory  *memoryListener // nil unless in memory
	http    *http.Server
	scratch string // directory of the socket
	serving sync.WaitGroup
	counter atomic.Int64 // of requests, for GoawayAfter

	mu     sync.Mutex
	era    *era
	closed bool
}

// era is the time between two restarts.
type era struct {
	over     chan struct{}
	requests sync.WaitGroup
}

func newEra() *era { return &era{over: make(chan struct{})} }

// NewServer starts a server. It panics when the machine refuses a loopback
// port, a socket or a key, as net/http/httptest does: a test cannot go on
// then. The caller must call [Server.Close].
func NewServer(o Options) *Server {
	o = o.withDefaults()
	s := &Server{
		options: o, store: newStore(o.limits(), o.FirstRevision), faults: new(faults),
		journal: &journal{limit: o.Journal}, access: newAccess(o), era: newEra(),
	}
	for _, r := range builtins {
		s.store.register(r)
	}
	if err := s.start(); err != nil {
		panic(fmt.Sprintf("watchtest: cannot start the server: %v", err))
	}
	return s
}

func (s *Server) start() error {
	listener, err := s.listen()
	if err != nil {
		return err
	}
	s.door = newDoorway(listener, s.faults)
	s.http = &http.Server{
		Handler: http.HandlerFunc(s.handle), ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: remember, ConnState: s.door.track,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: s.options.StreamLimit},
	}
	serve := func() error { return s.http.Serve(s.door) }
	if s.secure() {
		if s.authority, err = newAuthority(); err != nil {
			return err
		}
		if s.http.TLSConfig, err = s.authority.serverTLS(); err != nil {
			return err
		}
		s.http.Protocols = new(http.Protocols)
		s.http.Protocols.SetHTTP1(true)
		s.http.Protocols.SetHTTP2(!s.options.HTTP1)
		serve = func() error { return s.http.ServeTLS(s.door, "", "") }
	}
	s.serving.Go(func() { serve() }) // ends with http.ErrServerClosed
	return nil
}

func (s *Server) secure() bool { return s.options.Mode == TLS || s.options.Mode == Memory }

func (s *Server) listen() (net.Listener, error) {
	switch s.options.Mode {
	case TLS, Plain:
		return net.Listen("tcp", "127.0.0.1:0")
	case Unix:
		dir, err := os.MkdirTemp("", "watchtest")
		if err != nil {
			return nil, err
		}
		s.scratch = dir
		return net.Listen("unix", filepath.Join(dir, "apiserver.sock"))
	case Memory, MemoryPlain:
		s.memory = newMemoryListener(s.faults)
		return s.memory, nil
	}
	return nil, fmt.Errorf("unknown mode %d", s.options.Mode)
}

// URL is the base URL without a slash at its end: https://127.0.0.1:PORT,
// http://127.0.0.1:PORT, unix:///PATH, or https://localhost and
// http://localhost in memory.
func (s *Server) URL() string {
	switch s.options.Mode {
	case TLS:
		return "https://" + s.door.Addr().String()
	case Plain:
		return "http://" + s.door.Addr().String()
	case Unix:
		return "unix://" + s.door.Addr().String()
	case Memory:
		return "https://localhost"
	}
	return "http://localhost"
}

// CAData is the certificate authority in PEM that signed the server's
// certificate; nil without TLS.
func (s *Server) CAData() []byte {
	if s.authority == nil {
		return nil
	}
	return s.authority.pem
}

// DialContext connects to the server, whatever the mode; network and address
// are ignored. In the Memory modes it is the only way in: give it to the
// client as its DialContext.
func (s *Server) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if s.memory != nil {
		return s.memory.dial(ctx)
	}
	var d net.Dialer
	return d.DialContext(ctx, s.door.Addr().Network(), s.door.Addr().String())
}

// enter begins a request: nil when the server closes.
func (s *Server) enter() *era {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.era.requests.Add(1)
	return s.era
}

// Restart is a restart of the API server in front of an etcd that goes on:
// every connection is reset, the objects and the revision stay, and the
// history is empty, so that watches from before the current revision are too
// old. When it returns, all requests of the time before have ended.
func (s *Server) Restart() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	before := s.era
	s.era = newEra()
	s.mu.Unlock()
	s.store.forgetHistory()
	close(before.over)
	s.door.resetAll()
	before.requests.Wait()
}

// Close ends all requests, closes all connections and waits until nothing of
// the server runs any more. It may be called more than once.
func (s *Server) Close() {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	ending := s.era
	s.mu.Unlock()
	if first {
		close(ending.over)
		s.http.Close()
		s.door.shut()
	}
	s.serving.Wait()
	ending.requests.Wait()
	s.door.gone.Wait()
	if first && s.scratch != "" {
		os.RemoveAll(s.scratch)
	}
}
