package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// asCommand makes this test binary behave as the command itself, for the tests
// that need a process: signals and broken pipes.
const asCommand = "RAWWATCH_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(runProcess())
	}
	goleak.VerifyTestMain(m)
}

// plantedToken is a credential that must never be seen in what is printed.
const plantedToken = "planted-token-0123456789"

// answer is what one run of the command printed and returned.
type answer struct {
	code           int
	stdout, stderr string
}

// invoke runs the command in this process.
func invoke(t *testing.T, args ...string) answer {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, noEnv)
	a := answer{code, stdout.String(), stderr.String()}
	if strings.Contains(a.stdout+a.stderr, plantedToken) {
		t.Errorf("%q prints the token:\n%s%s", args, a.stdout, a.stderr)
	}
	return a
}

// noEnv keeps the machine's own configuration out of the tests.
func noEnv(string) string { return "" }

// process prepares the command as a process of its own.
func process(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// startServer starts an API server that knows the planted token.
func startServer(t *testing.T) (*watchtest.Server, string) {
	t.Helper()
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.TLS, Tokens: map[string]string{plantedToken: "tester"}})
	t.Cleanup(server.Close)
	config := *server.Config()
	config.BearerToken = plantedToken
	return server, writeConfig(t, &config)
}

// writeConfig writes a kubeconfig file and returns its name.
func writeConfig(t *testing.T, c *kubeconfig.Config) string {
	t.Helper()
	ca := ""
	if len(c.CAData) > 0 {
		ca = "\n    certificate-authority-data: " + base64.StdEncoding.EncodeToString(c.CAData)
	}
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: edge
clusters:
- name: here
  cluster:
    server: %s%s
users:
- name: tester
  user:
    token: %s
contexts:
- name: edge
  context: {cluster: here, user: tester, namespace: shop}
`, c.Server, ca, c.BearerToken)
	name := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// createPods creates pods in a namespace.
func createPods(t *testing.T, server *watchtest.Server, namespace string, names ...string) {
	t.Helper()
	for _, name := range names {
		pod := fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q,"labels":{"app":%q}},"spec":{"nodeName":"node-1"}}`, namespace, name, name)
		if _, err := server.Create(watchtest.Pods, pod); err != nil {
			t.Fatal(err)
		}
	}
}

// running is a command that goes on until it is stopped.
type running struct {
	t      *testing.T
	lines  *bufio.Scanner
	stderr *buffer
	stop   context.CancelFunc
	code   chan int
}

// begin runs the command in this process, in a goroutine that the test's end
// waits for.
func begin(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	stdout, stdin := io.Pipe()
	r := &running{t: t, lines: bufio.NewScanner(stdout), stderr: newBuffer(), stop: stop, code: make(chan int, 1)}
	go func() {
		r.code <- run(ctx, args, strings.NewReader(""), stdin, r.stderr, noEnv)
		_ = stdin.Close()
	}()
	t.Cleanup(func() {
		stop()
		_ = stdout.Close()
	})
	return r
}

// next gives the next line of standard output.
func (r *running) next() string {
	r.t.Helper()
	if !r.lines.Scan() {
		r.t.Fatalf("standard output has ended; stderr:\n%s", r.stderr)
	}
	return r.lines.Text()
}

// end stops the command as a signal does, and gives its exit code.
func (r *running) end() int {
	r.stop()
	for r.lines.Scan() { // let it write its last words
	}
	return <-r.code
}

// buffer is a bytes.Buffer for two goroutines.
type buffer struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	written sync.Cond
}

func newBuffer() *buffer {
	b := &buffer{}
	b.written.L = &b.mu
	return b
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written.Broadcast()
	return b.buf.Write(p)
}

// await returns when text has been written.
func (b *buffer) await(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !strings.Contains(b.buf.String(), text) {
		b.written.Wait()
	}
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
