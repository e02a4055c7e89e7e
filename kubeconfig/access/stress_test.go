package access

import (
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestEverythingAtOnce uses one session from many goroutines while all that can
// change changes: the kubeconfig, the token, the certificates. The race
// detector looks on, and nothing may be left behind.
func TestEverythingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := testCA(t)
		pairs := []pemPair{ca.issue(t, "a", notAfter), ca.issue(t, "b", notAfter)}
		m := newMount(t, map[string]string{"token": "t", "ca": string(ca.pem()), "crt": string(pairs[0].cert), "key": string(pairs[0].key)})
		path := filepath.Join(t.TempDir(), "config")
		config := func(n int) []byte {
			return fmt.Appendf(nil, `{"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
"clusters":[{"name":"k","cluster":{"server":"https://k%d.example","certificate-authority":%q}}],
"users":[{"name":"u","user":{"tokenFile":%q,"client-certificate":%q,"client-key":%q}}]}`, n, m.path("ca"), m.path("token"), m.path("crt"), m.path("key"))
		}
		write(t, path, config(0))
		c, err := yamlFiles.Load(Options{Path: path, Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.WithProviders().Open(SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		end := time.Now().Add(time.Minute)
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				cancel := s.OnRotate(func() { _ = s.TLSConfig() })
				defer cancel()
				for time.Now().Before(end) {
					r, err := http.NewRequest(http.MethodGet, s.BaseURL().String(), nil)
					if err != nil {
						t.Error(err)
						return
					}
					if err := s.Authorize(r); err != nil {
						t.Error(err)
					}
					if n%5 == 0 {
						s.Rejected(r)
					}
					if _, err := s.TLSConfig().GetClientCertificate(nilRequest()); err != nil {
						t.Error(err)
					}
					_, _ = s.Proxy(r)
					wait(time.Duration(n+1) * 100 * time.Millisecond)
				}
			})
		}
		all.Go(func() {
			for n := 1; time.Now().Before(end); n++ {
				pair := pairs[n%2]
				m.swap(map[string]string{"token": fmt.Sprint("t", n), "ca": string(ca.pem()), "crt": string(pair.cert), "key": string(pair.key)})
				if n%3 == 0 {
					write(t, path, config(n))
				}
				wait(3 * time.Second)
			}
		})
		all.Wait()
		if got := s.BaseURL().Host; got == "k0.example" {
			t.Error("the kubeconfig was not followed")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
