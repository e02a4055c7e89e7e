// Package checkpointtest helps to test with checkpoints: one in memory whose
// failures a test chooses, and the suite that every [resume.Checkpoint] has to
// pass.
package checkpointtest

import (
	"context"
	"iter"
	"maps"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// Memory is a checkpoint that lasts as long as the value: a test's restart is
// [Memory.Reopen]. The zero value is empty and ready to use. Its fields are
// set before first use.
type Memory struct {
	// Fail is asked before each operation, which is "load", "commit", "note",
	// "replace" or "setaside"; its error is returned and nothing is changed.
	// nil never fails.
	Fail func(operation, watch string) error
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time

	mu      sync.Mutex
	watches map[string]saved
	aside   []Aside
	status  resume.CheckpointStatus
	closed  bool
}

var _ resume.Noter = (*Memory)(nil)

// saved is one watch. The map is never changed once it is here, so that readers
// need no lock.
type saved struct {
	id      resume.WatchIdentity
	version string
	at      time.Time
	objects map[decode.Key]object
	aside   bool // this state was set aside
}

type object struct {
	uid, version string
	bytes        []byte
}

// Aside is what was set aside, and why.
type Aside struct {
	Identity        resume.WatchIdentity
	ResourceVersion string
	Objects         int
	Reason          string
}

func (m *Memory) begin(ctx context.Context, operation, watch string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	closed := m.closed
	m.mu.Unlock()
	if closed {
		return resume.ErrCheckpointClosed
	}
	if m.Fail != nil {
		return m.Fail(operation, watch)
	}
	return nil
}

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// Load implements [resume.Checkpoint].
func (m *Memory) Load(ctx context.Context, watch string) (*resume.Saved, error) {
	if err := m.begin(ctx, "load", watch); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w, ok := m.watches[watch]
	if !ok {
		return nil, resume.ErrNothingSaved
	}
	return &resume.Saved{Identity: w.id, ResourceVersion: w.version, SavedAt: w.at, Objects: w.all()}, nil
}

func (w saved) all() iter.Seq2[resume.Record, error] {
	return func(yield func(resume.Record, error) bool) {
		for key, o := range w.objects {
			r := resume.Record{Object: o.bytes, Meta: decode.Meta{
				Namespace: []byte(key.Namespace), Name: []byte(key.Name),
				UID: []byte(o.uid), ResourceVersion: []byte(o.version),
			}}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Commit implements [resume.Checkpoint].
func (m *Memory) Commit(ctx context.Context, watch string, b *resume.Batch, resourceVersion string) error {
	if err := m.begin(ctx, "commit", watch); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.commit(watch, b, resourceVersion); err != nil {
		return err
	}
	if b != nil {
		m.status.Payload += b.Payload()
	}
	m.status.Commits++
	return nil
}

// Note implements [resume.Noter].
func (m *Memory) Note(ctx context.Context, watch string, b *resume.Batch) error {
	if err := m.begin(ctx, "note", watch); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.commit(watch, b, "")
}

// commit needs mu.
func (m *Memory) commit(watch string, b *resume.Batch, resourceVersion string) error {
	w, ok := m.watches[watch]
	if !ok {
		return resume.ErrNothingSaved
	}
	if b != nil && b.Len() > 0 {
		w.objects = maps.Clone(w.objects)
		if err := apply(w.objects, b.Bytes()); err != nil {
			return err
		}
	}
	if resourceVersion != "" {
		w.version = resourceVersion
	}
	w.at, w.aside = m.now(), false
	m.watches[watch] = w
	return nil
}

func apply(objects map[decode.Key]object, batch []byte) error {
	reader := resume.BatchReader{Data: batch}
	var r resume.Record
	for {
		more, err := reader.Next(&r)
		if !more || err != nil {
			return err
		}
		set(objects, &r)
	}
}

func set(objects map[decode.Key]object, r *resume.Record) {
	id := r.Meta.Identity()
	if r.Deleted {
		delete(objects, id.Key())
		return
	}
	objects[id.Key()] = object{uid: id.UID, version: id.ResourceVersion, bytes: clone(r.Object)}
}

// clone keeps nil and empty apart.
func clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}

// Replace implements [resume.Checkpoint].
func (m *Memory) Replace(ctx context.Context, id resume.WatchIdentity, resourceVersion string, objects iter.Seq2[resume.Record, error]) error {
	if err := id.Check(); err != nil {
		return err
	}
	if err := m.begin(ctx, "replace", id.Watch); err != nil {
		return err
	}
	all := make(map[decode.Key]object)
	for r, err := range objects {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		set(all, &r)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watches == nil {
		m.watches = make(map[string]saved)
	}
	m.watches[id.Watch] = saved{id: id, version: resourceVersion, at: m.now(), objects: all}
	m.status.Commits++
	return nil
}

// SetAside implements [resume.Checkpoint]; see [Memory.Asides].
func (m *Memory) SetAside(ctx context.Context, watch, reason string) error {
	if err := m.begin(ctx, "setaside", watch); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if w, ok := m.watches[watch]; ok && !w.aside {
		m.aside = append(m.aside, Aside{w.id, w.version, len(w.objects), reason})
		w.aside = true
		m.watches[watch] = w
	}
	return nil
}

// Asides are all states that were set aside, each once, in order.
func (m *Memory) Asides() []Aside {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Aside(nil), m.aside...)
}

// Status implements [resume.Checkpoint].
func (m *Memory) Status() resume.CheckpointStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.status
	s.Health = resume.CheckpointMemoryOnly
	if m.closed {
		s.Health = resume.CheckpointClosed
	}
	return s
}

// Close implements [resume.Checkpoint]. What is kept stays, for Reopen.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// Reopen is what the next process finds: everything committed so far. m itself
// is closed by it.
func (m *Memory) Reopen() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return &Memory{Fail: m.Fail, Now: m.Now, watches: maps.Clone(m.watches), aside: m.aside}
}
