package rawwatch_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rawwatch/rawwatch/internal/killtest"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

var (
	kills    = flag.Int("kills", 200, "how often TestCheckpointKilled kills an agent")
	killSeed = flag.Uint64("kill-seed", 0, "what it draws from; 0 draws that too")
)

// agentVariable names the folder of the agent that this test binary is to be.
const agentVariable = "RAWWATCH_TEST_AGENT"

// TestCheckpointKilled: an agent killed at random instants, again and again,
// while the server changes at random, loses nothing that happened, is told
// nothing twice that was saved, and ends with what the server has. The tests of
// bench do the same beside a real API server.
func TestCheckpointKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for half a minute")
	}
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	if _, err := server.Create(watchtest.Namespaces, `{"metadata":{"name":"kube-system"}}`); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, killtest.KubeconfigName), server.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()>>1 + 1
	}
	t.Logf("seed %d: repeat with -kill-seed %d", seed, seed)
	trial := killtest.Trial{
		Folder: folder, Kills: *kills, Seed: seed, Send: sendTo(server), Losses: *kills / 7,
		Agent: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^TestCheckpointAgent$")
			cmd.Env = append(os.Environ(), agentVariable+"="+folder)
			return cmd
		},
		Lose: func(context.Context) error {
			server.CutWatches(watchtest.Selector{}, watchtest.Abort)
			server.Compact(server.Revision())
			return nil
		},
	}
	judge, err := trial.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	judge.Report(t, *kills)
}

// TestCheckpointAgent is the process that TestCheckpointKilled kills.
func TestCheckpointAgent(t *testing.T) {
	folder := os.Getenv(agentVariable)
	if folder == "" {
		t.Skip("for TestCheckpointKilled")
	}
	if err := killtest.RunAgent(folder); err != nil {
		t.Fatal(err)
	}
}

func sendTo(server *watchtest.Server) killtest.Send {
	client, base := server.Client(), server.URL()
	return func(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
		var content io.Reader
		if body != nil {
			content = bytes.NewReader(body)
		}
		r, err := http.NewRequestWithContext(ctx, method, base+path, content)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		if method == http.MethodPatch {
			r.Header.Set("Content-Type", "application/merge-patch+json")
		}
		return client.Do(r)
	}
}
