package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
)

// churn changes pods at the rate: mostly their status; every tenth change is
// a deletion and a new pod of the same name. What fails while the server is
// down is left out.
func churn(ctx context.Context, d *realapi.Direct, o options) {
	tick := time.NewTicker(time.Second / time.Duration(o.rate))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		pod := n % o.pods
		if n%10 == 9 {
			_, _ = d.Do(ctx, http.MethodDelete, load.PodPath(pod)+"?gracePeriodSeconds=0", nil)
			_ = load.Pods(ctx, d, pod, pod+1)
			continue
		}
		status, err := json.Marshal(load.PodStatus(pod, n))
		if err == nil {
			_, _ = d.Do(ctx, http.MethodPatch, load.PodPath(pod)+"/status?fieldManager=kubelet", status)
		}
	}
}

// trouble cuts connections, compacts, and kills the API server.
func trouble(ctx context.Context, c *realapi.Cluster, network *faultnet.Network, o options) {
	cut, kill := time.NewTicker(o.cut), time.NewTicker(o.kill)
	defer cut.Stop()
	defer kill.Stop()
	for {
		var err error
		select {
		case <-cut.C:
			network.Cut()
			_, err = c.Compact(ctx)
		case <-kill.C:
			err = c.Restart(ctx)
		case <-ctx.Done():
			return
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "soak:", err)
		}
	}
}
