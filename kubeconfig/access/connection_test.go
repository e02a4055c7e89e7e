package access

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

func TestServerAddresses(t *testing.T) {
	for server, want := range map[string]string{
		"https://k.example:6443":            "https://k.example:6443",
		"https://k.example/":                "https://k.example",
		"https://k.example/prefix":          "https://k.example/prefix",
		"https://k.example/a/b///":          "https://k.example/a/b",
		"https://k.example/a%2Fb/":          "https://k.example/a%2Fb",
		"https://joe:pass@k.example?x=y#z":  "https://k.example",
		"https://[2001:db8::1]:6443/prefix": "https://[2001:db8::1]:6443/prefix",
		"HTTPS://K.example":                 "https://K.example",
		"k.example":                         "http://k.example",
		"10.0.0.1:8080":                     "http://10.0.0.1:8080",
		"localhost:8080":                    "http://localhost:8080",
		"unix:///run/k.sock":                "http://localhost",
	} {
		s := open(t, &Config{Server: server}, SessionOptions{})
		if got := s.BaseURL().String(); got != want {
			t.Errorf("%s is %s, want %s", server, got, want)
		}
	}
	for _, server := range []string{"", "https://", "ftp://k.example", "k.example/prefix", "://", "https://:6443", "unix://run/k.sock", "not a url", "https://k.example:port"} {
		if s, err := (&Config{Server: server}).Open(SessionOptions{}); err == nil {
			t.Errorf("%q was taken for %v", server, s.BaseURL())
		} else if !strings.Contains(err.Error(), "Config.Server") {
			t.Errorf("%q: %v", server, err)
		}
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host+r.URL.Path+" "+r.Header.Get("Authorization"))
	})}
	done := make(chan error)
	go func() { done <- server.Serve(listener) }()
	defer func() { _ = server.Close(); <-done }()
	t.Setenv("HTTP_PROXY", "http://proxy.invalid")
	s := open(t, &Config{Server: "unix://" + path, BearerToken: "t"}, SessionOptions{})
	if got := ask(t, s, "/version"); got != "localhost/version Bearer t" {
		t.Errorf("got %q", got)
	}
}

// ask sends a request as package rawwatch does.
func ask(t *testing.T, s *Session, path string) string {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: s.TLSConfig(), Proxy: s.Proxy, DialContext: s.DialContext(), DisableKeepAlives: true}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL().String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Authorize(r); err != nil {
		return err.Error()
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestHeaders are those that a server with TLS sees.
func TestHeaders(t *testing.T) {
	ca := testCA(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Authorization", "Impersonate-User", "Impersonate-Uid", "Impersonate-Group", "Impersonate-Extra-Scopes", "Impersonate-Extra-Acme%2fpro%25ject"} {
			if values := r.Header.Values(name); len(values) > 0 {
				_, _ = io.WriteString(w, name+"="+strings.Join(values, ",")+"\n")
			}
		}
	}))
	server.TLS = serverTLS(t, ca)
	server.StartTLS()
	defer server.Close()
	for _, test := range []struct {
		name, want, server string
		config             Config
	}{
		{"nothing", "", "", Config{}},
		{"token before file that is missing", "Authorization=Bearer t\n", "", Config{BearerToken: "t", BearerTokenFile: "/nowhere"}},
		{"basic", "Authorization=Basic am9lOnBhc3M=\n", "", Config{Username: "joe", Password: "pass"}},
		{"user info in the address", "Authorization=Basic am9lOnBhc3M=\n", strings.Replace(server.URL, "://", "://joe:pass@", 1), Config{BearerToken: "t"}},
		{"impersonation", "Authorization=Bearer t\nImpersonate-User=jane\nImpersonate-Uid=7\nImpersonate-Group=dev,ops\nImpersonate-Extra-Scopes=a,b\nImpersonate-Extra-Acme%2fpro%25ject=x\n", "", Config{
			BearerToken: "t", Impersonate: Impersonation{UserName: "jane", UID: "7", Groups: []string{"dev", "ops"}, Extra: map[string][]string{"scopes": {"a", "b"}, "acme/pro%ject": {"x"}}},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := test.config
			c.Server, c.CAData = first(test.server, server.URL), ca.pem()
			if got := ask(t, open(t, &c, SessionOptions{}), "/api"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestImpersonationThatIsNoHeader(t *testing.T) {
	for _, i := range []Impersonation{{UserName: "a\nb"}, {UserName: "a", Groups: []string{"b\r"}}, {UserName: "a", Extra: map[string][]string{"c": {"\x00"}}}} {
		_, err := (&Config{Server: "https://k.example", Impersonate: i}).Open(SessionOptions{})
		if err == nil || !strings.Contains(err.Error(), "Config.Impersonate.UserName: or what belongs to it holds a line break") {
			t.Errorf("got %v", err)
		}
	}
}

func TestHeadersOfTheCallerStay(t *testing.T) {
	s := open(t, &Config{Server: "https://k.example", BearerToken: "t", Impersonate: Impersonation{UserName: "jane", Groups: []string{"dev"}}}, SessionOptions{})
	r, err := http.NewRequest(http.MethodGet, "https://k.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Basic mine")
	r.Header.Set("Impersonate-User", "me")
	if err := s.Authorize(r); err != nil {
		t.Fatal(err)
	}
	if r.Header.Get("Authorization") != "Basic mine" || r.Header.Get("Impersonate-User") != "me" || r.Header.Get("Impersonate-Group") != "" {
		t.Errorf("got %v", r.Header)
	}
}

func TestProxies(t *testing.T) {
	env := map[string]string{"HTTPS_PROXY": "http://env.example:3128", "http_proxy": "http://plain.example", "NO_PROXY": "10.0.0.0/8,.internal,fd00::/8"}
	for _, test := range []struct{ server, configured, want string }{
		{"https://k.example", "", "http://env.example:3128"},
		{"http://k.example", "", "http://plain.example"},
		{"https://10.1.2.3:6443", "", ""},
		{"https://[fd00::7]:6443", "", ""},
		{"https://11.1.2.3:6443", "", "http://env.example:3128"},
		{"https://api.internal", "", ""},
		{"https://127.0.0.1:6443", "", ""},
		{"https://localhost:6443", "", ""},
		{"https://10.1.2.3:6443", "socks5://s.example:1080", "socks5://s.example:1080"},
		{"https://k.example", "https://joe:pass@p.example", "https://joe:pass@p.example"},
	} {
		s := open(t, &Config{Server: test.server, ProxyURL: test.configured}, SessionOptions{Getenv: environment(env)})
		got, err := s.Proxy(&http.Request{URL: s.BaseURL()})
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			got = &url.URL{}
		}
		if got.String() != test.want {
			t.Errorf("%s goes through %q, want %q", test.server, got, test.want)
		}
	}
}

// TestSOCKS: a request through a SOCKS5 proxy (RFC 1928) of a few lines.
func TestSOCKS(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached") }))
	defer server.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 1)
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		head := make([]byte, 3)
		_, _ = io.ReadFull(c, head)
		_, _ = c.Write([]byte{5, 0})
		request := make([]byte, 10)
		_, _ = io.ReadFull(c, request)
		asked <- net.IP(request[4:8]).String()
		up, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			return
		}
		defer func() { _ = up.Close() }()
		_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		go func() { _, _ = io.Copy(up, c) }()
		_, _ = io.Copy(c, up)
	}()
	defer func() { _ = listener.Close() }()
	s := open(t, &Config{Server: "http://192.0.2.1:80", ProxyURL: "socks5://" + listener.Addr().String()}, SessionOptions{})
	if got := ask(t, s, "/"); got != "reached" {
		t.Errorf("got %q", got)
	}
	if got := <-asked; got != "192.0.2.1" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

func TestNoCredentialOverPlainHTTP(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, []byte(`{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], clusters: [{name: k, cluster: {server: "http://k.example"}}], users: [{name: u, user: {token: t, as: jane}}]}`))
	c, err := yamlFiles.Load(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if c.BearerToken != "" || c.Impersonate.UserName != "jane" {
		t.Errorf("got %v", c)
	}
	if notes := c.Describe().Notes; len(notes) != 1 || !strings.Contains(notes[0], "the credential (token) is not sent") {
		t.Errorf("notes: %q", notes)
	}
}
