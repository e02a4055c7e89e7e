package kubeconfig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// world is the servers and files that configurations speak of.
type world struct {
	dir   string // holds shared files
	words map[string]string
	seen  *journal
}

// seenRequest is what a server saw of a request.
type seenRequest struct {
	Server, Path, Authorization, ClientName, SNI, Impersonate string
	Proxied                                                   bool
}

// journal keeps the last request.
type journal struct {
	mu   sync.Mutex
	last *seenRequest
	conn int // connections through the proxy
}

func (j *journal) take() (*seenRequest, int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r, n := j.last, j.conn
	j.last, j.conn = nil, 0
	return r, n
}

func (j *journal) handler(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &seenRequest{Server: name, Path: r.URL.Path, Authorization: r.Header.Get("Authorization"), Impersonate: impersonation(r.Header)}
		if r.TLS != nil {
			s.SNI = r.TLS.ServerName
			if len(r.TLS.PeerCertificates) > 0 {
				s.ClientName = r.TLS.PeerCertificates[0].Subject.CommonName
			}
		}
		j.mu.Lock()
		j.last = s
		j.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{}`)
	})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), words: map[string]string{}, seen: &journal{}}
	ca, otherCA := newAuthority(t, "ca"), newAuthority(t, "other-ca")
	serving := ca.issue(t, "server", []string{"localhost", "api.internal"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback})
	for name, cert := range map[string]pair{"alice": ca.issue(t, "alice", nil, nil), "bob": ca.issue(t, "bob", nil, nil)} {
		w.file(t, name+".crt", cert.cert)
		w.file(t, name+".key", cert.key)
	}
	w.file(t, "ca.crt", ca.pem())
	w.file(t, "other-ca.crt", otherCA.pem())
	w.file(t, "empty", nil)
	w.file(t, "nonsense", []byte("this is nothing"))
	w.file(t, "token", []byte("token-of-a-file\n"))
	w.file(t, "token2", []byte("  another-token-of-a-file  "))
	w.file(t, "space", []byte(" \n"))

	secure := httptest.NewUnstartedServer(w.seen.handler("tls"))
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{serving.pair(t)}, ClientAuth: tls.RequestClientCert}
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // many handshakes are meant to fail
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(w.seen.handler("plain"))
	t.Cleanup(plain.Close)
	proxy := httptest.NewServer(w.proxy())
	t.Cleanup(proxy.Close)
	w.words["tls"], w.words["plain"], w.words["proxy"] = secure.URL, plain.URL, proxy.URL
	w.words["tlshost"], w.words["plainhost"] = strings.TrimPrefix(secure.URL, "https://"), strings.TrimPrefix(plain.URL, "http://")
	w.words["port"] = secure.URL[strings.LastIndex(secure.URL, ":")+1:]
	plugin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.words["plugin"] = plugin
	return w
}

// file writes a shared file: {NAME} is its path, {NAME:data} its base64.
func (w *world) file(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	w.words[name] = path
	w.words[name+":data"] = base64.StdEncoding.EncodeToString(text)
}

// fill replaces {word}s.
func (w *world) fill(text string) string {
	for word, value := range w.words {
		text = strings.ReplaceAll(text, "{"+word+"}", value)
	}
	return text
}

// proxy is an HTTP proxy that counts tunnels.
func (w *world) proxy() http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.seen.mu.Lock()
		w.seen.conn++
		w.seen.mu.Unlock()
		if r.Method != http.MethodConnect {
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				http.Error(rw, err.Error(), http.StatusBadGateway)
				return
			}
			defer resp.Body.Close()
			rw.WriteHeader(resp.StatusCode)
			_, _ = io.Copy(rw, resp.Body)
			return
		}
		up, err := net.Dial("tcp", r.Host)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadGateway)
			return
		}
		down, _, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			up.Close()
			return
		}
		_, _ = io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(up, down); up.Close() }()
		go func() { _, _ = io.Copy(down, up); down.Close() }()
	})
}

type pair struct{ cert, key []byte }

func (p pair) pair(t *testing.T) tls.Certificate {
	t.Helper()
	c, err := tls.X509KeyPair(p.cert, p.key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert, key}
}

func (a authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func (a authority) issue(t *testing.T, name string, dns []string, ips []net.IP) pair {
	t.Helper()
	return a.sign(t, name, time.Now().Add(time.Hour), dns, ips)
}

// issueUntil makes a client's certificate.
func (a authority) issueUntil(t *testing.T, name string, end time.Time) pair {
	t.Helper()
	return a.sign(t, name, end, nil, nil)
}

func (a authority) sign(t *testing.T, name string, end time.Time, dns []string, ips []net.IP) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: dns, IPAddresses: ips,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	}
}
