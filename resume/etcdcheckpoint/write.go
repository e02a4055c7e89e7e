package etcdcheckpoint

import (
	"context"
	"iter"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

// Commit implements [resume.Checkpoint]. See the package about its errors.
func (s *Store) Commit(ctx context.Context, watch string, b *resume.Batch, resourceVersion string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	h, err := s.find(ctx, watch)
	if err != nil {
		return err
	}
	if b == nil {
		b = new(resume.Batch)
	}
	if b.Objects() > 0 {
		if err := s.checkSecrets(h.meta.Identity); err != nil {
			return err
		}
	}
	if b.Len() == 0 && (resourceVersion == "" || resourceVersion == h.meta.ResourceVersion) {
		return nil
	}
	if err := s.change(ctx, h, b, resourceVersion); err != nil {
		return err
	}
	_ = s.told(nil, func(st *resume.CheckpointStatus) {
		st.Commits++
		st.Payload += b.Payload() + int64(len(resourceVersion))
		st.Size = h.meta.Bytes
	})
	s.compactIfLarge(ctx, h)
	return nil
}

func (s *Store) checkSecrets(id resume.WatchIdentity) error {
	if id.Sensitive() && s.o.Encryption == nil && !s.o.AllowSecrets {
		return &checkpoint.SecretsError{Identity: id}
	}
	return nil
}

// change commits a batch. A request of ours that timed out may have come through
// all the same: then the change is made once more, on top of it.
func (s *Store) change(ctx context.Context, h *held, b *resume.Batch, resourceVersion string) error {
	for range 2 {
		next := h.meta
		next.SavedAt, next.Owner = s.o.Now(), s.owner
		if resourceVersion != "" {
			next.ResourceVersion = resourceVersion
		}
		puts, err := s.stage(&next, b)
		if err != nil {
			return err
		}
		moved, err := s.move(ctx, h, next, puts)
		if moved || err != nil {
			return err
		}
	}
	return h.lose()
}

// lose notes that the watch is another's.
func (h *held) lose() error {
	h.lost = true
	return &TakenOverError{Watch: h.meta.Identity.Watch}
}

// stage counts a batch in, and gives the puts that it takes.
func (s *Store) stage(next *meta, b *resume.Batch) ([]clientv3.Op, error) {
	parts, err := pieces(b)
	if err != nil {
		return nil, err
	}
	var puts []clientv3.Op
	for _, records := range parts {
		if len(records) == 0 {
			continue
		}
		key := s.batchKey(next.Identity.Watch, next.Generation, next.Last+1)
		value, err := s.pack(key, records)
		if err != nil {
			return nil, err
		}
		next.Last++
		next.Bytes += int64(len(value))
		puts = append(puts, clientv3.OpPut(key, value))
	}
	return puts, nil
}

// move makes next the meta of a watch that is held, with the last of puts; the
// others go before it. moved is false when what is in etcd is a later change of
// ours, which h is then of.
func (s *Store) move(ctx context.Context, h *held, next meta, puts []clientv3.Op) (moved bool, err error) {
	moved = true
	for len(puts) > 1 && moved && err == nil {
		moved, err = s.guarded(ctx, next.Identity.Watch, h.revision, puts[0])
		puts = puts[1:]
	}
	if moved && err == nil {
		moved, err = s.put(ctx, h, h.revision, next, puts...)
	}
	if moved || err != nil {
		return moved, err
	}
	m, revision, err := s.read(ctx, next.Identity.Watch)
	if err != nil {
		return false, err
	}
	if revision == 0 || m.Owner != s.owner {
		return false, h.lose()
	}
	h.meta, h.revision = m, revision
	return false, nil
}

// guarded does something as long as the key meta is of that revision: nothing of
// what another agent wrote is touched.
func (s *Store) guarded(ctx context.Context, watch string, revision int64, ops ...clientv3.Op) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	r, err := s.client.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(s.metaKey(watch)), "=", revision)).
		Then(ops...).
		Commit()
	written := written(ops)
	if err = s.told(err, func(st *resume.CheckpointStatus) { st.Written += written }); err != nil {
		return false, err
	}
	return r.Succeeded, nil
}

func written(ops []clientv3.Op) (n int64) {
	for _, op := range ops {
		n += int64(len(op.ValueBytes()))
	}
	return n
}

// Replace implements [resume.Checkpoint]. It takes the watch over before it reads
// the first object.
func (s *Store) Replace(ctx context.Context, id resume.WatchIdentity, resourceVersion string, objects iter.Seq2[resume.Record, error]) error {
	if err := id.Check(); err != nil {
		return err
	}
	h, err := s.takeOver(ctx, id)
	if err != nil {
		return err
	}
	next := meta{Identity: id, ResourceVersion: resourceVersion, Generation: newGeneration(), Owner: s.owner, Aside: h.meta.Aside}
	payload, err := s.fill(ctx, &next, objects)
	if err == nil {
		err = s.replaced(ctx, h, next, payload)
	}
	if err != nil {
		s.drop(id.Watch, next.Generation)
	}
	return err
}

func (s *Store) takeOver(ctx context.Context, id resume.WatchIdentity) (*held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	h, err := s.take(ctx, id.Watch)
	if err == nil && h == nil {
		h = &held{meta: meta{Identity: id}} // of a key that is not there: revision 0
	}
	return h, err
}

// replaced makes a generation that is complete the state.
func (s *Store) replaced(ctx context.Context, h *held, next meta, payload int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	next.SavedAt = s.o.Now()
	moved, err := s.put(ctx, h, h.revision, next)
	if err != nil {
		return err
	}
	if !moved {
		return h.lose()
	}
	s.watches[next.Identity.Watch] = h
	_ = s.told(nil, func(st *resume.CheckpointStatus) {
		st.Commits++
		st.Payload += payload
		st.Size = next.Bytes
	})
	// What is left of older generations does no harm, and goes with the next.
	_ = s.clean(ctx, h)
	return nil
}

// drop removes a generation that came to nothing. What is left of it when etcd
// does not answer goes with the next that is complete.
func (s *Store) drop(watch, generation string) {
	ctx, cancel := context.WithTimeout(context.Background(), s.o.Timeout)
	defer cancel()
	m, _, err := s.read(ctx, watch)
	if err == nil && m.Generation != generation { // it may have come through
		_, _ = s.client.Delete(ctx, s.folder(watch)+generation+"/", clientv3.WithPrefix())
	}
}

// fill puts a whole state as the generation of next.
func (s *Store) fill(ctx context.Context, next *meta, objects iter.Seq2[resume.Record, error]) (payload int64, err error) {
	var b resume.Batch
	for r, err := range objects {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && r.Object != nil {
			err = s.checkSecrets(next.Identity)
		}
		if err == nil && len(r.Object) > maxObject {
			err = &checkpoint.TooLargeError{Size: int64(len(r.Object)), Limit: maxObject}
		}
		if err != nil {
			return payload, err
		}
		payload += int64(len(r.Meta.Namespace) + len(r.Meta.Name) + len(r.Meta.UID) + len(r.Meta.ResourceVersion) + len(r.Object))
		if b.Add(&r); b.Size() < piece {
			continue
		}
		if err := s.putAll(ctx, next, &b); err != nil {
			return payload, err
		}
	}
	err = s.putAll(ctx, next, &b)
	next.Base = next.Bytes
	return payload, err
}

// putAll puts a batch of a generation that nobody else knows of.
func (s *Store) putAll(ctx context.Context, next *meta, b *resume.Batch) error {
	puts, err := s.stage(next, b)
	b.Reset()
	for _, put := range puts {
		if err == nil {
			err = s.putBatch(ctx, put)
		}
	}
	return err
}

func (s *Store) putBatch(ctx context.Context, put clientv3.Op) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	_, err := s.client.Do(ctx, put)
	return s.told(err, func(st *resume.CheckpointStatus) { st.Written += int64(len(put.ValueBytes())) })
}

// compactIfLarge puts the state as a new generation. A failure is none of the
// caller's, and is tried again after as much growth.
func (s *Store) compactIfLarge(ctx context.Context, h *held) {
	grown := h.meta.Bytes - h.meta.Base
	if grown <= max(s.o.CompactFrom, compactFactor*h.meta.Base) || h.failed && h.meta.Bytes < h.tried+s.o.CompactFrom {
		return
	}
	next := h.meta
	next.Generation, next.Last, next.Bytes = newGeneration(), 0, 0
	state := func(yield func(resume.Record, error) bool) { s.fold(ctx, h.meta, yield) }
	_, err := s.fill(ctx, &next, state)
	moved := false
	if err == nil {
		moved, err = s.put(ctx, h, h.revision, next)
	}
	if err != nil || !moved {
		s.drop(next.Identity.Watch, next.Generation)
	} else {
		_ = s.clean(ctx, h) // what is left goes with the next
	}
	h.failed, h.tried = !moved, h.meta.Bytes
	if moved {
		_ = s.told(nil, func(st *resume.CheckpointStatus) {
			st.Compactions++
			st.Size = next.Bytes
		})
	}
}
