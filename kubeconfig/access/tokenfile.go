package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// tokenFile is a bearer token that is read again: when its file has changed,
// when a minute is over, and when the server rejected it.
type tokenFile struct {
	path  string
	limit int64
	log   Logger

	mu     sync.Mutex // guards the fields below
	token  string
	seen   sight
	looked time.Time // when the file was last looked at
	read   time.Time // when it was last read
	failed bool      // the last attempt failed, and was logged
}

// openTokenFile reads the file once, so that a missing one is said at the
// start, unless there is a token to begin with.
func openTokenFile(s *Session, c *Config) (*tokenFile, error) {
	t := &tokenFile{path: c.BearerTokenFile, limit: s.options.TokenLimit, log: s.log, token: c.BearerToken}
	if err := headerSafe(t.token, t.limit); err != nil {
		return nil, c.fault(memberToken, err)
	}
	if err := t.reload(time.Now()); err != nil && t.token == "" {
		return nil, c.fault(memberTokenFile, err)
	}
	return t, nil
}

func (t *tokenFile) apply(r *http.Request) error {
	r.Header.Set("Authorization", "Bearer "+t.current())
	return nil
}

// current is the token of the moment: the last good one while the file cannot
// be read, or is empty, since it is being replaced.
func (t *tokenFile) current() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if now.Sub(t.looked) < lookEvery {
		return t.token
	}
	t.looked = now
	if t.failed || now.Sub(t.read) >= tokenLife || !lookAt(t.path).same(t.seen) {
		_ = t.reload(now)
	}
	return t.token
}

// reload reads the file; mu is held, or t not yet shared.
func (t *tokenFile) reload(now time.Time) error {
	t.looked = now
	seen := lookAt(t.path)
	token, err := readToken(t.path, t.limit)
	if err != nil {
		if t.token != "" && !t.failed {
			t.log.Log(context.Background(), slog.LevelWarn, "the token file cannot be used, keeping the last token", "file", t.path, "error", err)
		}
		t.failed = true
		return err
	}
	if t.token != "" && token != t.token {
		t.log.Log(context.Background(), slog.LevelInfo, "the token was renewed", "file", t.path)
	}
	t.token, t.seen, t.read, t.failed = token, seen, now, false
	return nil
}

func readToken(path string, limit int64) (string, error) {
	text, err := readFile(path, limit)
	var tooLarge *LimitError
	if errors.As(err, &tooLarge) {
		return "", &LimitError{What: "token", Limit: limit, Option: "SessionOptions.TokenLimit"}
	}
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", errors.New("names a file that is empty; it must hold a bearer token")
	}
	return token, headerSafe(token, limit)
}

// rejected reads the file at once.
func (t *tokenFile) rejected(r *http.Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reload(time.Now()) != nil {
		return false
	}
	return r.Header.Get("Authorization") != "Bearer "+t.token
}
