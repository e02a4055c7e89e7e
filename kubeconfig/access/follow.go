package access

import (
	"bytes"
	"context"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"time"
)

// follower reads the kubeconfig files again when they change.
type follower struct {
	session *Session
	options Options                        // of the first Load, the context pinned
	load    func(Options) (*Config, error) // reads it again, as the first time
	files   []string

	mu     sync.Mutex // guards the fields below
	seen   []sight
	looked time.Time
	said   string // the last complaint, so that it is logged once
}

// followFiles starts to look at the files.
func (s *Session) followFiles(c *Config) error {
	f := &follower{session: s, options: c.origin.options, load: c.origin.reload, files: c.origin.looked}
	f.options.Context = first(c.Context, f.options.Context)
	f.seen = f.sights()
	s.follower = f
	return s.spawn(f.run)
}

func (f *follower) sights() []sight {
	all := make([]sight, len(f.files))
	for i, file := range f.files {
		all[i] = lookAt(file)
	}
	return all
}

func (f *follower) run(ctx context.Context) {
	ticker := time.NewTicker(f.session.options.FollowInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			f.look()
		case <-ctx.Done():
			return
		}
	}
}

// look reads the files again if one has changed, and reports whether the
// session goes on with something else.
func (f *follower) look() bool {
	swapped := f.update()
	if swapped {
		f.session.rotate()
	}
	return swapped
}

func (f *follower) update() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if now.Sub(f.looked) < lookEvery {
		return false
	}
	f.looked = now
	seen := f.sights()
	changed := f.said != "" // what could not be used may be complete by now
	for i := range seen {
		changed = changed || !seen[i].same(f.seen[i])
	}
	if !changed {
		return false
	}
	f.seen = seen
	swapped, err := f.reload()
	if err != nil {
		if text := err.Error(); text != f.said {
			f.session.log.Log(context.Background(), slog.LevelWarn, "the kubeconfig has changed, but cannot be used; going on as before", "error", err)
			f.said = text
		}
		return false
	}
	f.said = ""
	return swapped
}

func (f *follower) reload() (swapped bool, err error) {
	c, err := f.load(f.options)
	if err != nil {
		return false, err
	}
	s := f.session
	old := s.link.Load()
	what := differences(old.config, c)
	if len(what) == 0 {
		return false, nil
	}
	if old.config.Exec != nil && c.Exec != nil {
		c.Exec.Stdin, c.Exec.Stderr = old.config.Exec.Stdin, old.config.Exec.Stderr
	}
	if old.config.AuthProvider != nil && c.AuthProvider != nil {
		c.AuthProvider.Save = old.config.AuthProvider.Save
	}
	next, err := s.newLink(c)
	if err != nil {
		return false, err
	}
	s.link.Store(next)
	s.log.Log(context.Background(), slog.LevelInfo, "the kubeconfig has changed; following", "file", c.Source, "context", c.Context,
		"changed", strings.Join(what, ", "), "server", redactURL(c.Server))
	return true, nil
}

// differences names the fields that differ, without their values.
func differences(a, b *Config) []string {
	var names []string
	compare := func(name string, same bool) {
		if !same {
			names = append(names, name)
		}
	}
	compare("server", a.Server == b.Server)
	compare("certificate-authority", a.CAFile == b.CAFile && bytes.Equal(a.CAData, b.CAData))
	compare("tls-server-name", a.TLSServerName == b.TLSServerName)
	compare("insecure-skip-tls-verify", a.InsecureSkipTLSVerify == b.InsecureSkipTLSVerify)
	compare("proxy-url", a.ProxyURL == b.ProxyURL)
	compare("disable-compression", a.DisableCompression == b.DisableCompression)
	compare("client-certificate", a.CertFile == b.CertFile && bytes.Equal(a.CertData, b.CertData))
	compare("client-key", a.KeyFile == b.KeyFile && bytes.Equal(a.KeyData, b.KeyData))
	compare("token", a.BearerToken == b.BearerToken)
	compare("tokenFile", a.BearerTokenFile == b.BearerTokenFile)
	compare("username", a.Username == b.Username)
	compare("password", a.Password == b.Password)
	compare("impersonation", reflect.DeepEqual(a.Impersonate, b.Impersonate))
	compare("exec", sameExec(a.Exec, b.Exec))
	compare("auth-provider", sameProvider(a.AuthProvider, b.AuthProvider))
	return names
}

func sameExec(a, b *ExecConfig) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.Stdin, y.Stdin, x.Stderr, y.Stderr = nil, nil, nil, nil
	return reflect.DeepEqual(x, y)
}

func sameProvider(a, b *AuthProvider) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && reflect.DeepEqual(a.Config, b.Config)
}
