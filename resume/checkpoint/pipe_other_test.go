//go:build !unix

package checkpoint_test

import "testing"

// pipe is a directory where there are no pipes in the file system.
func pipe(t *testing.T) string { return t.TempDir() }
