package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// salvage goes on where a file is damaged: from what is before the damage, if
// that is a state, and with a copy of the file set aside; otherwise anew, with
// the file itself set aside.
func (s *Store) salvage(ctx context.Context, m *image, c *contents, damage *FormatError) error {
	set := &SetAsideError{Path: s.path, Err: damage}
	if m.header.baseSize > 0 && c.end >= m.header.baseSize && len(c.watches) > 0 {
		aside, err := s.copyAside(m, damage.Damage)
		if err == nil {
			set.Aside, set.Kept = aside, true
			s.goOn(ctx, m, c)
			s.setAside(set)
			return nil
		}
		s.o.Logger.Log(context.Background(), slog.LevelWarn, "a damaged checkpoint could not be copied, and is renamed", "path", s.path, "error", err)
	}
	_ = m.file.Close()
	s.image.file = nil
	aside, err := s.asideWhole(damage.Damage)
	if err != nil {
		return fileError(s.path, err)
	}
	set.Aside = aside
	if err := s.create(ctx); err != nil {
		return err
	}
	s.setAside(set)
	return nil
}

func (s *Store) setAside(set *SetAsideError) {
	s.o.Logger.Log(context.Background(), slog.LevelWarn, "a checkpoint was set aside", "path", s.path, "aside", set.Aside, "kept", set.Kept, "error", set.Err)
	if !s.degraded() {
		s.health(resume.CheckpointDurable, set)
	}
}

// asideTime is how the names of files set aside have a time in them.
const asideTime = "20060102T150405Z"

// asideName is a name that is not taken.
func (s *Store) asideName(why string) (string, error) {
	name := s.path + "." + why + "-" + s.o.Now().UTC().Format(asideTime)
	for try := range 100 {
		candidate := name
		if try > 0 {
			candidate = fmt.Sprintf("%s-%d", name, try)
		}
		if _, err := s.o.FS.Stat(candidate); errors.Is(err, fs.ErrNotExist) {
			return candidate, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", &os.PathError{Op: "set aside", Path: s.path, Err: fs.ErrExist}
}

func (s *Store) asideWhole(why Damage) (string, error) {
	name, err := s.asideName(why.String())
	if err != nil {
		return "", err
	}
	s.prune()
	return name, s.o.FS.Rename(s.path, name)
}

// copyAside copies, so that at every instant the file itself is there.
func (s *Store) copyAside(m *image, why Damage) (string, error) {
	name, err := s.asideName(why.String())
	if err != nil {
		return "", err
	}
	s.prune()
	f, err := s.o.FS.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(io.NewOffsetWriter(f, 0), io.NewSectionReader(m, 0, m.size()))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = s.o.FS.Remove(name)
	}
	return name, err
}

// asideReasons are what the names of files set aside may have in them.
var asideReasons = []string{Foreign.String(), OtherVersion.String(), Truncated.String(), Corrupt.String(), "watch"}

// prune removes the oldest files set aside, so that with the next one there
// are no more than MaxAside.
func (s *Store) prune() {
	entries, err := s.o.FS.ReadDir(directory(s.path))
	if err != nil {
		return
	}
	var files setAside
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(s.path)+".")
		reason, _, dated := strings.Cut(rest, "-")
		if !ours || !dated || !slices.Contains(asideReasons, reason) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, asideFile{e.Name(), info.ModTime()})
		}
	}
	sort.Sort(files)
	for len(files) >= MaxAside {
		_ = s.o.FS.Remove(filepath.Join(directory(s.path), files[0].name))
		files = files[1:]
	}
}

// setAside are the files that were set aside, by age once sorted.
type setAside []asideFile

type asideFile struct {
	name string
	at   time.Time
}

func (s setAside) Len() int           { return len(s) }
func (s setAside) Less(i, j int) bool { return s[i].at.Before(s[j].at) }
func (s setAside) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// SetAside implements [resume.Checkpoint]: the copy is a file of its own, which
// [Show] reads. That it could not be made is in the log and is no error, as of a
// medium that fails, or a state that cannot be read back: what is to follow has
// to be saved all the same.
func (s *Store) SetAside(ctx context.Context, name, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.find(name)
	if errors.Is(err, resume.ErrNothingSaved) {
		return nil
	}
	if err != nil {
		return err
	}
	var aside string
	if s.lock != nil {
		aside, err = s.exportAside(ctx, w, reason)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.o.Logger.Log(context.Background(), slog.LevelWarn, "a watch's checkpoint was set aside", "path", s.path, "watch", name, "aside", aside, "reason", reason, "error", err)
	return nil
}

// exportAside names the file after the state, so that the same state is copied
// once, in however many processes. It gets this name when it is whole.
func (s *Store) exportAside(ctx context.Context, w *watch, reason string) (string, error) {
	sum := crc32.Checksum(appendBase(nil, FormatCurrent, 0, w.id, w.version, w.at), castagnoli)
	name := s.path + ".watch-" + w.at.UTC().Format(asideTime) + "-" + strconv.FormatUint(uint64(sum), 16)
	if _, err := s.o.FS.Stat(name); err == nil {
		return name, nil
	}
	f, _, err := s.writeFile(s.path+newSuffix, func(write func(int64, []byte) error) (header, error) {
		snap := newSnapshot(newHeader(s.o.Now()), s.o.Encryption, write)
		if _, err := snap.watch(ctx, w, &s.image); err != nil {
			return header{}, err
		}
		err := snap.note(w.id.String() + " was set aside: " + reason)
		return snap.finish(), err
	})
	if err != nil {
		return "", err
	}
	if err = f.Close(); err == nil {
		s.prune()
		err = s.o.FS.Rename(s.path+newSuffix, name)
	}
	if err != nil {
		_ = s.o.FS.Remove(s.path + newSuffix)
		return "", err
	}
	return name, nil
}
