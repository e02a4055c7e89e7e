package realapi

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// KillStore ends etcd or kine at once with SIGKILL; the API server goes on
// without it.
func (c *Cluster) KillStore() { c.store.proc.kill() }

// StartStore starts the store again on the same data after
// [Cluster.KillStore], and waits until it answers (kine: until it runs).
func (c *Cluster) StartStore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, StartTimeout)
	defer cancel()
	return c.store.start(ctx, c.options)
}

// Snapshot copies the data of the store into a folder of its own, in place of
// an earlier snapshot. The store is killed and started again for it: what is
// on disk then is what a crash leaves.
func (c *Cluster) Snapshot(ctx context.Context) error {
	c.KillStore()
	target := c.path("snapshot")
	if err := os.RemoveAll(target); err != nil {
		return fmt.Errorf("realapi: snapshot: %w", err)
	}
	if err := os.CopyFS(target, os.DirFS(c.path(string(OnEtcd)))); err != nil {
		return fmt.Errorf("realapi: snapshot: %w", err)
	}
	return c.StartStore(ctx)
}

// Restore puts the last snapshot back, as an administrator does after a
// disaster: every change since is undone, and its resourceVersions are given
// out again. The API server is killed before and started after.
func (c *Cluster) Restore(ctx context.Context) error {
	c.Kill()
	c.KillStore()
	err := c.store.wipe()
	if err == nil {
		err = os.CopyFS(c.path(string(OnEtcd)), os.DirFS(c.path("snapshot")))
	}
	if err != nil {
		return fmt.Errorf("realapi: restoring the snapshot: %w", errors.Join(err, c.StartStore(ctx)))
	}
	if err := c.StartStore(ctx); err != nil {
		return err
	}
	return c.Start(ctx)
}
