package contest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/bench/trial"
)

// idleSettles is how long the watches rest before they are measured.
const idleSettles = 3 * time.Second

// Idle is what one watch costs on which nothing happens, by the command idle.
func (a *Arena) Idle(runs int) trial.Job {
	binary := a.file("idle")
	j := trial.Job{
		Name: "idle", Runs: runs,
		What: fmt.Sprintf("%d watches of one object each in one process, in which nothing happens. What they cost is the process compared with itself when it had one.", a.Watches),
		Prepare: func(ctx context.Context) error {
			if reason := a.build(ctx, "cmd/idle", binary); reason != "" {
				return &trial.SkipError{Reason: reason}
			}
			object := []byte(`{"metadata":{"name":"idle"},"data":{"a":"b"}}`)
			_, err := a.cluster.Direct().Do(ctx, http.MethodPost, "/api/v1/namespaces/default/configmaps", object)
			if realapi.Code(err) == http.StatusConflict {
				return nil
			}
			return err
		},
	}
	for _, role := range []struct{ role, name string }{
		{"rawwatch", "rawwatch ListWatch"}, {"watch", "client-go typed watch"}, {"informer", Base},
	} {
		j.Contestants = append(j.Contestants, trial.Contestant{Name: role.name, Run: func(ctx context.Context, _ int) (trial.Outcome, error) {
			return a.idle(ctx, binary, role.role)
		}})
	}
	return j
}

func (a *Arena) idle(ctx context.Context, binary, role string) (trial.Outcome, error) {
	kubeconfig, err := a.cluster.WriteKubeconfig(a.name("kubeconfig"), a.cluster.Config())
	if err != nil {
		return trial.Outcome{}, err
	}
	cmd := exec.CommandContext(ctx, binary, "-role", role, "-watches", strconv.Itoa(a.Watches), "-settle", idleSettles.String())
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return trial.Outcome{}, fmt.Errorf("%w: %s", err, lastLine(complaints.Bytes()))
	}
	var cost struct {
		Watches                            int
		Heap, Stacks, Resident, Goroutines float64
		Connections                        float64
	}
	if err := json.Unmarshal(out, &cost); err != nil {
		return trial.Outcome{}, err
	}
	each := float64(cost.Watches)
	return trial.Outcome{Figures: trial.Figures{
		"idle_heap_kb": cost.Heap / each / 1024, "idle_stacks_kb": cost.Stacks / each / 1024, "idle_rss_kb": cost.Resident / each / 1024,
		"idle_goroutines": cost.Goroutines / each, "idle_connections": cost.Connections,
	}}, nil
}
