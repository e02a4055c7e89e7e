package workqueue_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch/workqueue"
)

// A reconcile loop. In a program, a watch adds the keys for as long as it runs.
func Example() {
	queue, err := workqueue.New(workqueue.Options[decode.Key]{})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"camera", "gateway", "camera"} {
		if err := queue.Add(decode.Key{Namespace: "edge", Name: name}); err != nil {
			log.Fatal(err)
		}
	}
	queue.ShutDown() // what is queued is still done

	err = queue.Run(context.Background(), 1, func(ctx context.Context, key decode.Key) (workqueue.Result, error) {
		fmt.Println("reconcile", key)
		return workqueue.Result{}, nil
	})
	fmt.Println("end:", err)
	// Output:
	// reconcile edge/camera
	// reconcile edge/gateway
	// end: <nil>
}

// A key that fails comes back after a backoff; what cannot be mended is dropped.
func ExampleOptions_backoff() {
	var queue *workqueue.Queue[string]
	queue, err := workqueue.New(workqueue.Options[string]{
		Backoff:    workqueue.Backoff{Base: time.Millisecond, Max: time.Second, Jitter: -1},
		MaxRetries: 2,
		Failed: func(f workqueue.Failure[string]) {
			fmt.Printf("%s failed %d times (%v): %s\n", f.Key, f.Failures, f.Err, f.Verdict)
			if f.Verdict == workqueue.Dropped {
				queue.ShutDown()
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := queue.Add("camera"); err != nil {
		log.Fatal(err)
	}
	err = queue.Run(context.Background(), 4, func(ctx context.Context, key string) (workqueue.Result, error) {
		return workqueue.Result{}, errors.New("no such driver")
	})
	fmt.Println("end:", err)
	// Output:
	// camera failed 1 times (no such driver): retried
	// camera failed 2 times (no such driver): retried
	// camera failed 3 times (no such driver): dropped
	// end: <nil>
}

// Changes go before the objects of the initial list, which nobody waits for.
func ExampleQueue_AddWith_priority() {
	queue, err := workqueue.New(workqueue.Options[string]{})
	if err != nil {
		log.Fatal(err)
	}
	const fromTheList = -100
	for _, name := range []string{"a", "b", "c"} {
		if err := queue.AddWith(name, workqueue.AddOptions{Priority: fromTheList}); err != nil {
			log.Fatal(err)
		}
	}
	for _, changed := range []string{"d", "c"} {
		if err := queue.Add(changed); err != nil { // c is raised to priority 0
			log.Fatal(err)
		}
	}
	queue.ShutDown()
	err = queue.Run(context.Background(), 1, func(ctx context.Context, key string) (workqueue.Result, error) {
		fmt.Print(key, " ")
		return workqueue.Result{}, nil
	})
	fmt.Println(err)
	// Output: c d a b <nil>
}

// Checking again later: RequeueAfter is not a failure and has no backoff.
func ExampleResult_requeueAfter() {
	queue, err := workqueue.New(workqueue.Options[string]{})
	if err != nil {
		log.Fatal(err)
	}
	if err := queue.Add("certificate"); err != nil {
		log.Fatal(err)
	}
	checks := 0
	err = queue.Run(context.Background(), 2, func(ctx context.Context, key string) (workqueue.Result, error) {
		checks++
		fmt.Println("check", checks)
		if checks == 3 {
			queue.ShutDown()
		}
		return workqueue.Result{RequeueAfter: time.Millisecond}, nil
	})
	fmt.Println(err, queue.Stats().Counts.Discarded, "discarded")
	// Output:
	// check 1
	// check 2
	// check 3
	// <nil> 1 discarded
}

// A loop of one's own, without Run.
func ExampleQueue_Get() {
	queue, err := workqueue.New(workqueue.Options[string]{})
	if err != nil {
		log.Fatal(err)
	}
	if err := queue.Add("camera"); err != nil {
		log.Fatal(err)
	}
	queue.ShutDown()
	for {
		key, err := queue.Get(context.Background())
		if end, ok := errors.AsType[*workqueue.ShutDownError](err); ok {
			fmt.Println(end)
			return
		}
		fmt.Println("got", key)
		queue.Forget(key) // or queue.Retry(key), after a failure
		if err := queue.Done(key); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// got camera
	// workqueue: the queue is shut down and nothing is left: this worker is finished
}

// A checkpoint that forgets an event only when its key was reconciled after it.
func ExampleOptions_acknowledge() {
	position := map[string]int{} // of the last event of each key; guard it with a mutex in a program
	inRun := map[string]int{}
	queue, err := workqueue.New(workqueue.Options[string]{
		Started: func(key string) { inRun[key] = position[key] },
		Done:    func(key string, err error) { fmt.Println("acknowledge", key, "up to", inRun[key]) },
	})
	if err != nil {
		log.Fatal(err)
	}
	event := func(key string, at int) {
		position[key] = at
		if err := queue.Add(key); err != nil {
			fmt.Println(err)
		}
	}
	event("camera", 1)
	runs := 0
	err = queue.Run(context.Background(), 1, func(ctx context.Context, key string) (workqueue.Result, error) {
		if runs++; runs == 1 {
			event("camera", 2) // may come too late for this run
			queue.ShutDown()
		}
		return workqueue.Result{}, nil
	})
	fmt.Println(err)
	// Output:
	// acknowledge camera up to 1
	// acknowledge camera up to 2
	// <nil>
}
