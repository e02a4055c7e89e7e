package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// opening counts what a client allocates to open a watch and read its first
// frame, without the transport: the answer is there as soon as it is asked for.
func opening(ctx context.Context, _ bool) (measurements, error) {
	body, err := os.ReadFile(filepath.Join(streams, "watch-initial.pb"))
	if err != nil {
		return nil, err
	}
	answer := answers(func(r *http.Request) (*http.Response, error) {
		header := http.Header{"Content-Type": {"application/vnd.kubernetes.protobuf;stream=watch"}}
		return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
	})
	client, err := rawwatch.NewClient(&kubeconfig.Config{Server: "https://example.invalid", BearerToken: "token"}, rawwatch.ClientOptions{
		Budget:        rawwatch.Budget{PerSecond: -1},
		WrapTransport: func(http.RoundTripper) http.RoundTripper { return answer },
	})
	if err != nil {
		return nil, err
	}
	runs := testing.AllocsPerRun(1000, func() {
		r := rawwatch.NewReflector(client, rawwatch.Pods.InNamespace("default").Named("a"), rawwatch.ListWatchOptions{})
		for _, e := range r.Events(ctx) {
			err = errors.Join(err, e)
			break
		}
	})
	return measurements{"open": runs}, errors.Join(err, client.Close())
}

// answers is a transport without a network.
type answers func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }
