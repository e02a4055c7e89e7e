package checkpoint_test

import (
	"io/fs"
	"sync"
	"syscall"

	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// unsynced skips syncs, for tests that open thousands of files.
type unsynced struct{ checkpoint.FS }

type unsyncedFile struct{ checkpoint.File }

func (unsyncedFile) Sync() error { return nil }

func (u unsynced) SyncDir(string) error { return nil }

func (u unsynced) OpenFile(name string, flag int, perm fs.FileMode) (checkpoint.File, error) {
	f, err := u.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

// faulty is a file system that fails when it is told to.
type faulty struct {
	checkpoint.FS

	mu    sync.Mutex
	calls int
	// fail is asked before each call that changes something, with its number
	// and name: "open", "write", "sync", "truncate", "chmod", "rename",
	// "remove", "syncdir".
	fail func(n int, call string) error
	// short is how many bytes of a write that fails are written.
	short int
	// room, unless it is negative, is how many bytes can be written yet.
	room int
}

func newFaulty(files checkpoint.FS) *faulty { return &faulty{FS: files, room: -1} }

func (f *faulty) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *faulty) ask(call string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.fail == nil {
		return nil
	}
	return f.fail(f.calls, call)
}

func (f *faulty) OpenFile(name string, flag int, perm fs.FileMode) (checkpoint.File, error) {
	if err := f.ask("open"); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file, err := f.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faulty) Rename(oldname, newname string) error {
	if err := f.ask("rename"); err != nil {
		return err
	}
	return f.FS.Rename(oldname, newname)
}

func (f *faulty) Remove(name string) error {
	if err := f.ask("remove"); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

func (f *faulty) SyncDir(name string) error {
	if err := f.ask("syncdir"); err != nil {
		return err
	}
	return f.FS.SyncDir(name)
}

type faultyFile struct {
	checkpoint.File
	fs *faulty
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.ask("write"); err != nil {
		n, _ := f.File.WriteAt(p[:min(f.fs.short, len(p))], off)
		return n, err
	}
	f.fs.mu.Lock()
	room := f.fs.room
	if room >= 0 {
		f.fs.room = max(0, room-len(p))
	}
	f.fs.mu.Unlock()
	if room >= 0 && room < len(p) {
		n, _ := f.File.WriteAt(p[:room], off)
		return n, syscall.ENOSPC
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Sync() error {
	if err := f.fs.ask("sync"); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.fs.ask("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	if err := f.fs.ask("chmod"); err != nil {
		return err
	}
	return f.File.Chmod(mode)
}
