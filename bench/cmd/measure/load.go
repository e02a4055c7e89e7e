package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// writers is how many pods are created at the same time.
const writers = 32

// load creates the pods numbered from to upTo-1, each 7.8 KB as the server
// lists it, managedFields included.
func load(ctx context.Context, d *realapi.Direct, from, upTo int) error {
	if from == 0 {
		if _, err := d.Do(ctx, "POST", "/api/v1/namespaces", []byte(`{"metadata":{"name":"load"}}`)); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for n := range numbers {
				if _, err := d.Do(ctx, "POST", "/api/v1/namespaces/load/pods", pod(n)); err != nil {
					cancel(err)
				}
			}
		})
	}
	for n := from; n < upTo && ctx.Err() == nil; n++ {
		numbers <- n
	}
	close(numbers)
	all.Wait()
	return context.Cause(ctx)
}

func pod(n int) []byte {
	var env strings.Builder
	for i := range 46 {
		fmt.Fprintf(&env, `{"name":"FEATURE_SWITCH_%d","value":"a value of some length %d"},`, i, i)
	}
	return fmt.Appendf(nil, `{"metadata":{"name":"pod-%06d","labels":{"app":"web","tier":"front","shard":"%d"}},`+
		`"spec":{"nodeName":"node-%d","containers":[{"name":"main","image":"registry.example.com/team/app:v1.2.3","env":[%s{"name":"LAST","value":"x"}]}]}}`,
		n, n%16, n%100, env.String())
}
