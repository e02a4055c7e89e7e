package kubeconfig

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth-providers
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// input is what both are given.
type input struct {
	// files by path below the case's folder; {words} are filled in.
	files map[string]string
	// list is KUBECONFIG, explicit is --kubeconfig; both relative to the folder.
	list     []string
	explicit string
	flags    kubeconfig.Options
}

// outcome is what came of it.
type outcome struct {
	err      error
	config   string // what configurations say that no request shows
	request  seenRequest
	tunnels  int
	observed bool
}

func (o outcome) String() string {
	if o.err != nil {
		return "fails: " + o.err.Error()
	}
	return fmt.Sprintf("%s %+v proxied=%v", o.config, o.request, o.tunnels > 0)
}

func (o outcome) same(p outcome) bool {
	if o.err != nil || p.err != nil {
		return o.err != nil && p.err != nil
	}
	return o.config == p.config && o.request == p.request && (o.tunnels > 0) == (p.tunnels > 0)
}

// run gives the input to both.
func (w *world) run(t *testing.T, in input) (ours, theirs outcome) {
	t.Helper()
	dir := t.TempDir()
	w.words["dir"] = dir
	for name, text := range in.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(w.fill(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var list []string
	for _, name := range in.list {
		if name != "" {
			name = filepath.Join(dir, name)
		}
		list = append(list, name)
	}
	t.Setenv("KUBECONFIG", strings.Join(list, string(filepath.ListSeparator)))
	t.Setenv("HOME", filepath.Join(dir, "nobody"))
	flags := in.flags
	for _, text := range []*string{&flags.Server, &flags.CertificateAuthority, &flags.ClientCertificate, &flags.ClientKey, &flags.ProxyURL, &flags.Token} {
		*text = w.fill(*text)
	}
	if in.explicit != "" {
		flags.Path = filepath.Join(dir, in.explicit)
	}
	w.seen.take()
	ours = w.ours(flags)
	w.seen.take()
	return ours, w.theirs(flags)
}

func (w *world) ours(flags kubeconfig.Options) (o outcome) {
	c, err := kubeconfig.Load(flags)
	if err != nil {
		return outcome{err: err}
	}
	s, err := c.Open(kubeconfig.SessionOptions{})
	if err != nil {
		return outcome{err: err}
	}
	defer s.Close()
	transport := &http.Transport{TLSClientConfig: s.TLSConfig(), Proxy: s.Proxy, DialContext: s.DialContext(), DisableKeepAlives: true}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.BaseURL().String()+"/version", nil)
	if err != nil {
		return outcome{err: err}
	}
	if err := s.Authorize(r); err != nil {
		return outcome{err: err}
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return outcome{err: err}
	}
	resp.Body.Close()
	namespace := c.Namespace
	if namespace == "" {
		namespace = "default"
	}
	return w.observe(settings(namespace, c.DisableCompression, c.Timeout))
}

func settings(namespace string, noCompression bool, timeout time.Duration) string {
	return fmt.Sprintf("namespace=%s disable-compression=%v timeout=%v", namespace, noCompression, timeout)
}

func (w *world) theirs(flags kubeconfig.Options) outcome {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.MigrationRules = nil
	rules.Warner = func(error) {}
	rules.ExplicitPath = flags.Path
	overrides := &clientcmd.ConfigOverrides{
		CurrentContext: flags.Context,
		Context:        api.Context{Cluster: flags.Cluster, AuthInfo: flags.User, Namespace: flags.Namespace},
		ClusterInfo: api.Cluster{
			Server: flags.Server, TLSServerName: flags.TLSServerName, InsecureSkipTLSVerify: flags.Insecure,
			CertificateAuthority: flags.CertificateAuthority, ProxyURL: flags.ProxyURL, DisableCompression: flags.DisableCompression,
		},
		AuthInfo: api.AuthInfo{
			Token: flags.Token, Username: flags.Username, Password: flags.Password,
			ClientCertificate: flags.ClientCertificate, ClientKey: flags.ClientKey,
			Impersonate: flags.ImpersonateUser, ImpersonateUID: flags.ImpersonateUID,
			ImpersonateGroups: flags.ImpersonateGroups, ImpersonateUserExtra: flags.ImpersonateExtra,
		},
	}
	if flags.Timeout != 0 {
		overrides.Timeout = flags.Timeout.String()
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	c, err := loader.ClientConfig()
	if err != nil {
		return outcome{err: err}
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return outcome{err: err}
	}
	said := settings(namespace, c.DisableCompression, c.Timeout)
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.WrapTransport = nil
	client, err := rest.UnversionedRESTClientFor(c)
	if err != nil {
		return outcome{err: err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := client.Get().AbsPath("/version").DoRaw(ctx); err != nil {
		return outcome{err: err}
	}
	return w.observe(said)
}

// observe is what the server saw.
func (w *world) observe(config string) outcome {
	r, tunnels := w.seen.take()
	if r == nil {
		return outcome{err: fmt.Errorf("no server saw the request")}
	}
	return outcome{config: config, request: *r, tunnels: tunnels, observed: true}
}

// impersonation is the impersonation headers in one line.
func impersonation(h http.Header) string {
	var all []string
	for name, values := range h {
		if strings.HasPrefix(name, "Impersonate-") {
			all = append(all, fmt.Sprintf("%s=%q", name, values))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
