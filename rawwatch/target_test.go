package rawwatch

import (
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// TestTarget: a path prefix of the server stands in each request exactly once,
// and an IPv6 address keeps its brackets.
func TestTarget(t *testing.T) {
	for server, want := range map[string]string{
		"https://k.example":                    "https://k.example/api/v1/pods",
		"https://k.example/":                   "https://k.example/api/v1/pods",
		"https://k.example:6443/k8s/clusters":  "https://k.example:6443/k8s/clusters/api/v1/pods",
		"https://k.example:6443/k8s/clusters/": "https://k.example:6443/k8s/clusters/api/v1/pods",
		"https://[fd00::1]:6443":               "https://[fd00::1]:6443/api/v1/pods",
		"unix:///run/x.sock":                   "http://localhost/api/v1/pods",
	} {
		client, err := NewClient(&kubeconfig.Config{Server: server}, ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := client.target(request{path: Pods.Query().path()}).String(); got != want {
			t.Errorf("%s: %s, want %s", server, got, want)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
}
