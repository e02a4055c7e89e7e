package checkpoint_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// memFS is a file system in memory that can lose power: what was not synced is
// gone then, names included.
type memFS struct {
	mu     sync.Mutex
	names  map[string]*memFile
	synced map[string]*memFile
	locked map[string]bool
}

func newMemFS() *memFS {
	return &memFS{names: map[string]*memFile{}, synced: map[string]*memFile{}, locked: map[string]bool{}}
}

type memFile struct {
	fs           *memFS
	data, synced []byte
	mode         fs.FileMode
}

// powerLoss is what is there when the machine is up again. kept says of each
// file how many of its unsynced bytes came to the disk all the same.
func (m *memFS) powerLoss(kept func(unsynced int) int) *memFS {
	m.mu.Lock()
	defer m.mu.Unlock()
	after := newMemFS()
	for name, f := range m.synced {
		data := bytes.Clone(f.synced)
		if more := len(f.data) - len(data); more > 0 && bytes.HasPrefix(f.data, data) {
			data = append(data, f.data[len(data):len(data)+kept(more)]...)
		}
		g := &memFile{fs: after, data: data, synced: data, mode: f.mode}
		after.names[name], after.synced[name] = g, g
	}
	return after
}

func (m *memFS) put(name string, content []byte) {
	f := &memFile{fs: m, data: bytes.Clone(content), synced: bytes.Clone(content), mode: 0o600}
	m.names[name], m.synced[name] = f, f
}

func (m *memFS) get(name string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.names[name]
	if f == nil {
		return nil, false
	}
	return bytes.Clone(f.data), true
}

func (m *memFS) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.names[name]
	if f == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return memInfo{filepath.Base(name), int64(len(f.data)), f.mode}, nil
}

func (m *memFS) OpenFile(name string, flag int, perm fs.FileMode) (checkpoint.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.names[name]
	switch {
	case f == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case f == nil:
		f = &memFile{fs: m, mode: perm}
		m.names[name] = f
	case flag&os.O_TRUNC != 0:
		f.data = nil
	}
	return f, nil
}

func (m *memFS) Rename(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.names[oldname]
	if f == nil {
		return &fs.PathError{Op: "rename", Path: oldname, Err: fs.ErrNotExist}
	}
	delete(m.names, oldname)
	m.names[newname] = f
	return nil
}

func (m *memFS) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.names, name)
	return nil
}

func (m *memFS) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var entries []fs.DirEntry
	for full, f := range m.names {
		if filepath.Dir(full) == name {
			entries = append(entries, fs.FileInfoToDirEntry(memInfo{filepath.Base(full), int64(len(f.data)), f.mode}))
		}
	}
	return entries, nil
}

func (m *memFS) SyncDir(string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.synced = map[string]*memFile{}
	for name, f := range m.names {
		m.synced[name] = f
	}
	return nil
}

type memLock struct {
	fs   *memFS
	name string
}

func (l memLock) Close() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	delete(l.fs.locked, l.name)
	return nil
}

func (m *memFS) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locked[name] {
		return nil, &checkpoint.LockedError{Path: name}
	}
	m.locked[name] = true
	return memLock{m, name}, nil
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if grow := off + int64(len(p)) - int64(len(f.data)); grow > 0 {
		f.data = append(f.data, make([]byte, grow)...)
	}
	return copy(f.data[off:], p), nil
}

func (f *memFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.synced = bytes.Clone(f.data)
	return nil
}

func (f *memFile) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.data = f.data[:size]
	return nil
}

func (f *memFile) Stat() (fs.FileInfo, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return memInfo{"", int64(len(f.data)), f.mode}, nil
}

func (f *memFile) Chmod(mode fs.FileMode) error { f.mode = mode; return nil }
func (f *memFile) Close() error                 { return nil }

type memInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return i.mode }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return false }
func (i memInfo) Sys() any           { return nil }
