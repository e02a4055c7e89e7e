package access_test

import (
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
)

// TestProvidersAreAskedForByHand: a Config filled by hand names what it needs,
// and is refused until it has linked it.
func TestProvidersAreAskedForByHand(t *testing.T) {
	for name, config := range map[string]*access.Config{
		"exec":          {Server: "https://a", Exec: &access.ExecConfig{Command: "true", APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: "Never"}},
		"auth-provider": {Server: "https://a", AuthProvider: &access.AuthProvider{Name: "oidc", Config: map[string]string{"idp-issuer-url": "https://b", "client-id": "c", "id-token": "a.b.c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Open(access.SessionOptions{})
			if err == nil || !strings.Contains(err.Error(), "WithProviders") || !strings.Contains(err.Error(), map[string]string{"exec": "Exec", "auth-provider": "AuthProvider"}[name]) {
				t.Fatalf("got %v", err)
			}
			s, err := config.WithProviders().Open(access.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
