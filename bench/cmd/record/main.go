// Command record asks a real kube-apiserver the same questions in JSON and in
// protobuf, and writes the answers, byte for byte, into the folder that the
// decoder's tests read:
//
//	go run ./cmd/record [-to ../testdata/streams] [-only gzip]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	to := flag.String("to", filepath.Join("..", "testdata", "streams"), "folder for the answers")
	only := flag.String("only", "", "record only what is named so, or begins so")
	flag.Parse()
	if err := record(ctx, *to, *only); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(ctx context.Context, to, only string) error {
	cluster, err := realapi.Launch(ctx, realapi.Options{Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return err
	}
	defer cluster.Close()
	d := cluster.Direct()
	if err := populate(ctx, d); err != nil {
		return err
	}
	// Compaction and a restart make the versions from before too old.
	if _, err := cluster.Compact(ctx); err != nil {
		return err
	}
	if err := cluster.Restart(ctx); err != nil {
		return err
	}
	if err := awaitCustom(ctx, d); err != nil {
		return err
	}
	before, err := change(ctx, d)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, q := range questions {
		for _, e := range encodings {
			if !strings.HasPrefix(q.name, only) || q.custom && e.suffix != "json" {
				continue
			}
			if err := ask(ctx, d, q, e, before, to); err != nil {
				return fmt.Errorf("%s: %w", q.name, err)
			}
		}
	}
	return nil
}

// encoding is one way to ask.
type encoding struct{ accept, suffix string }

var encodings = []encoding{
	{"application/json", "json"},
	{"application/vnd.kubernetes.protobuf", "pb"},
}

// ask writes one answer. Watches of the changes begin at the version before
// them.
func ask(ctx context.Context, d *realapi.Direct, q question, e encoding, before, to string) error {
	path := q.path
	if q.changes {
		path += "&resourceVersion=" + before
	}
	accept := e.accept
	if q.watch() {
		accept += ";stream=watch"
	}
	if q.as != "" {
		accept += ";as=" + q.as + ";g=meta.k8s.io;v=v1"
	}
	resp, err := d.Open(ctx, http.MethodGet, path, q.header(accept), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if q.during != nil {
		time.Sleep(time.Second) // so that the initial events stand alone
		if err := q.during(ctx, d); err != nil {
			return err
		}
	}
	body, err := readFor(resp.Body, 30*time.Second)
	if err != nil {
		return err
	}
	file := filepath.Join(to, q.name+"."+e.suffix)
	if q.gzip {
		file += ".gz"
	}
	fmt.Fprintf(os.Stderr, "%s: %d, %d bytes\n", file, resp.StatusCode, len(body))
	return os.WriteFile(file, body, 0o644)
}

// readFor reads a body that ends by itself, within a bound.
func readFor(body io.ReadCloser, bound time.Duration) ([]byte, error) {
	late := time.AfterFunc(bound, func() { _ = body.Close() })
	text, err := io.ReadAll(body)
	if !late.Stop() {
		return nil, errors.New("the answer does not end")
	}
	return text, err
}
