package realapi

import (
	"context"
	"testing"
)

// Start launches a cluster for one test: it ends with the test, and when the
// test has failed the end of the servers' logs is shown. The first test on a
// machine pays for the builds.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	if o.Progress == nil {
		o.Progress = func(line string) { t.Log(line) }
	}
	c, err := Launch(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(c.Logs())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}
