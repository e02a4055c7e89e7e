package access

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// handshake makes one connection, and reports whom the server saw.
func handshake(t *testing.T, s *Session, server tls.Certificate) (client, sni string, err error) {
	t.Helper()
	config := s.TLSConfig()
	if config.ServerName == "" {
		config.ServerName = "k.example" // as net/http does
	}
	near, far := connect(t)
	serving := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{server}, ClientAuth: tls.RequestClientCert})
	served := make(chan error)
	go func() { served <- serving.Handshake() }()
	connection := tls.Client(near, config)
	err = connection.Handshake()
	if err != nil {
		_ = near.Close()
	}
	if failed := <-served; err == nil {
		err = failed
	}
	if err == nil {
		state := serving.ConnectionState()
		sni = state.ServerName
		if len(state.PeerCertificates) > 0 {
			client = state.PeerCertificates[0].Subject.CommonName
		}
	}
	_, _ = near.Close(), far.Close()
	return client, sni, err
}

// connect gives both ends of a connection.
func connect(t *testing.T) (near, far net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if near, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	return near, far
}

func TestCertificatesAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		oldCA, newCA := testCA(t), testCA(t)
		oldServer, newServer := oldCA.issue(t, "server", notAfter).certificate(t), newCA.issue(t, "server", notAfter).certificate(t)
		alice, bob := oldCA.issue(t, "alice", notAfter), oldCA.issue(t, "bob", notAfter)
		files := func(ca authority, client pemPair) map[string]string {
			return map[string]string{"ca.crt": string(ca.pem()), "tls.crt": string(client.cert), "tls.key": string(client.key)}
		}
		m := newMount(t, files(oldCA, alice))
		var log logbook
		s := open(t, &Config{Server: "https://k.example", CAFile: m.path("ca.crt"), CertFile: m.path("tls.crt"), KeyFile: m.path("tls.key")},
			SessionOptions{Logger: log.logger()})
		rotations := 0
		s.OnRotate(func() { rotations++ })
		expect := func(server tls.Certificate, client string, rotated int) {
			t.Helper()
			if _, err := authorize(t, s); err != nil {
				t.Error(err)
			}
			got, _, err := handshake(t, s, server)
			if got != client || err != nil || rotations != rotated {
				t.Errorf("the server saw %q (%v) after %d rotations, want %q after %d", got, err, rotations, client, rotated)
			}
		}
		expect(oldServer, "alice", 0)

		m.swap(files(oldCA, bob))
		wait(lookEvery)
		expect(oldServer, "bob", 1)

		m.swap(files(oldCA, bob)) // other files, the same contents
		wait(lookEvery)
		expect(oldServer, "bob", 1)

		m.swap(map[string]string{"ca.crt": string(newCA.pem()), "tls.crt": string(alice.cert), "tls.key": string(bob.key)})
		wait(lookEvery)
		expect(oldServer, "bob", 1) // no pair: nothing of it is used
		if n := strings.Count(log.String(), "cannot be used; keeping the old ones"); n != 1 {
			t.Errorf("said %d times:\n%s", n, &log)
		}

		m.swap(files(newCA, alice))
		wait(lookEvery)
		expect(newServer, "alice", 2)
		if _, _, err := handshake(t, s, oldServer); err == nil {
			t.Error("the old authority is still believed")
		}
		if strings.Contains(log.String(), "PRIVATE") {
			t.Errorf("a key in the log:\n%s", &log)
		}
	})
}

// TestCertificateAfterA401: a rejection looks at the files at once.
func TestCertificateAfterA401(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := testCA(t)
		alice, bob := ca.issue(t, "alice", notAfter), ca.issue(t, "bob", notAfter)
		m := newMount(t, map[string]string{"crt": string(alice.cert), "key": string(alice.key)})
		s := open(t, &Config{Server: "https://k.example", CAData: ca.pem(), CertFile: m.path("crt"), KeyFile: m.path("key")}, SessionOptions{})
		rotations := 0
		s.OnRotate(func() { rotations++ })
		r := newRequest(t)
		if err := s.Authorize(r); err != nil {
			t.Fatal(err)
		}
		if s.Rejected(r) {
			t.Error("the files are the same: sending again cannot help")
		}
		m.swap(map[string]string{"crt": string(bob.cert), "key": string(bob.key)})
		if !s.Rejected(r) || rotations != 1 {
			t.Errorf("there is another certificate; %d rotations", rotations)
		}
		if !s.Rejected(r) || rotations != 1 {
			t.Errorf("another request may have used the old connection; %d rotations", rotations)
		}
		wait(justNow)
		if s.Rejected(r) {
			t.Error("what was rejected is the new certificate")
		}
	})
}

// TestPluginCertificate: a new connection has the plugin's latest certificate.
func TestPluginCertificate(t *testing.T) {
	ca := testCA(t)
	server, client := ca.issue(t, "server", notAfter).certificate(t), ca.issue(t, "plugin", notAfter)
	c := execUser(t, "pair", EnvVar{"TEST_CERT", string(client.cert)}, EnvVar{"TEST_KEY", string(client.key)})
	c.CAData = ca.pem()
	s := open(t, c, SessionOptions{})
	if got, err := authorize(t, s); got != "" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, _, err := handshake(t, s, server); got != "plugin" || err != nil {
		t.Errorf("the server saw %q, %v", got, err)
	}
	broken := open(t, execUser(t, "fail"), SessionOptions{})
	if _, _, err := handshake(t, broken, server); err == nil {
		t.Error("a connection without the certificate that is configured")
	}
}

func TestServerName(t *testing.T) {
	ca := testCA(t)
	server := ca.issue(t, "server", notAfter).certificate(t)
	s := open(t, &Config{Server: "https://k.example", CAData: ca.pem(), TLSServerName: "api.internal"}, SessionOptions{})
	if _, sni, err := handshake(t, s, server); sni != "api.internal" || err != nil {
		t.Errorf("asked for %q, %v", sni, err)
	}
	s = open(t, &Config{Server: "https://k.example", CAData: ca.pem(), TLSServerName: "other.name"}, SessionOptions{})
	if _, _, err := handshake(t, s, server); err == nil {
		t.Error("a certificate for other names was accepted")
	}
}

func TestInsecureIsSaidAloud(t *testing.T) {
	var log logbook
	s := open(t, &Config{Server: "https://k.example", InsecureSkipTLSVerify: true}, SessionOptions{Logger: log.logger()})
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "verification is OFF") {
		t.Errorf("the log: %s", &log)
	}
	if _, _, err := handshake(t, s, testCA(t).issue(t, "anybody", notAfter).certificate(t)); err != nil {
		t.Error(err)
	}
	_, err := (&Config{Server: "https://k.example", InsecureSkipTLSVerify: true, CAData: testCA(t).pem()}).Open(SessionOptions{})
	if err == nil || !strings.Contains(err.Error(), "Config.InsecureSkipTLSVerify: excludes a certificate-authority") {
		t.Errorf("got %v", err)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	ca := testCA(t)
	s := open(t, &Config{Server: "https://k.example", CAData: ca.pem()}, SessionOptions{})
	if v := s.TLSConfig().MinVersion; v != tls.VersionTLS12 {
		t.Errorf("the minimum version is %x", v)
	}
}

// TestTheCallerOwnsTheTLSConfig: what one caller changes, no other sees.
func TestTheCallerOwnsTheTLSConfig(t *testing.T) {
	s := open(t, &Config{Server: "https://k.example", CAData: testCA(t).pem()}, SessionOptions{})
	mine := s.TLSConfig()
	mine.InsecureSkipVerify, mine.RootCAs = true, x509.NewCertPool()
	if other := s.TLSConfig(); other.InsecureSkipVerify || other.RootCAs == mine.RootCAs {
		t.Error("the configuration is shared")
	}
	if open(t, &Config{Server: "http://k.example"}, SessionOptions{}).TLSConfig() != nil {
		t.Error("TLS for plain http")
	}
}

func TestDirectoryAsCertificate(t *testing.T) {
	_, err := (&Config{Server: "https://k.example", CAFile: t.TempDir()}).Open(SessionOptions{})
	if err == nil || !strings.Contains(err.Error(), "is a directory, not a file") {
		t.Errorf("got %v", err)
	}
	file := filepath.Join(t.TempDir(), "ca")
	write(t, file, bytes.Repeat([]byte("x"), 11))
	_, err = (&Config{Server: "https://k.example", CAFile: file}).Open(SessionOptions{FileLimit: 10})
	if err == nil || !strings.Contains(err.Error(), "the file is larger than 10 bytes") {
		t.Errorf("got %v", err)
	}
}
