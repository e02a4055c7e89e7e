package kubeconfig

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// tokenLife is how long a token file is believed before it is read again. The
// kubelet rotates projected tokens when 80 % of their life is over, so a minute
// is soon enough.
const tokenLife = time.Minute

// maxToken bounds a token: it must fit into a request header.
const maxToken = 64 << 10

// tokenSource gives the bearer token: fixed, or from a file that is read again.
type tokenSource struct {
	file string
	log  *slog.Logger

	mu    sync.Mutex // guards the fields below
	token string
	read  time.Time
}

func newTokenSource(c *Config, log *slog.Logger) *tokenSource {
	return &tokenSource{file: c.BearerTokenFile, token: c.BearerToken, log: log}
}

// check reads the file once, so that a missing one is said at the start.
func (t *tokenSource) check() error {
	_, err := t.get()
	return err
}

// get is the token of the moment. When the file cannot be read, or is empty
// for a moment while it is replaced, the last good token stays.
func (t *tokenSource) get() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == "" || !t.read.IsZero() && time.Since(t.read) < tokenLife {
		return t.token, nil
	}
	return t.token, t.reload()
}

func (t *tokenSource) reload() error {
	text, err := readBounded(t.file)
	token := strings.TrimSpace(string(text))
	if err == nil {
		err = headerSafe(token)
	}
	if err == nil && token == "" {
		err = errors.New(t.file + " is empty; it must hold a bearer token")
	}
	if err != nil {
		if t.token == "" {
			return err
		}
		t.log.Warn("the token file cannot be used, keeping the last token", "file", t.file, "error", err)
		t.read = time.Now()
		return nil
	}
	if t.token != "" && token != t.token {
		t.log.Info("the token was renewed", "file", t.file)
	}
	t.token, t.read = token, time.Now()
	return nil
}

// renew reads the file at once after a 401. It reports whether the token is
// another one than the request carried.
func (t *tokenSource) renew(authorization string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == "" {
		return false
	}
	if err := t.reload(); err != nil {
		return false
	}
	return authorization != "Bearer "+t.token
}

// headerSafe refuses what cannot stand in a header.
func headerSafe(token string) error {
	if len(token) > maxToken {
		return errors.New("is longer than 64 KiB; it cannot be sent in a header")
	}
	for i := range len(token) {
		if token[i] < ' ' || token[i] == 0x7f {
			return errors.New("holds a control character; it must be one line of text")
		}
	}
	return nil
}
