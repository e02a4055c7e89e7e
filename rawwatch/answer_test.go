package rawwatch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// TestErrorsOfHostileAnswers: what a server echoes of the request does not
// carry the credential into an error, and what it sends without end does not
// make one without end.
func TestErrorsOfHostileAnswers(t *testing.T) {
	const password, encoded = "open sesame", "dTpvcGVuIHNlc2FtZQ=="
	long := strings.Repeat("x", 64<<10)
	for name, answer := range map[string]http.HandlerFunc{
		"a page that echoes": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "<html>%s%s", strings.Repeat(".", 180), r.Header.Get("Authorization"))
		},
		"a Status that echoes": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"kind":"Status","code":400,"message":%q}`, r.Header.Get("Authorization"))
		},
		"a long redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://elsewhere.example/"+long)
			w.WriteHeader(http.StatusFound)
		},
		"a long content type": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", long) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			client := newClient(t, &kubeconfig.Config{Server: server.URL, Username: "u", Password: password}, rawwatch.ClientOptions{})
			for _, err := range client.List(t.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
				if err == nil {
					t.Fatal("no error")
				}
				// Not even the start of it.
				if text := err.Error(); strings.Contains(text, encoded[:8]) || len(text) > 1000 {
					t.Errorf("%d bytes: %.600s", len(text), text)
				}
			}
		})
	}
}
