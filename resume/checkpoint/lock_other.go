//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package checkpoint

import (
	"errors"
	"io"
	"os"
)

// lockFile cannot lock here: one process per file is up to the user.
func lockFile(name string) (io.Closer, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}

// syncDir makes a rename durable where directories can be synced.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
