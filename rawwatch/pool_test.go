package rawwatch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestRotation: after a credential changed, new requests use new connections,
// and a request that is open keeps its own.
func TestRotation(t *testing.T) {
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("x"))
		_ = http.NewResponseController(w).Flush()
		if r.URL.Path == "/open" {
			<-r.Context().Done()
		}
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()

	p := &connectionPool{build: func() (*http.Transport, error) { return &http.Transport{}, nil }}
	p.current, _ = p.build()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open, err := p.RoundTrip(get(t, ctx, server.URL+"/open"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Body.Close()
	ask := func() {
		t.Helper()
		resp, err := p.RoundTrip(get(t, ctx, server.URL))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	ask()
	ask()
	before := connections.Load()
	p.rotate()
	ask()
	if got := connections.Load(); got != before+1 {
		t.Errorf("%d connections after the rotation, want %d", got, before+1)
	}
	if _, err := open.Body.Read(make([]byte, 1)); err != nil {
		t.Errorf("the open request did not survive: %v", err)
	}
	p.close()
}
