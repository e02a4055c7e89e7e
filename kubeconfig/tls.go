package kubeconfig

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// tlsFiles holds the certificates of a session, and reads them again when
// their files change.
type tlsFiles struct {
	owner Config
	log   *slog.Logger

	mu      sync.Mutex // guards the fields below
	roots   *x509.CertPool
	cert    *tls.Certificate
	stamps  map[string]stamp
	looked  time.Time
	hooks   map[int]func()
	nextKey int
}

// lookEvery is how often the certificate files are looked at, at most.
const lookEvery = time.Second

// stamp tells whether a file has changed.
type stamp struct {
	size int64
	time time.Time
}

func openTLS(c *Config, log *slog.Logger) (*tlsFiles, error) {
	if c.InsecureSkipTLSVerify {
		if len(c.CAData) > 0 || c.CAFile != "" {
			return nil, c.fieldError("insecure-skip-tls-verify", errors.New("excludes a certificate-authority; remove one of them"))
		}
		log.Warn("TLS verification is OFF: anybody between here and the server can read and change everything, the credential included", "server", redactURL(c.Server))
	}
	t := &tlsFiles{owner: *c, log: log, hooks: map[int]func(){}}
	return t, t.load()
}

// load reads everything anew.
func (t *tlsFiles) load() error {
	c := &t.owner
	stamps := map[string]stamp{}
	ca, err := pemOf(c.CAData, c.CAFile, stamps)
	if err != nil {
		return c.fieldError("certificate-authority", err)
	}
	var roots *x509.CertPool
	if len(ca) > 0 {
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(ca) {
			return c.fieldError("certificate-authority", errors.New("holds no certificate in PEM"))
		}
	}
	cert, err := t.pair(stamps)
	if err != nil {
		return err
	}
	t.roots, t.cert, t.stamps = roots, cert, stamps
	return nil
}

func (t *tlsFiles) pair(stamps map[string]stamp) (*tls.Certificate, error) {
	c := &t.owner
	certPEM, err := pemOf(c.CertData, c.CertFile, stamps)
	if err != nil {
		return nil, c.fieldError("client-certificate", err)
	}
	keyPEM, err := pemOf(c.KeyData, c.KeyFile, stamps)
	if err != nil {
		return nil, c.fieldError("client-key", err)
	}
	switch {
	case len(certPEM) == 0 && len(keyPEM) == 0:
		return nil, nil
	case len(keyPEM) == 0:
		return nil, c.fieldError("client-key", errors.New("is missing; client-certificate is set"))
	case len(certPEM) == 0:
		return nil, c.fieldError("client-certificate", errors.New("is missing; client-key is set"))
	}
	cert, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, c.fieldError("client-certificate", fmt.Errorf("does not make a pair with client-key: %w", err))
	}
	return &cert, nil
}

func pemOf(data []byte, file string, stamps map[string]stamp) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	text, err := readBounded(file)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err == nil {
		stamps[file] = stamp{info.Size(), info.ModTime()}
	}
	return text, nil
}

// current is what new connections use: the files are read again if one of
// them has changed. If they cannot be used now, the old ones stay.
func (t *tlsFiles) current() (*x509.CertPool, *tls.Certificate) {
	t.mu.Lock()
	changed := false
	if time.Since(t.looked) < lookEvery {
		defer t.mu.Unlock()
		return t.roots, t.cert
	}
	t.looked = time.Now()
	for file, old := range t.stamps {
		if info, err := os.Stat(file); err == nil && (stamp{info.Size(), info.ModTime()}) != old {
			changed = true
		}
	}
	var hooks []func()
	if changed {
		if err := t.load(); err != nil {
			t.log.Warn("changed certificate files cannot be used yet, keeping the old ones", "error", err)
		} else {
			t.log.Info("certificate files were replaced, new connections use them")
			for _, f := range t.hooks {
				hooks = append(hooks, f)
			}
		}
	}
	roots, cert := t.roots, t.cert
	t.mu.Unlock()
	for _, f := range hooks {
		f()
	}
	return roots, cert
}

func (t *tlsFiles) onRotate(f func()) (cancel func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := t.nextKey
	t.nextKey++
	t.hooks[key] = f
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.hooks, key)
	}
}

// config makes the TLS configuration for the connections that are made from
// now on. The authorities are those of the moment: when their file changes, the
// hooks of onRotate make the transport ask for a new one.
func (t *tlsFiles) config() *tls.Config {
	roots, _ := t.current()
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.owner.TLSServerName,
		RootCAs:            roots,
		InsecureSkipVerify: t.owner.InsecureSkipTLSVerify,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if _, cert := t.current(); cert != nil {
				return cert, nil
			}
			return &tls.Certificate{}, nil
		},
	}
}
