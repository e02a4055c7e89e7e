package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// The first run has to fetch the state; the second has it from the file.
func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	for run := 1; run <= 2; run++ {
		if err := agent(run, filepath.Join(folder, "watch.ckpt")); err != nil {
			panic(err)
		}
	}
	// Output:
	// run 1: nothing saved, listing
	// run 2: going on from 4712
	// run 2: shop/web-1 {"phase":"Running"}
}

func agent(run int, path string) error {
	ctx := context.Background()
	store, err := checkpoint.Open(ctx, path, checkpoint.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()

	saved, err := store.Load(ctx, "pods")
	if errors.Is(err, resume.ErrNothingSaved) {
		fmt.Printf("run %d: nothing saved, listing\n", run)
		id := resume.WatchIdentity{Watch: "pods", Cluster: "edge-7", Version: "v1", Resource: "pods", Format: "json"}
		listed := func(yield func(resume.Record, error) bool) {
			for _, name := range []string{"web-0", "web-1"} {
				meta := decode.Meta{Namespace: []byte("shop"), Name: []byte(name), ResourceVersion: []byte("4711")}
				if !yield(resume.Record{Meta: meta, Object: []byte(`{"phase":"Running"}`)}, nil) {
					return
				}
			}
		}
		if err := store.Replace(ctx, id, "4711", listed); err != nil {
			return err
		}
		var batch resume.Batch
		batch.Delete(&decode.Meta{Namespace: []byte("shop"), Name: []byte("web-0")})
		return store.Commit(ctx, "pods", &batch, "4712")
	}
	if err != nil {
		return err
	}
	fmt.Printf("run %d: going on from %s\n", run, saved.ResourceVersion)
	for record, err := range saved.Objects {
		if err != nil {
			return err
		}
		fmt.Printf("run %d: %s %s\n", run, record.Meta.Identity().Key(), record.Object)
	}
	return nil
}

// What cannot be used need not stop an agent.
func ExampleOpen_without() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	store, err := checkpoint.Open(context.Background(), folder, checkpoint.Options{GoOnWithout: true})
	if err != nil {
		panic(err)
	}
	defer func() { _ = store.Close() }()
	var bad *checkpoint.FileError
	fmt.Println(store.Status().Health, errors.As(store.Status().Err, &bad))
	// Output: MemoryOnly true
}
