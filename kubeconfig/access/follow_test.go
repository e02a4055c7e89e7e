package access

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

const followed = `
current-context: %s
contexts: [{name: a, context: {cluster: k, user: u}}, {name: b, context: {cluster: l, user: u}}]
clusters: [{name: k, cluster: {server: %q}}, {name: l, cluster: {server: "https://other.example"}}]
users: [{name: u, user: {token: %s}}]
`

func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "config")
		write(t, path, fmt.Appendf(nil, followed, "a", "https://one.example", "first-token"))
		c, err := yamlFiles.Load(Options{Path: path, Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		var log logbook
		s := open(t, c, SessionOptions{Logger: log.logger()})
		rotations := 0
		s.OnRotate(func() { rotations++ })
		expect := func(server, token string, rotated int) {
			t.Helper()
			wait(DefaultFollowInterval)
			synctest.Wait()
			got, err := authorize(t, s)
			if s.BaseURL().String() != server || got != "Bearer "+token || err != nil || rotations != rotated {
				t.Errorf("got %v, %q, %v, %d rotations; want %s, %s, %d", s.BaseURL(), got, err, rotations, server, token, rotated)
			}
		}
		expect("https://one.example", "first-token", 0)
		write(t, path, fmt.Appendf(nil, followed, "a", "https://two.example", "second-token"))
		expect("https://two.example", "second-token", 1)
		if !strings.Contains(log.String(), `changed="server, token" server=https://two.example`) {
			t.Errorf("the log:\n%s", &log)
		}
		write(t, path, fmt.Appendf(nil, followed, "b", "https://two.example", "second-token"))
		expect("https://two.example", "second-token", 1) // it stays with its context
		write(t, path, []byte("clusters: ["))
		expect("https://two.example", "second-token", 1)
		expect("https://two.example", "second-token", 1)
		if n := strings.Count(log.String(), "cannot be used; going on as before"); n != 1 {
			t.Errorf("said %d times:\n%s", n, &log)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		expect("https://two.example", "second-token", 1)
		write(t, path, fmt.Appendf(nil, followed, "a", "https://three.example", "third-token"))
		expect("https://three.example", "third-token", 2)
		if strings.Contains(log.String(), "-token") {
			t.Errorf("a token in the log:\n%s", &log)
		}
	})
}

// TestFollowAfterA401: a rejection looks at the file at once.
func TestFollowAfterA401(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "config")
		write(t, path, fmt.Appendf(nil, followed, "a", "https://one.example", "first-token"))
		c, err := yamlFiles.Load(Options{Path: path, Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, c, SessionOptions{})
		wait(2 * lookEvery)
		r := newRequest(t)
		if err := s.Authorize(r); err != nil {
			t.Fatal(err)
		}
		write(t, path, fmt.Appendf(nil, followed, "a", "https://one.example", "another-token"))
		if !s.Rejected(r) {
			t.Error("there is another token in the file")
		}
		if got, err := authorize(t, s); got != "Bearer another-token" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		wait(2 * lookEvery)
		if s.Rejected(r) {
			t.Error("nothing has changed")
		}
	})
}

func TestFollowWhatCannotBeFollowed(t *testing.T) {
	_, err := (&Config{Server: "https://k.example", Follow: true}).Open(SessionOptions{})
	if err == nil || !strings.Contains(err.Error(), "Config.Follow is set, but the Config was not read from files") {
		t.Errorf("got %v", err)
	}
	_, err = yamlFiles.Load(Options{Path: "-", Follow: true})
	if err == nil || !strings.Contains(err.Error(), "standard input cannot be followed") {
		t.Errorf("got %v", err)
	}
}
