package etcdcheckpoint

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// Defaults of [Options].
const (
	DefaultPrefix = "/rawwatch/checkpoints"
	// DefaultTimeout bounds each request to etcd.
	DefaultTimeout = 10 * time.Second
	// DefaultCompactFrom is the growth, in bytes, under which compaction is
	// not worth its writes.
	DefaultCompactFrom = 1 << 20
)

// Options configure [New]. The zero value is ready to use.
type Options struct {
	// Prefix is put before all keys; "" is DefaultPrefix. Agents that must not
	// take over each other's watches need different ones.
	Prefix string
	// Timeout bounds each request; 0 is DefaultTimeout.
	Timeout time.Duration
	// CompactFrom is how many bytes batches grow by before they are compacted;
	// 0 is DefaultCompactFrom.
	CompactFrom int64
	// Encryption seals batches; nil stores in the clear.
	Encryption checkpoint.Encryption
	// AllowSecrets allows objects of Secrets in the clear.
	AllowSecrets bool
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
}

// TakenOverError says that another Store has loaded or replaced the watch since
// this one did. Stop, or begin again with Load, which takes it back.
type TakenOverError struct{ Watch string }

// Error names the watch.
func (e *TakenOverError) Error() string {
	return fmt.Sprintf("checkpoint: the watch %s was taken over by another agent: stop this one, or load again", e.Watch)
}

// Store is a [resume.Checkpoint] in etcd. It is safe for concurrent use.
type Store struct {
	client *clientv3.Client
	o      Options
	owner  string

	mu      sync.Mutex
	watches map[string]*held
	closed  bool

	statusMu sync.Mutex
	status   resume.CheckpointStatus
}

var _ resume.Checkpoint = (*Store)(nil)

// held is a watch that this store has taken over.
type held struct {
	meta     meta
	revision int64 // of the key meta, as we wrote it
	lost     bool  // another has taken it over since
	failed   bool  // compaction has, at the size tried
	tried    int64
}

// meta is what a watch is, in the key of that name.
type meta struct {
	Identity        resume.WatchIdentity `json:"identity"`
	ResourceVersion string               `json:"resourceVersion"`
	SavedAt         time.Time            `json:"savedAt"`
	Generation      string               `json:"generation"`
	Last            int                  `json:"last"` // sequence number of the last batch
	Bytes           int64                `json:"bytes"`
	Base            int64                `json:"base"` // Bytes when the generation began
	Owner           string               `json:"owner"`
	Aside           string               `json:"aside,omitempty"` // the generation that was set aside last
}

// New gives a checkpoint in etcd. It sends nothing yet. The client stays the
// caller's, who closes it after the Store.
func New(client *clientv3.Client, o Options) *Store {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	o.Prefix = strings.TrimSuffix(o.Prefix, "/")
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.CompactFrom <= 0 {
		o.CompactFrom = DefaultCompactFrom
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{client: client, o: o, owner: rand.Text(), watches: map[string]*held{}}
	s.status.Since = o.Now()
	return s
}

// folder is where a watch's keys are. Its name is escaped, so that no watch's
// keys are among another's.
func (s *Store) folder(watch string) string { return s.o.Prefix + "/" + url.PathEscape(watch) + "/" }

func (s *Store) metaKey(watch string) string { return s.folder(watch) + "meta" }

func (s *Store) batchKey(watch, generation string, seq int) string {
	return fmt.Sprintf("%s%s/%012d", s.folder(watch), generation, seq)
}

// begin needs mu.
func (s *Store) begin(ctx context.Context) error {
	if s.closed {
		return resume.ErrCheckpointClosed
	}
	return ctx.Err()
}

// told notes how a request ended.
func (s *Store) told(err error, change func(*resume.CheckpointStatus)) error {
	s.statusMu.Lock()
	defer s.statusMu.Unlock()
	health := resume.CheckpointDurable
	if err != nil {
		health = resume.CheckpointDegraded
		err = fmt.Errorf("checkpoint: etcd: %w", err)
	}
	if s.status.Health != health {
		s.status.Health, s.status.Since = health, s.o.Now()
	}
	s.status.Err = err
	if change != nil && err == nil {
		change(&s.status)
	}
	return err
}

// Load implements [resume.Checkpoint]. It takes the watch over.
func (s *Store) Load(ctx context.Context, watch string) (*resume.Saved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	h, err := s.take(ctx, watch)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, resume.ErrNothingSaved
	}
	m := h.meta
	return &resume.Saved{
		Identity: m.Identity, ResourceVersion: m.ResourceVersion, SavedAt: m.SavedAt,
		Objects: func(yield func(resume.Record, error) bool) { s.fold(ctx, m, yield) },
	}, nil
}

// take takes a watch over; it is nil when there is none.
func (s *Store) take(ctx context.Context, watch string) (*held, error) {
	for {
		m, revision, err := s.read(ctx, watch)
		if err != nil {
			return nil, err
		}
		if revision == 0 {
			delete(s.watches, watch)
			return nil, nil
		}
		m.Owner = s.owner
		h := &held{}
		taken, err := s.put(ctx, h, revision, m)
		if err != nil {
			return nil, err
		}
		if taken {
			s.watches[watch] = h
			return h, nil
		}
		// Another was faster: what it wrote is to be taken over then.
	}
}

// read gets the key meta; the revision is 0 when there is none.
func (s *Store) read(ctx context.Context, watch string) (m meta, revision int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	r, err := s.client.Get(ctx, s.metaKey(watch))
	if err = s.told(err, nil); err != nil {
		return m, 0, err
	}
	if len(r.Kvs) == 0 {
		return m, 0, nil
	}
	if err := json.Unmarshal(r.Kvs[0].Value, &m); err != nil || m.Identity.Watch != watch {
		return m, 0, &FormatError{Key: s.metaKey(watch)}
	}
	return m, r.Kvs[0].ModRevision, nil
}

// put puts the key meta, if it is still of that revision, together with ops.
func (s *Store) put(ctx context.Context, h *held, revision int64, m meta, ops ...clientv3.Op) (bool, error) {
	key := s.metaKey(m.Identity.Watch)
	value, err := json.Marshal(m)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	ops = append(ops, clientv3.OpPut(key, string(value)))
	r, err := s.client.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", revision)).
		Then(ops...).
		Commit()
	if err = s.told(err, func(st *resume.CheckpointStatus) { st.Written += written(ops) }); err != nil {
		return false, err
	}
	if r.Succeeded {
		h.meta, h.revision = m, r.Header.Revision
	}
	return r.Succeeded, nil
}

// FormatError says that a key holds what no Store has put there.
type FormatError struct{ Key string }

// Error names the key.
func (e *FormatError) Error() string {
	return fmt.Sprintf("checkpoint: etcd's key %s does not hold a checkpoint: use another prefix, or remove it", e.Key)
}

// find gives a watch that this store holds, or has neither held nor lost yet.
func (s *Store) find(ctx context.Context, watch string) (*held, error) {
	if h := s.watches[watch]; h != nil {
		if h.lost {
			return nil, &TakenOverError{Watch: watch}
		}
		return h, nil
	}
	m, revision, err := s.read(ctx, watch)
	if err != nil {
		return nil, err
	}
	if revision == 0 {
		return nil, resume.ErrNothingSaved
	}
	h := &held{meta: m, revision: revision}
	s.watches[watch] = h
	return h, nil
}

// SetAside implements [resume.Checkpoint]: what the watch is, and the reason, is
// put under the key aside, and the batches of that state are kept beside those of
// the state that takes its place, until the next one is set aside.
func (s *Store) SetAside(ctx context.Context, watch, reason string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	h, err := s.find(ctx, watch)
	if errors.Is(err, resume.ErrNothingSaved) {
		return nil
	}
	if err != nil {
		return err
	}
	for range 2 { // as change does
		done, err := s.copyAside(ctx, h, reason)
		if err != nil {
			return err
		}
		if done {
			_ = s.clean(ctx, h) // what is left of what was set aside before goes with the next
			return nil
		}
	}
	return h.lose()
}

// copyAside puts the key aside, and into the key meta which generation that is
// of.
func (s *Store) copyAside(ctx context.Context, h *held, reason string) (done bool, err error) {
	next := h.meta
	next.Aside, next.Owner = next.Generation, s.owner
	value, err := json.Marshal(struct {
		Reason string `json:"reason"`
		meta
	}{reason, next})
	if err != nil {
		return false, err
	}
	return s.move(ctx, h, next, []clientv3.Op{clientv3.OpPut(s.folder(next.Identity.Watch)+"aside", string(value))})
}

// Status implements [resume.Checkpoint].
func (s *Store) Status() resume.CheckpointStatus {
	s.statusMu.Lock()
	defer s.statusMu.Unlock()
	return s.status
}

// Close implements [resume.Checkpoint]. What was committed is durable already.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		_ = s.told(nil, nil)
		s.statusMu.Lock()
		s.status.Health, s.status.Since = resume.CheckpointClosed, s.o.Now()
		s.statusMu.Unlock()
	}
	return nil
}
