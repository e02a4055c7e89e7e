package load

import (
	"context"
	"net/http"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// Steady makes changes to the status of the pods 0 to pods-1 in turn, perSecond
// of them a second or as fast as the server takes them. They are numbered from
// first on, and each number makes a status of its own: who goes on with the
// next number never writes what is there already. The changes of one pod come
// in their order as long as the pods are more than the [Writers].
func Steady(ctx context.Context, d *realapi.Direct, pods, first, changes, perSecond int) error {
	begin := time.Now()
	return each(ctx, first, first+changes, func(ctx context.Context, i int) error {
		due := begin.Add(time.Duration(i-first) * time.Second / time.Duration(perSecond))
		if err := sleepUntil(ctx, due); err != nil {
			return err
		}
		n := i % pods
		return send(ctx, d, http.MethodPatch, PodPath(n)+"/status?fieldManager=kubelet", PodStatus(n, 1+i))
	})
}

func sleepUntil(ctx context.Context, due time.Time) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
