package access

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noEnvironment is an environment without any variable.
func noEnvironment(string) string { return "" }

// environment has the variables given.
func environment(all map[string]string) func(string) string {
	return func(name string) string { return all[name] }
}

// TestGoodFiles loads what is found in the field.
func TestGoodFiles(t *testing.T) {
	for name, want := range map[string]string{
		"k3s":     `server https://127.0.0.1:6443, context "default", cluster "default", user "default" (client certificate), namespace ""`,
		"eks":     `(exec plugin), namespace ""`,
		"gke":     `server https://203.0.113.7, context "gke_shop_europe-west1_edge", cluster "gke_shop_europe-west1_edge", user "gke_shop_europe-west1_edge" (exec plugin)`,
		"rancher": `server https://rancher.example/k8s/clusters/c-m-abcdef/, context "edge", cluster "edge", user "edge" (token), namespace "machines"`,
		"oidc":    `user "jane" (oidc auth-provider)`,
		"socket":  `server unix:///run/kube-proxy.sock, context "local", cluster "local", user "" (none)`,
		"several": `server https://dev.example:6443, context "dev", cluster "dev", user "me" (token file), namespace "shop"`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "testdata", "kubeconfig", "good", name+".yaml")
			c, err := yamlFiles.Load(Options{Path: path, Getenv: noEnvironment})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(c.String(), want) || c.Source != path {
				t.Errorf("got %v, want %s from %s", c, want, path)
			}
		})
	}
}

// TestBadFiles wants of each file the error that its first line says.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/kubeconfig/bad/*.yaml")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := bytes.Cut(text, []byte("\n"))
			want := strings.TrimPrefix(string(line), "# error: ")
			c, err := yamlFiles.Load(Options{Path: path, Getenv: noEnvironment})
			if err == nil {
				var s *Session
				if s, err = c.Open(SessionOptions{}); err == nil {
					_ = s.Close()
					t.Fatal("nothing is wrong with it")
				}
			}
			if !strings.HasPrefix(err.Error(), "kubeconfig "+path+": ") || !strings.Contains(err.Error(), want) {
				t.Errorf("got  %v\nwant %s, after the file", err, want)
			}
			for _, secret := range []string{"31337", "abcdef", "ghijkl", "nonsense", "abc\n"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q in %v", secret, err)
				}
			}
		})
	}
}

func TestStandardInput(t *testing.T) {
	c, err := yamlFiles.Load(Options{Path: "-", Stdin: strings.NewReader(`{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], clusters: [{name: k, cluster: {server: "https://k.example"}}], users: [{name: u, user: {tokenFile: a/token}}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(here, "a", "token"); c.BearerTokenFile != want || c.Source != "(standard input)" {
		t.Errorf("got %s from %s, want %s", c.BearerTokenFile, c.Source, want)
	}
	_, err = yamlFiles.Load(Options{Path: "-", Stdin: strings.NewReader("clusters: [")})
	if err == nil || !strings.HasPrefix(err.Error(), "kubeconfig (standard input): is not valid YAML") {
		t.Errorf("got %v", err)
	}
}

func TestFileLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, bytes.Repeat([]byte("#"), 101))
	_, err := yamlFiles.Load(Options{Path: path, FileLimit: 100})
	if err == nil || !strings.Contains(err.Error(), "the file is larger than 100 bytes; raise Options.FileLimit") {
		t.Errorf("got %v", err)
	}
}

// TestLaughter: aliases that share a large text must not multiply it.
func TestLaughter(t *testing.T) {
	text := "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 20_000) + "]\n"
	if _, err := yamlFiles.parse("f", "/", []byte(text)); err != nil {
		t.Log(err) // refused is fine, too
	}
	text = "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nusers: [{name: u, user: {exec: {command: x, apiVersion: " + execV1beta1 + "}}}]\n" +
		"a: &a " + strings.Repeat("x", 50_000) + "\nclusters: [{name: k, cluster: {server: \"https://k\", extensions: [{name: " + execExtension + ", extension: [" + strings.Repeat("*a,", 10_000) + "]}]}}]\n"
	path := filepath.Join(t.TempDir(), "config")
	write(t, path, []byte(text))
	_, err := yamlFiles.Load(Options{Path: path})
	if err == nil || !strings.Contains(err.Error(), "clusters[k].extensions: the extension is larger than") {
		t.Errorf("got %v", err)
	}
}

func TestContexts(t *testing.T) {
	all, err := yamlFiles.Contexts(Options{Path: "../../testdata/kubeconfig/good/several.yaml"})
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, c := range all {
		if c.Current != (c.Name == "dev") || c.File == "" {
			t.Errorf("%+v", c)
		}
	}
}
