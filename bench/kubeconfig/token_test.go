package kubeconfig

import (
	"encoding/base64"
	"fmt"
	"os"
	"testing"
	"time"
)

// jwt is a JSON web token with an expiry and nothing else.
func jwt(expires time.Time) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part(fmt.Appendf(nil, `{"exp":%d}`, expires.Unix())) + "." + part([]byte("signature"))
}

func readWord(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
