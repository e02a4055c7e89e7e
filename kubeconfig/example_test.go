package kubeconfig_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

const example = `
apiVersion: v1
kind: Config
current-context: edge
contexts:
- {name: edge, context: {cluster: edge, user: agent, namespace: machines}}
- {name: office, context: {cluster: office, user: jane}}
clusters:
- {name: edge, cluster: {server: "https://10.0.0.1:6443"}}
- {name: office, cluster: {server: "https://k.office.example/prefix/"}}
users:
- {name: agent, user: {token: sesame}}
- {name: jane, user: {username: jane, password: sesame}}
`

// The zero Options look where kubectl does; here the text comes from a reader.
func ExampleLoad() {
	config, err := kubeconfig.Load(kubeconfig.Options{Path: "-", Stdin: strings.NewReader(example)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config) // secrets are never printed
	// Output: server https://10.0.0.1:6443, context "edge", cluster "edge", user "agent" (token), namespace "machines", from "(standard input)"
}

// Options override what the files say, as kubectl's flags do.
func ExampleLoad_overrides() {
	config, err := kubeconfig.Load(kubeconfig.Options{
		Path: "-", Stdin: strings.NewReader(example),
		Context: "office", Namespace: "shop", ImpersonateUser: "auditor",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.Server, config.Namespace, config.Impersonate.UserName)
	// Output: https://k.office.example/prefix/ shop auditor
}

// Errors say which file, entry and field, and what to do.
func ExampleFieldError() {
	_, err := kubeconfig.Load(kubeconfig.Options{Path: "-", Stdin: strings.NewReader(`
current-context: edge
contexts: [{name: edge, context: {cluster: edge, user: agent}}]
clusters: [{name: edge, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: agent, user: {exec: {command: my-plugin}}}]
`)})
	var field *kubeconfig.FieldError
	if errors.As(err, &field) {
		fmt.Println(field.Field)
		fmt.Println(field.Err)
	}
	// Output:
	// users[agent].exec.apiVersion
	// is empty; give client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, whichever the plugin speaks
}

// Without any configuration the error lists where it was looked for.
func ExampleNoConfigError() {
	_, err := kubeconfig.Load(kubeconfig.Options{Getenv: func(name string) string {
		return map[string]string{"KUBECONFIG": "/nowhere/config"}[name]
	}})
	fmt.Println(errors.Is(err, kubeconfig.ErrNoConfig))
	fmt.Println(err)
	// Output:
	// true
	// no configuration found in /nowhere/config, in-cluster; name a kubeconfig file or a server, or set KUBECONFIG
}

// What was understood, and from where, for a person to read.
func ExampleConfig_Describe() {
	config, err := kubeconfig.Load(kubeconfig.Options{Path: "-", Stdin: strings.NewReader(example), Server: "https://10.0.0.2:6443"})
	if err != nil {
		log.Fatal(err)
	}
	d := config.Describe()
	fmt.Println("credential:", d.Credential)
	for _, s := range d.Settings {
		fmt.Printf("%s = %s (%s)\n", s.Field, s.Value, s.From)
	}
	// Output:
	// credential: token
	// Options.Server = https://10.0.0.2:6443 (option)
	// users[agent].token = REDACTED ((standard input))
}

func ExampleContexts() {
	contexts, err := kubeconfig.Contexts(kubeconfig.Options{Path: "-", Stdin: strings.NewReader(example)})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range contexts {
		fmt.Println(c.Name, c.Cluster, c.User, c.Current)
	}
	// Unordered output:
	// edge edge agent true
	// office office jane false
}

// A Config can be filled by hand; a Session is its live side. Programs that
// use package rawwatch need neither: its NewClient opens the session.
func ExampleConfig_Open() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.URL.Path, r.Header.Get("Authorization"))
	}))
	defer server.Close()

	config := &kubeconfig.Config{Server: server.URL + "/prefix/", BearerToken: "sesame"}
	session, err := config.Open(kubeconfig.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	transport := &http.Transport{TLSClientConfig: session.TLSConfig(), Proxy: session.Proxy, DialContext: session.DialContext()}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, session.BaseURL().String()+"/version", nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := session.Authorize(request); err != nil {
		log.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(os.Stdout, response.Body)
	// Output: /prefix/version Bearer sesame
}

// After a 401 the session renews what it can; the same request is then worth
// sending once more.
func ExampleSession_Rejected() {
	file := filepath.Join(os.TempDir(), "rawwatch-example-token")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file)
	session, err := (&kubeconfig.Config{Server: "https://10.0.0.1:6443", BearerTokenFile: file}).Open(kubeconfig.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	request := httptest.NewRequest(http.MethodGet, "https://10.0.0.1:6443/api", nil)
	_ = session.Authorize(request)
	fmt.Println(session.Rejected(request)) // the file is as it was

	_ = os.WriteFile(file, []byte("new"), 0o600)
	fmt.Println(session.Rejected(request))
	again := httptest.NewRequest(http.MethodGet, "https://10.0.0.1:6443/api", nil)
	_ = session.Authorize(again)
	fmt.Println(again.Header.Get("Authorization"))
	// Output:
	// false
	// true
	// Bearer new
}

// A plugin that cannot be run says so, with the hint of its entry.
func ExamplePluginError() {
	config := &kubeconfig.Config{Server: "https://10.0.0.1:6443", Exec: &kubeconfig.ExecConfig{
		Command: "no-such-plugin", APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: "Never",
		InstallHint: "install it with: apt install no-such-plugin",
	}}
	session, err := config.WithProviders().Open(kubeconfig.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	err = session.Authorize(httptest.NewRequest(http.MethodGet, "https://10.0.0.1:6443/api", nil))
	var plugin *kubeconfig.PluginError
	if errors.As(err, &plugin) {
		fmt.Println(plugin.Command, plugin.Err)
		fmt.Println(plugin.Hint)
	}
	// Output:
	// no-such-plugin is not installed: no such program in PATH
	// install it with: apt install no-such-plugin
}
