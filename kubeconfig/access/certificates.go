package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// certificates are the CA bundle and the client certificate of a session. What
// stands in files is read again when these have changed; while the new files
// cannot be used, the old contents are.
type certificates struct {
	config *Config
	limit  int64
	log    Logger
	// source issues the client certificate in place of files; may be nil.
	source certifier
	// rotate is called, without the lock, after a change.
	rotate func()

	mu     sync.Mutex // guards the fields below
	roots  *x509.CertPool
	pair   *tls.Certificate
	text   [3][]byte // CA, certificate and key as they were read
	seen   map[string]sight
	looked time.Time
	turned time.Time // when something changed last
	failed bool      // the last attempt failed, and was logged
}

// openCertificates reads everything once.
func openCertificates(s *Session, c *Config, source certifier) (*certificates, error) {
	if c.InsecureSkipTLSVerify {
		if len(c.CAData) > 0 || c.CAFile != "" {
			return nil, c.fault(memberInsecure, errors.New("excludes a certificate-authority: it would not be used; remove one of them"))
		}
		s.log.Log(context.Background(), slog.LevelWarn, "TLS verification is OFF (insecure-skip-tls-verify): anybody between here and the server can read and change everything, the credential included", "server", redactURL(c.Server))
	}
	t := &certificates{config: c, limit: s.options.FileLimit, log: s.log, source: source, rotate: s.rotate}
	_, err := t.load()
	return t, err
}

// load reads everything anew, and reports whether anything differs; mu is
// held, or t not yet shared.
func (t *certificates) load() (changed bool, err error) {
	c := t.config
	seen := map[string]sight{}
	for _, file := range t.files() {
		seen[file] = lookAt(file)
	}
	var text [3][]byte
	if text[0], err = pemOf(c.CAData, c.CAFile, t.limit); err != nil {
		return false, c.fault(memberCAFile, err)
	}
	roots := t.roots
	if len(text[0]) > 0 || c.CAFile != "" {
		if roots, err = poolOf(text[0]); err != nil {
			return false, c.fault(memberOf(c.CAFile, memberCAFile, memberCAData), err)
		}
	}
	var pair *tls.Certificate
	if c.hasCert() {
		if text[1], err = pemOf(c.CertData, c.CertFile, t.limit); err != nil {
			return false, c.fault(memberCertFile, err)
		}
		if text[2], err = pemOf(c.KeyData, c.KeyFile, t.limit); err != nil {
			return false, c.fault(memberKeyFile, err)
		}
		both, err := tls.X509KeyPair(text[1], text[2])
		if err != nil {
			return false, c.fault(memberOf(c.CertFile, memberCertFile, memberCertData), fmt.Errorf("and the client-key are no pair in PEM: %w", err))
		}
		pair = &both
	}
	for i := range text {
		changed = changed || !bytes.Equal(text[i], t.text[i])
	}
	t.roots, t.pair, t.text, t.seen = roots, pair, text, seen
	return changed, nil
}

func memberOf(file string, inFile, inData member) member {
	if file != "" {
		return inFile
	}
	return inData
}

// files are those that count.
func (t *certificates) files() []string {
	var files []string
	add := func(data []byte, file string) {
		if len(data) == 0 && file != "" {
			files = append(files, file)
		}
	}
	add(t.config.CAData, t.config.CAFile)
	if t.config.hasCert() {
		add(t.config.CertData, t.config.CertFile)
		add(t.config.KeyData, t.config.KeyFile)
	}
	return files
}

// look reads the files again if one of them was replaced. It does so once in a
// while, or now.
func (t *certificates) look(now bool) {
	changed := t.update(now)
	if changed {
		t.log.Log(context.Background(), slog.LevelInfo, "the certificate files were replaced; new connections use them")
		t.rotate()
	}
}

func (t *certificates) update(atOnce bool) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if len(t.seen) == 0 || !atOnce && now.Sub(t.looked) < lookEvery {
		return false
	}
	t.looked = now
	replaced := t.failed
	for file, seen := range t.seen {
		replaced = replaced || !lookAt(file).same(seen)
	}
	if !replaced {
		return false
	}
	changed, err := t.load()
	if err != nil && !t.failed {
		t.log.Log(context.Background(), slog.LevelWarn, "the certificate files were replaced, but cannot be used; keeping the old ones", "error", err)
	}
	t.failed = err != nil
	if changed {
		t.turned = now
	}
	return changed
}

// rejected looks at once. It reports whether there is another certificate than
// a request may have carried that was sent a moment ago.
func (t *certificates) rejected() bool {
	t.look(true)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.config.hasCert() && !t.turned.IsZero() && time.Since(t.turned) < justNow
}

// clientCertificate is what a new connection presents, whatever authorities
// the server lists: it may not list all that it accepts.
func (t *certificates) clientCertificate(ctx context.Context) (*tls.Certificate, error) {
	t.look(false)
	t.mu.Lock()
	pair := t.pair
	t.mu.Unlock()
	if pair == nil && t.source != nil {
		issued, err := t.source.certificate(ctx)
		if err != nil {
			return nil, err
		}
		pair = issued
	}
	if pair == nil {
		return &tls.Certificate{}, nil // crypto/tls: none
	}
	return pair, nil
}

// tlsConfig is for connections from now on. The authorities are those of the
// moment: when they change, rotate makes the transport ask for a new one.
func (t *certificates) tlsConfig() *tls.Config {
	t.look(false)
	t.mu.Lock()
	defer t.mu.Unlock()
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.config.TLSServerName,
		RootCAs:            t.roots,
		InsecureSkipVerify: t.config.InsecureSkipTLSVerify,
		GetClientCertificate: func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return t.clientCertificate(info.Context())
		},
	}
}

// pemOf is the data, or what the file holds.
func pemOf(data []byte, file string, limit int64) ([]byte, error) {
	if len(data) > 0 || file == "" {
		return data, nil
	}
	text, err := readFile(file, limit)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return text, nil
}

// poolOf wants at least one certificate: an empty pool would be no pool.
func poolOf(text []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
	}
	return pool, nil
}
