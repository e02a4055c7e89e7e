package contest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/trial"
	"github.com/rawwatch/rawwatch/bench/usage"
)

// writerRests is how long the writer of the latency job rests after a write.
const writerRests = 2 * time.Millisecond

// Latency is the time from the server's answer to a write until the event has
// reached the code of a program that watches. Programs reach the server
// without a proxy.
func (a *Arena) Latency(pods, runs int) trial.Job {
	j := trial.Job{
		Name: "latency", Size: pods, Runs: runs,
		What: fmt.Sprintf("From the server's answer to a write until the event has reached the handler of a process that holds %d pods, without a proxy between: "+
			"%d writes in each run, one after the other with %v between. A figure may be negative: the server may tell those who watch before the writer has its answer. "+
			"With so few events the p99.9 of one run is nearly its maximum.", pods, a.Writes, writerRests),
		Prepare: func(ctx context.Context) error { return a.Load(ctx, pods) },
	}
	for _, p := range a.peers {
		if !p.Latency {
			continue
		}
		j.Contestants = append(j.Contestants, trial.Contestant{
			Name: p.Name, Skip: p.Skip,
			Run: func(ctx context.Context, _ int) (trial.Outcome, error) { return a.latency(ctx, p) },
		})
	}
	return j
}

func (a *Arena) latency(ctx context.Context, p Peer) (trial.Outcome, error) {
	kubeconfig, err := a.cluster.WriteKubeconfig(a.name("kubeconfig"), a.cluster.Config())
	if err != nil {
		return trial.Outcome{}, err
	}
	c, err := a.start(ctx, p, kubeconfig, a.pods, append(append([]string(nil), p.Follow...), "-arrivals")...)
	if err != nil {
		return trial.Outcome{}, err
	}
	defer c.stop()
	if _, err := c.await(ctx, "sync"); err != nil {
		return trial.Outcome{}, err
	}
	answered := make(map[string]int64, a.Writes)
	for range a.Writes {
		version, at, err := a.write(ctx)
		if err != nil {
			return trial.Outcome{}, err
		}
		answered[version] = at
		if err := pause(ctx, writerRests); err != nil {
			return trial.Outcome{}, err
		}
	}
	l := living{arena: a, child: c}
	r, err := l.marker(ctx, a.name(usage.Marker))
	if err != nil {
		return trial.Outcome{}, err
	}
	return latencies(answered, r.Arrivals)
}

// write makes one change and says when the server had answered.
func (a *Arena) write(ctx context.Context) (version string, at int64, err error) {
	n := a.changed % a.pods
	a.changed++
	status, err := json.Marshal(load.PodStatus(n, a.changed))
	if err != nil {
		return "", 0, err
	}
	answer, err := a.cluster.Direct().Do(ctx, http.MethodPatch, load.PodPath(n)+"/status?fieldManager=kubelet", status)
	at = usage.Now()
	if err != nil {
		return "", 0, err
	}
	var object struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	err = json.Unmarshal(answer, &object)
	return object.Metadata.ResourceVersion, at, err
}

// latencies matches what was answered with what has arrived.
func latencies(answered map[string]int64, arrivals []usage.Arrival) (trial.Outcome, error) {
	var all []float64
	for _, arrival := range arrivals {
		if at, ok := answered[arrival.Version]; ok {
			all = append(all, float64(arrival.At-at)/1e6)
			delete(answered, arrival.Version)
		}
	}
	if len(answered) > 0 || len(all) == 0 {
		return trial.Outcome{}, fmt.Errorf("%d events have not come, %d have", len(answered), len(all))
	}
	slices.Sort(all)
	o := trial.Outcome{Figures: trial.Figures{
		"latency_p50_ms": trial.Quantile(all, 0.5), "latency_p99_ms": trial.Quantile(all, 0.99),
		"latency_p99.9_ms": trial.Quantile(all, 0.999), "latency_max_ms": all[len(all)-1],
	}}
	var distribution []trial.Point
	for percent := 1; percent <= 100; percent++ {
		distribution = append(distribution, trial.Point{At: float64(percent), Value: round(trial.Quantile(all, float64(percent)/100), 1000)})
	}
	o.Series = map[string][]trial.Point{"latency_ms_by_percent": distribution}
	return o, nil
}
