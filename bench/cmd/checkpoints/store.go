package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"go.etcd.io/bbolt"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// store is what is compared.
type store interface {
	fill(pods int) error
	commit(b *resume.Batch, version string) error
	// all calls seen for each object.
	all(seen func(namespace, name, value []byte)) (version string, err error)
	close() error
}

func openStore(name, path string) (store, error) {
	if name == "log" {
		s, err := checkpoint.Open(context.Background(), path, checkpoint.Options{LockWait: -1})
		return logStore{s}, err
	}
	// As an agent would set it up: one sync for each commit, no list of free
	// pages on disk.
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: true})
	return &boltStore{db: db, deflate: name == "bbolt-deflated"}, err
}

type logStore struct{ s *checkpoint.Store }

func (l logStore) fill(pods int) error {
	return l.s.Replace(context.Background(), checkpointtest.PodsIdentity("pods"), "1", checkpointtest.Pods(pods))
}

func (l logStore) commit(b *resume.Batch, version string) error {
	return l.s.Commit(context.Background(), "pods", b, version)
}

func (l logStore) all(seen func(namespace, name, value []byte)) (string, error) {
	saved, err := l.s.Load(context.Background(), "pods")
	if errors.Is(err, resume.ErrNothingSaved) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for r, err := range saved.Objects {
		if err != nil {
			return "", err
		}
		seen(r.Meta.Namespace, r.Meta.Name, r.Object)
	}
	return saved.ResourceVersion, nil
}

func (l logStore) close() error { return l.s.Close() }

// boltStore has one key per object: its value is uid, version and object.
type boltStore struct {
	db      *bbolt.DB
	deflate bool
}

var bucket, versionKey = []byte("pods"), []byte("\xffversion")

func (b *boltStore) fill(pods int) error {
	var batch resume.Batch
	for r := range checkpointtest.Pods(pods) {
		if batch.Add(&r); batch.Len() == 1000 {
			if err := b.commit(&batch, "1"); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	return b.commit(&batch, "1")
}

func (b *boltStore) commit(batch *resume.Batch, version string) error {
	return b.db.Update(func(tx *bbolt.Tx) error {
		pods, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		reader := resume.BatchReader{Data: batch.Bytes()}
		var r resume.Record
		for {
			more, err := reader.Next(&r)
			if err != nil {
				return err
			}
			if !more {
				return pods.Put(versionKey, []byte(version))
			}
			value := bytes.Join([][]byte{r.Meta.UID, r.Meta.ResourceVersion, r.Object}, []byte{0})
			if b.deflate {
				var small bytes.Buffer
				if err := flate.StatelessDeflate(&small, value, true, nil); err != nil {
					return err
				}
				value = small.Bytes()
			}
			if err := pods.Put(fmt.Appendf(nil, "%s/%s", r.Meta.Namespace, r.Meta.Name), value); err != nil {
				return err
			}
		}
	})
}

func (b *boltStore) all(seen func(namespace, name, value []byte)) (version string, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		pods := tx.Bucket(bucket)
		if pods == nil {
			return nil
		}
		return pods.ForEach(func(key, value []byte) error {
			if bytes.Equal(key, versionKey) {
				version = string(value)
				return nil
			}
			if b.deflate {
				var err error
				if value, err = io.ReadAll(flate.NewReader(bytes.NewReader(value))); err != nil {
					return err
				}
			}
			parts := bytes.SplitN(value, []byte{0}, 3)
			namespace, name, _ := bytes.Cut(key, []byte{'/'})
			if len(parts) != 3 {
				return errors.New("a value that makes no sense")
			}
			seen(namespace, name, parts[2])
			return nil
		})
	})
	return version, err
}

func (b *boltStore) close() error { return b.db.Close() }
