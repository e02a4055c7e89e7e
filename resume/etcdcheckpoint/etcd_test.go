package etcdcheckpoint_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// endpoint is where the etcd of these tests listens.
var endpoint string

// cacheVariable names the folder in which bench/realapi keeps its servers.
const cacheVariable = "RAWWATCH_CACHE"

func TestMain(m *testing.M) {
	stop, err := startEtcd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

// binary is the etcd that bench/realapi has built, or one that is built now.
func binary(folder string) (string, error) {
	cache := os.Getenv(cacheVariable)
	if cache == "" {
		cache = filepath.Join("..", "..", "bench", ".cache")
	}
	built, err := filepath.Glob(filepath.Join(cache, "*", "etcd-v*[0-9a-f]"))
	if err == nil && len(built) > 0 {
		return built[0], nil
	}
	name := filepath.Join(folder, "etcd.bin")
	cmd := exec.Command("go", "build", "-o", name, ".")
	cmd.Dir = filepath.Join("..", "..", "bench", "realapi", "servers", "etcd")
	cmd.Stderr = os.Stderr
	return name, cmd.Run()
}

func startEtcd() (stop func(), err error) {
	folder, err := os.MkdirTemp("", "etcd")
	if err != nil {
		return nil, err
	}
	program, err := binary(folder)
	if err != nil {
		return nil, err
	}
	client, peer := "http://"+freeAddress(), "http://"+freeAddress()
	cmd := exec.Command(program, "--data-dir", filepath.Join(folder, "data"), "--log-level", "error", "--unsafe-no-fsync",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		_ = os.RemoveAll(folder)
	}
	endpoint = client
	if err := answers(); err != nil {
		stop()
		return nil, fmt.Errorf("%w: %s", err, said.String())
	}
	return stop, nil
}

func answers() error {
	c, err := newClient()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = c.Get(ctx, "ready?")
	return err
}

func newClient() (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
}

func connect(t testing.TB) *clientv3.Client {
	t.Helper()
	c, err := newClient()
	ok(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:0"
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
