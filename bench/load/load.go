// Package load fills a real API server with pods of a realistic shape, and
// changes them, with plain requests and many writers at once.
package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// Writers is how many writers work at once.
const Writers = 32

// Namespaces over which pods are spread: edge-0 to edge-9.
const Namespaces = 10

// Namespace is the one that pod n is in.
func Namespace(n int) string { return fmt.Sprintf("edge-%d", n%Namespaces) }

// PodPath is the URL path of pod n.
func PodPath(n int) string {
	return fmt.Sprintf("/api/v1/namespaces/%s/pods/web-7d4b9c6f5d-%05d", Namespace(n), n)
}

// Pods creates the pods from (included) to to (excluded), and their
// namespaces, and reports a status for each: two requests and two field
// managers per pod. The context bounds it all; the first failure ends it.
func Pods(ctx context.Context, d *realapi.Direct, from, to int) error {
	for i := range Namespaces {
		body := fmt.Appendf(nil, `{"metadata":{"name":%q}}`, Namespace(i))
		if _, err := d.Do(ctx, http.MethodPost, "/api/v1/namespaces", body); err != nil && realapi.Code(err) != http.StatusConflict {
			return err
		}
	}
	return each(ctx, from, to, func(ctx context.Context, n int) error {
		path := "/api/v1/namespaces/" + Namespace(n) + "/pods?fieldManager=kube-controller-manager"
		if err := send(ctx, d, http.MethodPost, path, Pod(n)); err != nil {
			return err
		}
		return send(ctx, d, http.MethodPatch, PodPath(n)+"/status?fieldManager=kubelet", PodStatus(n, 0))
	})
}

// Churn makes updates changes, each to the status of the next of the pods 0
// to pods-1, as kubelets do. The changes of one pod come in their order: no
// round over the pods begins before the last one has ended.
func Churn(ctx context.Context, d *realapi.Direct, pods, updates int) error {
	for done := 0; done < updates; done += pods {
		err := each(ctx, done, min(done+pods, updates), func(ctx context.Context, i int) error {
			n := i % pods
			return send(ctx, d, http.MethodPatch, PodPath(n)+"/status?fieldManager=kubelet", PodStatus(n, 1+i/pods))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func send(ctx context.Context, d *realapi.Direct, method, path string, o object) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = d.Do(ctx, method, path, body)
	return err
}

// each calls work for every number from from to to, by [Writers] workers, and
// returns the first error.
func each(ctx context.Context, from, to int, work func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := atomic.Int64{}
	next.Store(int64(from))
	var working sync.WaitGroup
	for range Writers {
		working.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= to {
					return
				}
				if err := work(ctx, n); err != nil {
					cancel(err)
				}
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}
