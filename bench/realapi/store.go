package realapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// StoreKind says what keeps the API server's objects.
type StoreKind string

const (
	// OnEtcd is the store of most clusters.
	OnEtcd StoreKind = "etcd"
	// OnKine is SQLite behind the etcd API, as k3s has it.
	OnKine StoreKind = "kine"
)

// store is the running store of one [Cluster].
type store struct {
	kind      StoreKind
	folder    string // of the cluster
	url, peer string
	proc      *process
}

// newStore finds ports for a store; nothing runs yet.
func newStore(kind StoreKind, folder string) (*store, error) {
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	return &store{kind: kind, folder: folder, url: "http://" + address(ports[0]), peer: "http://" + address(ports[1])}, nil
}

func (s *store) start(ctx context.Context, o Options) error {
	switch s.kind {
	case OnEtcd:
		return s.startEtcd(ctx, o)
	case OnKine:
		return s.startKine(ctx, o)
	}
	return fmt.Errorf("realapi: unknown store %q", s.kind)
}

// wipe removes all data of a store that does not run.
func (s *store) wipe() error {
	files, err := filepath.Glob(filepath.Join(s.folder, "kine.db*"))
	for _, path := range append(files, filepath.Join(s.folder, "etcd")) {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

func (s *store) startEtcd(ctx context.Context, o Options) error {
	binary, err := Build(ctx, Etcd, o.Progress)
	if err != nil {
		return err
	}
	args := append([]string{
		"--data-dir", filepath.Join(s.folder, "etcd"),
		"--listen-client-urls", s.url, "--advertise-client-urls", s.url,
		"--listen-peer-urls", s.peer, "--initial-advertise-peer-urls", s.peer,
		"--initial-cluster", "default=" + s.peer,
		"--unsafe-no-fsync", "--log-level", "error",
		"--quota-backend-bytes", "8000000000",
	}, o.StoreFlags...)
	if s.proc, err = spawn("etcd", binary, s.folder, args...); err != nil {
		return err
	}
	return s.proc.ready(ctx, func(ctx context.Context) error {
		return getOK(ctx, http.DefaultClient, s.url+"/health")
	})
}

func (s *store) startKine(ctx context.Context, o Options) error {
	binary, err := Build(ctx, Kine, o.Progress)
	if err != nil {
		return err
	}
	args := append([]string{
		"--listen-address", s.url[len("http://"):],
		"--endpoint", "sqlite://" + filepath.Join(s.folder, "kine.db") +
			"?_journal_mode=WAL&_busy_timeout=30000&_synchronous=OFF&_txlock=immediate",
		"--metrics-bind-address", "0",
	}, o.StoreFlags...)
	s.proc, err = spawn("kine", binary, s.folder, args...)
	// kine speaks gRPC alone, so whether it answers is seen by the API server.
	return err
}

// Compact makes etcd forget all history before now, as it does by itself
// every five minutes: watches and pages that begin earlier have expired once
// the API server's own cache is gone too, that is after a restart. It returns
// the compacted revision. kine has no such call: there the API server's flag
// --etcd-compaction-interval does it.
func (c *Cluster) Compact(ctx context.Context) (revision int64, err error) {
	if c.store.kind != OnEtcd {
		return 0, errors.New("realapi: only etcd can be compacted on demand")
	}
	var now struct {
		Header struct{ Revision string }
	}
	key := base64.StdEncoding.EncodeToString([]byte("/registry/"))
	if err := c.store.call(ctx, "/v3/kv/range", map[string]any{"key": key, "limit": 1, "keys_only": true}, &now); err != nil {
		return 0, err
	}
	revision, err = strconv.ParseInt(now.Header.Revision, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("realapi: etcd's revision: %w", err)
	}
	return revision, c.store.call(ctx, "/v3/kv/compaction", map[string]any{"revision": strconv.FormatInt(revision, 10), "physical": true}, nil)
}

// call speaks to etcd through its JSON gateway.
func (s *store) call(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("realapi: etcd: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("realapi: etcd: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("realapi: etcd: POST %s: %s: %s", path, resp.Status, tail(answer, 200))
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// getOK asks once and wants 200.
func getOK(ctx context.Context, c *http.Client, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, tail(body, 300))
	}
	return err
}
