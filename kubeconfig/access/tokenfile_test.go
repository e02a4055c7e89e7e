package access

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// mount is a projected volume as the kubelet makes it: the file is a link into
// ..data, which is a link to a folder that is replaced as a whole.
type mount struct {
	t    *testing.T
	dir  string
	next int
}

func newMount(t *testing.T, files map[string]string) *mount {
	m := &mount{t: t, dir: t.TempDir()}
	m.swap(files)
	for name := range files {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *mount) path(name string) string { return filepath.Join(m.dir, name) }

func (m *mount) swap(files map[string]string) {
	m.t.Helper()
	m.next++
	folder := filepath.Join(m.dir, "..version"+string(rune('a'+m.next)))
	if err := os.Mkdir(folder, 0o700); err != nil {
		m.t.Fatal(err)
	}
	for name, text := range files {
		write(m.t, filepath.Join(folder, name), []byte(text))
	}
	link := filepath.Join(m.dir, "..data_tmp")
	if err := os.Symlink(folder, link); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(link, filepath.Join(m.dir, "..data")); err != nil {
		m.t.Fatal(err)
	}
}

// wait lets virtual time pass.
func wait(d time.Duration) { <-time.After(d) }

func TestTokenFileIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMount(t, map[string]string{"token": "first\n"})
		var log logbook
		s := open(t, &Config{Server: "https://k.example", BearerTokenFile: m.path("token")}, SessionOptions{Logger: log.logger()})
		expect := func(want string) {
			t.Helper()
			if got, err := authorize(t, s); got != want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		}
		expect("Bearer first")
		m.swap(map[string]string{"token": "  second  "})
		wait(lookEvery)
		expect("Bearer second")
		m.swap(map[string]string{"token": ""})
		wait(lookEvery)
		expect("Bearer second") // empty for a moment
		m.swap(map[string]string{"token": "third"})
		wait(lookEvery)
		expect("Bearer third")
		m.swap(map[string]string{})
		wait(2 * tokenLife)
		expect("Bearer third") // gone
		m.swap(map[string]string{"token": "bad\ntoken"})
		wait(lookEvery)
		expect("Bearer third")
		for _, secret := range []string{"first", "second", "third", "bad"} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("%q in the log:\n%s", secret, &log)
			}
		}
		for _, line := range []string{"the token was renewed", "cannot be used, keeping the last token"} {
			if strings.Count(log.String(), line) != 2 {
				t.Errorf("%q is not there twice:\n%s", line, &log)
			}
		}
	})
}

func TestTokenFileWithOldTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, []byte("aaaaa"))
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, &Config{Server: "https://k.example", BearerTokenFile: path}, SessionOptions{})
		write(t, path, []byte("bbbbb"))
		if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
		wait(tokenLife) // it looks the same, but is read every minute
		if got, err := authorize(t, s); got != "Bearer bbbbb" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestTokenFileAfterA401(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		write(t, path, []byte("old"))
		s := open(t, &Config{Server: "https://k.example", BearerTokenFile: path}, SessionOptions{})
		r, err := http.NewRequest(http.MethodGet, "https://k.example", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Authorize(r); err != nil {
			t.Fatal(err)
		}
		if s.Rejected(r) {
			t.Error("the file is the same: sending again cannot help")
		}
		write(t, path, []byte("new"))
		if !s.Rejected(r) { // at once, whenever it was looked at last
			t.Error("there is a new token")
		}
		if got, _ := authorize(t, s); got != "Bearer new" {
			t.Errorf("got %q", got)
		}
	})
}

func TestTokenLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, []byte("0123456789"))
	_, err := (&Config{Server: "https://k.example", BearerTokenFile: path}).Open(SessionOptions{TokenLimit: 9})
	if err == nil || !strings.Contains(err.Error(), "Config.BearerTokenFile: the token is larger than 9 bytes; raise SessionOptions.TokenLimit") {
		t.Errorf("got %v", err)
	}
	_, err = (&Config{Server: "https://k.example", BearerToken: "0123456789"}).Open(SessionOptions{TokenLimit: 9})
	if err == nil || !strings.Contains(err.Error(), "Config.BearerToken: the token is larger than 9 bytes") {
		t.Errorf("got %v", err)
	}
}
