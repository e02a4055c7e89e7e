package checkpoint

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

// Report is what a file holds.
type Report struct {
	Path   string    `json:"path"`
	Format int       `json:"format"`
	MadeAt time.Time `json:"madeAt"` // when the file was written anew last
	Size   int64     `json:"size"`   // in bytes
	Frames int       `json:"frames"`
	// Torn is how many bytes at the end are of a write that was cut off. They
	// are no damage: the next Open removes them.
	Torn int64 `json:"torn,omitempty"`
	// Damage is what is wrong with the file; "" for nothing. What is before it
	// is reported.
	Damage string `json:"damage,omitempty"`
	// Notes are left for people: why a watch was set aside.
	Notes   []string      `json:"notes,omitempty"`
	Watches []WatchReport `json:"watches"`

	err error
}

// WatchReport is what a file holds of one watch.
type WatchReport struct {
	Identity        resume.WatchIdentity `json:"identity"`
	ResourceVersion string               `json:"resourceVersion"`
	SavedAt         time.Time            `json:"savedAt"`
	// Objects are the keys known; WithBytes of them have their object's bytes,
	// ObjectBytes together. All are -1 when the records are sealed and no
	// encryption was given.
	Objects     int   `json:"objects"`
	WithBytes   int   `json:"withBytes"`
	ObjectBytes int64 `json:"objectBytes"`
	// Commits are those since the file was written anew, Stored what the
	// watch's records take in the file, superseded ones included.
	Commits int   `json:"commits"`
	Stored  int64 `json:"stored"`
	Sealed  bool  `json:"sealed,omitempty"`

	gen    uint64
	frames []frameRef
}

// Show reads a file, also one that is in use, and reports what is in it. It
// changes nothing. encryption may be nil. The error is a [*FileError]; damage
// is in the report.
func Show(ctx context.Context, path string, encryption Encryption) (*Report, error) {
	r := &Report{Path: path}
	m, c, err := readImage(OS, path)
	if err == nil {
		defer func() { _ = m.file.Close() }()
		err = m.damage(c.end)
	}
	var damage *FormatError
	if err != nil && !errors.As(err, &damage) {
		var file *FileError
		if errors.As(err, &file) {
			return nil, err
		}
		return nil, fileError(path, err)
	}
	if damage != nil {
		r.err, r.Damage = damage, damage.Error()
	}
	if m == nil {
		return r, nil // not even a header, or a frame that makes no sense
	}
	return r, r.fill(ctx, m, c, encryption)
}

func (r *Report) fill(ctx context.Context, m *image, c *contents, encryption Encryption) error {
	r.Format, r.MadeAt, r.Size = m.header.format, m.header.madeAt, m.size()
	r.Frames, r.Notes = c.frames, c.notes
	if r.err == nil {
		r.Torn = m.size() - c.end
	}
	r.Watches = []WatchReport{}
	for _, w := range c.sorted() {
		r.Watches = append(r.Watches, WatchReport{Identity: w.id, ResourceVersion: w.version, SavedAt: w.at, Commits: w.commits, gen: w.gen})
	}
	if _, err := scan(m, r.frame); err != nil {
		return fileError(r.Path, err)
	}
	for i := range r.Watches {
		if err := r.Watches[i].count(ctx, m, encryption); err != nil {
			var damage *FormatError
			if !errors.As(err, &damage) {
				return err
			}
			r.err, r.Damage = damage, damage.Error()
		}
	}
	return nil
}

func (r *Report) frame(ref frameRef, f *body) {
	i := slices.IndexFunc(r.Watches, func(w WatchReport) bool { return w.gen == f.gen })
	if i < 0 || !f.hasRecords() {
		return
	}
	w := &r.Watches[i]
	w.Stored += int64(ref.length) + frameHead
	w.Sealed = w.Sealed || f.flags&flagSealed != 0
	w.frames = append(w.frames, ref)
}

func (w *WatchReport) count(ctx context.Context, m *image, encryption Encryption) error {
	if w.Sealed && encryption == nil {
		w.Objects, w.WithBytes, w.ObjectBytes = -1, -1, -1
		return nil
	}
	for record, err := range fold(ctx, m, w.frames, encryption) {
		if err != nil {
			return err
		}
		w.Objects++
		if record.Object != nil {
			w.WithBytes++
			w.ObjectBytes += int64(len(record.Object))
		}
	}
	return nil
}

// Verify is Show, and an error when the file is damaged: a [*FormatError].
// Every checksum is checked and every record read, but for those that are
// sealed when encryption is nil. The report is nil only when the file could not
// be read.
func Verify(ctx context.Context, path string, encryption Encryption) (*Report, error) {
	r, err := Show(ctx, path, encryption)
	if err == nil {
		err = r.err
	}
	return r, err
}

// Compact rewrites a file without what is superseded, and gives its sizes in
// bytes. It refuses a damaged file with a [*FormatError], and one in use with a
// [*LockedError]. Sealed records need their encryption.
func Compact(ctx context.Context, path string, encryption Encryption) (before, after int64, err error) {
	r, err := Verify(ctx, path, encryption)
	if err != nil {
		return 0, 0, err
	}
	s, err := Open(ctx, path, Options{LockWait: -1, Encryption: encryption})
	if err != nil {
		return r.Size, r.Size, err
	}
	s.mu.Lock()
	err = s.rewrite(ctx)
	after = s.image.end
	s.mu.Unlock()
	if err = errors.Join(err, s.Close()); err != nil {
		err = fileError(path, err)
	}
	return r.Size, after, err
}
