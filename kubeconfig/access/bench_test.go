package access

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkAuthorize is what each request pays.
func BenchmarkAuthorize(b *testing.B) {
	path := filepath.Join(b.TempDir(), "token")
	if err := os.WriteFile(path, []byte("a-token"), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]*Config{
		"token":     {Server: "https://k.example", BearerToken: "a-token"},
		"tokenFile": {Server: "https://k.example", BearerTokenFile: path},
	} {
		b.Run(name, func(b *testing.B) {
			s, err := c.WithProviders().Open(SessionOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			r := &http.Request{Header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				r.Header.Del("Authorization")
				if err := s.Authorize(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad reads a kubeconfig of a thousand clusters.
func BenchmarkLoad(b *testing.B) {
	var clusters, users, contexts strings.Builder
	ca := strings.Repeat("LS0t", 400)
	for i := range 1000 {
		fmt.Fprintf(&clusters, "- name: k%d\n  cluster:\n    server: https://k%d.example:6443\n    certificate-authority-data: %s\n", i, i, ca)
		fmt.Fprintf(&users, "- name: u%d\n  user:\n    token: t%d\n", i, i)
		fmt.Fprintf(&contexts, "- name: c%d\n  context:\n    cluster: k%d\n    user: u%d\n", i, i, i)
	}
	text := "current-context: c500\nclusters:\n" + clusters.String() + "users:\n" + users.String() + "contexts:\n" + contexts.String()
	path := filepath.Join(b.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := yamlFiles.Load(Options{Path: path}); err != nil {
			b.Fatal(err)
		}
	}
}
