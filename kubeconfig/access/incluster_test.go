package access

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pod makes the folder that Kubernetes mounts.
func pod(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	return dir
}

func TestInClusterAddress(t *testing.T) {
	dir := pod(t, map[string]string{"token": "t", "ca.crt": string(testCA(t).pem()), "namespace": "shop\n"})
	for host, want := range map[string]string{
		"10.0.0.1":                       "https://10.0.0.1:443",
		"fd00::1":                        "https://[fd00::1]:443",
		"[fd00::1]":                      "https://[fd00::1]:443",
		"kubernetes.default.svc.cluster": "https://kubernetes.default.svc.cluster:443",
	} {
		c, err := yamlFiles.Load(Options{ServiceAccount: dir, Getenv: environment(map[string]string{"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": "443"})})
		if err != nil {
			t.Fatal(err)
		}
		if c.Server != want || c.Namespace != "shop" || c.Source != "in-cluster" || c.BearerTokenFile != filepath.Join(dir, "token") {
			t.Errorf("got %v, want %s", c, want)
		}
		open(t, c, SessionOptions{})
	}
}

func TestInCluster(t *testing.T) {
	env := map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
	dir := pod(t, map[string]string{"token": "t", "namespace": "shop"})
	bad := pod(t, map[string]string{"token": "t", "ca.crt": "nonsense"})
	file := filepath.Join(t.TempDir(), "config")
	write(t, file, []byte(`{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: {server: "https://explicit.example"}}]}`))
	for _, test := range []struct {
		name    string
		options Options
		env     map[string]string
		want    string
	}{
		{"explicit file first", Options{Path: file, ServiceAccount: dir}, nil, `server https://explicit.example`},
		{"KUBECONFIG first", Options{ServiceAccount: dir}, map[string]string{"KUBECONFIG": file}, `server https://explicit.example`},
		{"KUBECONFIG that is not there", Options{ServiceAccount: dir}, map[string]string{"KUBECONFIG": file + "x"}, `server https://10.0.0.1:443`},
		{"server flag first", Options{Server: "https://flag.example", ServiceAccount: dir}, nil, `server https://flag.example, context "", cluster "", user "" (none)`},
		{"flags on top", Options{Token: "flag", Namespace: "flags", ServiceAccount: dir}, nil, `user "" (token), namespace "flags", from "in-cluster"`},
		{"POD_NAMESPACE", Options{ServiceAccount: dir}, map[string]string{"POD_NAMESPACE": "pods"}, `(token file), namespace "pods"`},
		{"no service account", Options{ServiceAccount: dir + "x"}, nil, `no configuration found in in-cluster`},
		{"no port", Options{ServiceAccount: dir}, map[string]string{"KUBERNETES_SERVICE_PORT": ""}, `no configuration found`},
		{"bad CA", Options{ServiceAccount: bad}, nil, `in-cluster: certificate-authority: holds no certificate in PEM`},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := map[string]string{}
			for _, m := range []map[string]string{env, test.env} {
				for k, v := range m {
					all[k] = v
				}
			}
			test.options.Getenv = environment(all)
			got := ""
			c, err := yamlFiles.Load(test.options)
			if err == nil {
				got = c.String()
				var s *Session
				if s, err = c.Open(SessionOptions{}); err == nil {
					_ = s.Close()
				}
			}
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestNoConfiguration(t *testing.T) {
	_, err := yamlFiles.Load(Options{ServiceAccount: "/nowhere", Getenv: environment(map[string]string{"HOME": "/home/nobody-here"})})
	var none *NoConfigError
	if !errors.Is(err, ErrNoConfig) || !errors.As(err, &none) {
		t.Fatalf("got %v", err)
	}
	if want := []string{"/home/nobody-here/.kube/config", "in-cluster"}; !slices.Equal(none.Looked, want) {
		t.Errorf("looked in %q, want %q", none.Looked, want)
	}
}

func TestServiceAccountWithoutCA(t *testing.T) {
	dir := pod(t, map[string]string{"token": "t"})
	c, err := yamlFiles.Load(Options{ServiceAccount: dir, Getenv: environment(map[string]string{"KUBERNETES_SERVICE_HOST": "k.example", "KUBERNETES_SERVICE_PORT": "443"})})
	if err != nil {
		t.Fatal(err)
	}
	if notes := c.Describe().Notes; len(notes) != 1 || !strings.Contains(notes[0], "system's authorities") {
		t.Errorf("notes: %q", notes)
	}
	if tls := open(t, c, SessionOptions{}).TLSConfig(); tls.RootCAs != nil || tls.InsecureSkipVerify {
		t.Errorf("the server is not checked against the system's authorities")
	}
}

// TestInClusterAlone looks at no kubeconfig, even if there is one.
func TestInClusterAlone(t *testing.T) {
	dir := pod(t, map[string]string{"token": "t", "ca.crt": string(testCA(t).pem()), "namespace": "shop"})
	file := filepath.Join(t.TempDir(), "config")
	write(t, file, []byte("clusters: ["))
	env := map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443", "KUBECONFIG": file}
	c, err := InCluster(Options{ServiceAccount: dir, Getenv: environment(env), Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.Server != "https://10.0.0.1:443" || c.Namespace != "shop" {
		t.Errorf("got %v", c)
	}
	open(t, c, SessionOptions{}) // following finds nothing to follow, which is no error
	if _, err := InCluster(Options{ServiceAccount: dir + "x", Getenv: environment(env)}); !errors.Is(err, ErrNoConfig) {
		t.Errorf("got %v", err)
	}
	if _, err := InCluster(Options{FileLimit: -1}); err == nil {
		t.Error("options out of bounds")
	}
}
