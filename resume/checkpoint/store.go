package checkpoint

import (
	"context"
	"iter"
	"path/filepath"
	"sync"

	"github.com/rawwatch/rawwatch/resume"
)

// Store is a [resume.Checkpoint] in one file. It is safe for concurrent use.
// It keeps nothing of the objects in memory.
//
// A medium that fails does not make its methods fail: the store is then
// Degraded, keeps in memory what it cannot write, and writes it when the medium
// works again. See [Store.Status].
type Store struct {
	path string
	o    Options
	lock interface{ Close() error } // nil without one

	// mu guards what follows, and is held during I/O.
	mu       sync.Mutex
	image    image
	contents *contents
	packer   packer
	frame    []byte
	closed   bool
	// base is how large the image was when it was made, or the tail when it
	// was last folded; what it has grown since decides on compaction.
	base      int64
	notBefore int64 // no compaction before this size, since one has failed
	replacing int   // Replace calls under way, whose parts belong to no watch yet
	readers   int   // loops over Objects under way
	unsynced  bool
	// suspect says that the file is not, or may not be, what the image says:
	// it has to be written anew.
	suspect bool
	// resigned says that there is no medium, and will be none.
	resigned bool

	// statusMu guards status alone, so that Status does not wait for I/O.
	statusMu sync.Mutex
	status   resume.CheckpointStatus

	kick    chan struct{} // something is to be synced or retried
	stop    chan struct{}
	stopped chan struct{}
}

var _ resume.Noter = (*Store)(nil)

// Load implements [resume.Checkpoint].
func (s *Store) Load(ctx context.Context, name string) (*resume.Saved, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return &resume.Saved{
		Identity: w.id, ResourceVersion: w.version, SavedAt: w.at,
		Objects: func(yield func(resume.Record, error) bool) { s.objects(ctx, name, yield) },
	}, nil
}

// find needs mu.
func (s *Store) find(name string) (*watch, error) {
	if s.closed {
		return nil, resume.ErrCheckpointClosed
	}
	w := s.contents.watches[name]
	if w == nil {
		return nil, resume.ErrNothingSaved
	}
	return w, nil
}

// objects keeps the image from being replaced while it is read.
func (s *Store) objects(ctx context.Context, name string, yield func(resume.Record, error) bool) {
	s.mu.Lock()
	w, err := s.find(name)
	var frames []frameRef
	if err == nil {
		frames, err = framesOf(&s.image, w.gen)
	}
	if err != nil {
		s.mu.Unlock()
		yield(resume.Record{}, err)
		return
	}
	now := s.image
	s.readers++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.readers--
		s.mu.Unlock()
	}()
	for r, err := range fold(ctx, &now, frames, s.o.Encryption) {
		if !yield(r, err) {
			return
		}
	}
}

// Commit implements [resume.Checkpoint]. It now and then compacts the file,
// which takes as long as writing the whole state.
func (s *Store) Commit(ctx context.Context, name string, b *resume.Batch, resourceVersion string) error {
	if b == nil {
		b = new(resume.Batch)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, err := s.commit(ctx, name, b, resourceVersion)
	if err != nil || !changed {
		return err
	}
	s.done(ctx, b.Payload()+int64(len(resourceVersion)))
	return nil
}

// Note implements [resume.Noter]. It may compact the file, too.
func (s *Store) Note(ctx context.Context, name string, b *resume.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, err := s.commit(ctx, name, b, "")
	if err != nil || !changed {
		return err
	}
	s.settle(ctx)
	return nil
}

// commit writes a batch; false when there is nothing in it. It needs mu.
func (s *Store) commit(ctx context.Context, name string, b *resume.Batch, resourceVersion string) (changed bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := checkBatch(b); err != nil {
		return false, err
	}
	w, err := s.find(name)
	if err != nil {
		return false, err
	}
	if b.Objects() > 0 {
		if err := s.checkSecrets(w.id); err != nil {
			return false, err
		}
	}
	if b.Len() == 0 && (resourceVersion == "" || resourceVersion == w.version) {
		return false, nil
	}
	now := s.o.Now()
	frame, err := s.packer.commitFrame(s.frame[:0], &s.image, w.gen, resourceVersion, now, b.Bytes())
	if err != nil {
		return false, err
	}
	s.write(frame)
	if w.at = now; resourceVersion != "" {
		w.version = resourceVersion
	}
	w.commits++
	return true, nil
}

func (s *Store) checkSecrets(id resume.WatchIdentity) error {
	if id.Sensitive() && s.o.Encryption == nil && !s.o.AllowSecrets {
		return &SecretsError{Identity: id}
	}
	return nil
}

// done follows each change of a state. It needs mu.
func (s *Store) done(ctx context.Context, payload int64) {
	if s.o.Sync == SyncAlways {
		s.sync()
	}
	s.settle(ctx)
	s.tell(func(st *resume.CheckpointStatus) {
		st.Commits++
		st.Payload += payload
	})
}

// settle does what a write makes due: now, or soon. It needs mu.
func (s *Store) settle(ctx context.Context) {
	s.compactIfLarge(ctx)
	if s.unsynced && s.o.Sync == SyncInterval || s.degraded() {
		select {
		case s.kick <- struct{}{}:
		default:
		}
	}
}

// Replace implements [resume.Checkpoint]. Other watches may commit meanwhile.
func (s *Store) Replace(ctx context.Context, id resume.WatchIdentity, resourceVersion string, objects iter.Seq2[resume.Record, error]) error {
	if err := id.Check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r := replacement{store: s, id: id}
	if err := r.begin(); err != nil {
		return err
	}
	defer r.end()
	for record, err := range objects {
		if err == nil {
			err = r.add(ctx, &record)
		}
		if err != nil {
			return err
		}
	}
	return r.commit(ctx, resourceVersion)
}

// Status implements [resume.Checkpoint].
func (s *Store) Status() resume.CheckpointStatus {
	s.statusMu.Lock()
	defer s.statusMu.Unlock()
	return s.status
}

// Path is the file's name, symbolic links followed; "" in memory.
func (s *Store) Path() string { return s.path }

func (s *Store) tell(change func(*resume.CheckpointStatus)) {
	s.statusMu.Lock()
	defer s.statusMu.Unlock()
	s.status.Size, s.status.Unwritten = s.image.end, 0
	if s.image.file == nil || s.resigned {
		s.status.Size = 0
	}
	if s.degraded() {
		s.status.Unwritten = int64(len(s.image.tail))
	}
	change(&s.status)
}

// health sets how the store is, and since when.
func (s *Store) health(h resume.CheckpointHealth, err error) {
	s.tell(func(st *resume.CheckpointStatus) {
		if st.Health != h || st.Since.IsZero() {
			st.Health, st.Since = h, s.o.Now()
		}
		st.Err = err
	})
}

// degraded reports that the image is not all in the file, though it should be.
func (s *Store) degraded() bool {
	return !s.resigned && (s.suspect || len(s.image.tail) > 0)
}

func directory(path string) string { return filepath.Dir(path) }
