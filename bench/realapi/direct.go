package realapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// Direct sends single requests with net/http alone, so that writers, loaders
// and checks share no code with what they test. It is safe for concurrent use.
type Direct struct {
	base   string
	token  string
	client *http.Client
}

// NotOKError is an answer outside 200 to 299.
type NotOKError struct {
	// Method and Path of the request, Code of the answer, and its body.
	Method, Path string
	Code         int
	Body         []byte
}

// Error implements error.
func (e *NotOKError) Error() string {
	return fmt.Sprintf("%s %s: %d: %s", e.Method, e.Path, e.Code, tail(e.Body, 300))
}

// Code is the HTTP status in the error's chain; 0 when no answer came.
func Code(err error) int {
	var e *NotOKError
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func newDirect(config *kubeconfig.Config) (*Direct, error) {
	ca, err := os.ReadFile(config.CAFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("realapi: no certificate in %s", config.CAFile)
	}
	return &Direct{base: config.Server, token: config.BearerToken, client: &http.Client{
		Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2: true,
		},
	}}, nil
}

// Close releases idle connections.
func (d *Direct) Close() { d.client.CloseIdleConnections() }

// Open sends one request and returns the answer as it is; the caller closes
// its body. A nil body sends none. Path may hold a query. Header may be nil.
func (d *Direct) Open(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, d.base+path, reader)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+d.token)
	}
	if body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", contentType(method))
	}
	return d.client.Do(r)
}

// contentType is a JSON merge patch for PATCH (RFC 7386).
func contentType(method string) string {
	if method == http.MethodPatch {
		return "application/merge-patch+json"
	}
	return "application/json"
}

// Do sends one request and returns the whole answer. The error is a
// [*NotOKError] when the server refused.
func (d *Direct) Do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	resp, err := d.Open(ctx, method, path, nil, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		path, _, _ = strings.Cut(path, "?")
		return answer, &NotOKError{method, path, resp.StatusCode, answer}
	}
	return answer, nil
}
