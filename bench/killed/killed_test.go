package killed

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/internal/killtest"
)

var (
	kills    = flag.Int("kills", 200, "how often TestKilled kills an agent")
	killSeed = flag.Uint64("kill-seed", 0, "what TestKilled draws from; 0 draws that too")
)

// agentVariable names the folder of the agent that this test binary is to be.
const agentVariable = "RAWWATCH_TEST_AGENT"

func TestMain(m *testing.M) {
	if folder := os.Getenv(agentVariable); folder != "" {
		fmt.Fprintln(os.Stderr, killtest.RunAgent(folder))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKilled: an agent with a checkpoint is killed by SIGKILL at random points
// while objects are written to a real API server at random, whose history is
// compacted and which is killed as well now and then. What each process begins
// with is the server's state as of what was saved; what it is told is what
// happened since, and nothing that was saved; what is saved was acknowledged; in
// the end all have what the server lists.
func TestKilled(t *testing.T) {
	seed := *killSeed
	if seed == 0 {
		seed = rand.Uint64()>>1 + 1
	}
	t.Logf("seed %d: repeat with -kill-seed %d", seed, seed)
	c := realapi.Start(t, realapi.Options{})
	folder := t.TempDir()
	kubeconfig, err := c.WriteKubeconfig(killtest.KubeconfigName, c.Config())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kubeconfig, filepath.Join(folder, killtest.KubeconfigName)); err != nil {
		t.Fatal(err)
	}
	trial := killtest.Trial{
		Folder: folder, Kills: *kills, Seed: seed,
		Agent: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), agentVariable+"="+folder)
			return cmd
		},
		Send: func(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
			return c.Direct().Open(ctx, method, path, nil, body)
		},
		Lose: func(ctx context.Context) error {
			if _, err := c.Compact(ctx); err != nil {
				return err
			}
			return c.Restart(ctx)
		},
		Losses: 3 + *kills/200,
	}
	judge, err := trial.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	judge.Report(t, *kills)
}
