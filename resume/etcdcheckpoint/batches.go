package etcdcheckpoint

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

const (
	// piece is how many bytes of records one key holds: etcd refuses requests
	// over 1.5 MiB (--max-request-bytes).
	piece = 512 << 10
	// maxObject is the largest object, for the same reason: it may not deflate.
	maxObject = 1 << 20
	// maxPiece bounds what is inflated of one key.
	maxPiece = piece + maxObject + 64<<10
	// compactFactor bounds batches at one plus this many times the state.
	compactFactor = 3
	// page is how many batches are read at once.
	page = 8
)

// pack is the value of a batch's key.
func (s *Store) pack(key string, records []byte) (string, error) {
	var small bytes.Buffer
	w, err := flate.NewWriter(&small, flate.BestSpeed)
	if err != nil {
		return "", err
	}
	_, err = w.Write(records)
	if err = errors.Join(err, w.Close()); err != nil || s.o.Encryption == nil {
		return small.String(), err
	}
	sealed, err := s.o.Encryption.Seal(nil, small.Bytes(), []byte(key))
	if err != nil {
		return "", &checkpoint.SealError{Err: err}
	}
	return string(sealed), nil
}

func (s *Store) unpack(key string, value []byte) ([]byte, error) {
	if s.o.Encryption != nil {
		var err error
		if value, err = s.o.Encryption.Open(nil, value, []byte(key)); err != nil {
			return nil, &checkpoint.SealError{Err: err}
		}
	}
	records, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(value)), maxPiece+1))
	if err != nil || len(records) > maxPiece {
		return nil, &FormatError{Key: key}
	}
	return records, nil
}

// pieces cuts a batch into such as fit into a key.
func pieces(b *resume.Batch) ([][]byte, error) {
	if b.Size() <= piece {
		return [][]byte{b.Bytes()}, nil
	}
	var all [][]byte
	var part resume.Batch
	reader := resume.BatchReader{Data: b.Bytes()}
	var r resume.Record
	for {
		more, err := reader.Next(&r)
		if err != nil {
			return nil, err
		}
		if !more {
			return append(all, part.Bytes()), nil
		}
		if len(r.Object) > maxObject {
			return nil, &checkpoint.TooLargeError{Size: int64(len(r.Object)), Limit: maxObject}
		}
		if part.Add(&r); part.Size() >= piece {
			all = append(all, part.Bytes())
			part = resume.Batch{}
		}
	}
}

// fold yields each object once: batches are read from the last to the first, and
// in each batch too the last record of a key counts.
func (s *Store) fold(ctx context.Context, m meta, yield func(resume.Record, error) bool) {
	seen := map[decode.Key]bool{}
	for at := m.Last; at > 0; at -= page {
		kvs, err := s.page(ctx, m, at)
		if err != nil {
			yield(resume.Record{}, err)
			return
		}
		for key, value := range kvs {
			records, err := s.unpack(key, value)
			if err == nil {
				var more bool
				if more, err = foldBatch(records, seen, yield); err == nil && !more {
					return
				}
			}
			if err != nil {
				yield(resume.Record{}, err)
				return
			}
		}
	}
}

// page reads the batches up to at, the last one first. All must be there.
func (s *Store) page(ctx context.Context, m meta, at int) (iter.Seq2[string, []byte], error) {
	watch := m.Identity.Watch
	first := max(1, at-page+1)
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	r, err := s.client.Get(ctx, s.batchKey(watch, m.Generation, first),
		clientv3.WithRange(s.batchKey(watch, m.Generation, at+1)),
		clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
	if err = s.told(err, nil); err != nil {
		return nil, err
	}
	if len(r.Kvs) != at-first+1 {
		return nil, &FormatError{Key: s.batchKey(watch, m.Generation, at)}
	}
	return func(yield func(string, []byte) bool) {
		for _, kv := range r.Kvs {
			if !yield(string(kv.Key), kv.Value) {
				return
			}
		}
	}, nil
}

func foldBatch(records []byte, seen map[decode.Key]bool, yield func(resume.Record, error) bool) (bool, error) {
	last := map[decode.Key]int{}
	n := 0
	each := func(do func(i int, key decode.Key, r *resume.Record) bool) error {
		reader := resume.BatchReader{Data: records}
		var r resume.Record
		for i := 0; ; i++ {
			more, err := reader.Next(&r)
			if !more || err != nil {
				return err
			}
			if !do(i, r.Meta.Identity().Key(), &r) {
				return nil
			}
		}
	}
	err := each(func(i int, key decode.Key, _ *resume.Record) bool {
		last[key] = i
		n++
		return true
	})
	if err != nil {
		return false, err
	}
	more := true
	err = each(func(i int, key decode.Key, r *resume.Record) bool {
		if last[key] == i && !seen[key] {
			seen[key] = true
			more = r.Deleted || yield(*r, nil)
		}
		return more
	})
	return more, err
}

// clean removes all generations of a watch but the one that is held, if it is
// still held, and the one that was set aside.
func (s *Store) clean(ctx context.Context, h *held) error {
	watch := h.meta.Identity.Watch
	kept := []string{h.meta.Generation}
	if aside := h.meta.Aside; aside != "" && aside != h.meta.Generation {
		kept = append(kept, aside)
	}
	slices.Sort(kept)
	var gaps []clientv3.Op
	from := s.folder(watch) + "g"
	end := clientv3.GetPrefixRangeEnd(from)
	for _, generation := range kept {
		folder := s.folder(watch) + generation + "/"
		gaps = append(gaps, clientv3.OpDelete(from, clientv3.WithRange(folder)))
		from = clientv3.GetPrefixRangeEnd(folder)
	}
	gaps = append(gaps, clientv3.OpDelete(from, clientv3.WithRange(end)))
	_, err := s.guarded(ctx, watch, h.revision, gaps...)
	return err
}

// newGeneration is a name that no other one has. All begin with g, and meta and
// aside do not.
func newGeneration() string { return "g" + strings.ToLower(rand.Text()) }
