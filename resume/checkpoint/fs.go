package checkpoint

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is where files are: a seam for tests that make writes fail. It has the
// meaning of the functions of package os with the same names.
type FS interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Rename(oldname, newname string) error
	Remove(name string) error
	ReadDir(name string) ([]fs.DirEntry, error)
	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error
	// Lock holds a lock on a file, which it creates, until the process dies or
	// the Closer is closed. It does not wait: the error is a [*LockedError]
	// when another holds the lock.
	Lock(name string) (io.Closer, error)
}

// File is an open file, as *os.File.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
}

// OS is the file system of the operating system.
var OS FS = osFS{}

type osFS struct{}

func (osFS) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (osFS) Rename(oldname, newname string) error       { return os.Rename(oldname, newname) }
func (osFS) Remove(name string) error                   { return os.Remove(name) }
func (osFS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

func (osFS) SyncDir(name string) error { return syncDir(name) }

func (osFS) Lock(name string) (io.Closer, error) { return lockFile(name) }

// resolve follows symbolic links, since a file is replaced by renaming: that
// must not replace the link.
func resolve(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// What is put behind a checkpoint's name: the lock, and a file that is being
// written to take its place.
const (
	lockSuffix = ".lock"
	newSuffix  = ".new"
)
