package etcdcheckpoint_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
	"github.com/rawwatch/rawwatch/resume/etcdcheckpoint"
)

func TestStore(t *testing.T) {
	client := connect(t)
	for name, o := range map[string]etcdcheckpoint.Options{
		"defaults":         {},
		"compacted often":  {CompactFrom: 1},
		"encrypted, often": {CompactFrom: 1, Encryption: newAEAD(t)},
	} {
		t.Run(name, func(t *testing.T) {
			checkpointtest.Run(t, func(t *testing.T) (resume.Checkpoint, func() resume.Checkpoint) {
				o.Prefix = "/" + t.Name()
				s := etcdcheckpoint.New(client, o)
				return s, func() resume.Checkpoint {
					ok(t, s.Close())
					s = etcdcheckpoint.New(client, o)
					return s
				}
			})
		})
	}
}

// aead is AES-256-GCM with random nonces.
type aead struct{ cipher.AEAD }

func newAEAD(t testing.TB) aead {
	t.Helper()
	block, err := aes.NewCipher(bytes.Repeat([]byte{7}, 32))
	ok(t, err)
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	ok(t, err)
	return aead{gcm}
}

func (a aead) Seal(dst, plaintext, associated []byte) ([]byte, error) {
	return a.AEAD.Seal(dst, nil, plaintext, associated), nil
}

func (a aead) Open(dst, sealed, associated []byte) ([]byte, error) {
	return a.AEAD.Open(dst, nil, sealed, associated)
}

// begin stores pods and gives the state that is expected from then on.
func begin(t testing.TB, s *etcdcheckpoint.Store, pods int) checkpointtest.State {
	t.Helper()
	ctx := context.Background()
	ok(t, s.Replace(ctx, checkpointtest.PodsIdentity("pods"), fmt.Sprint(pods), checkpointtest.Pods(pods)))
	want, err := checkpointtest.Load(ctx, s, "pods")
	ok(t, err)
	if len(want.Objects) != pods {
		t.Fatalf("%d objects, want %d", len(want.Objects), pods)
	}
	return want
}

func holds(t testing.TB, s *etcdcheckpoint.Store, want checkpointtest.State) {
	t.Helper()
	got, err := checkpointtest.Load(context.Background(), s, "pods")
	ok(t, err)
	if diff := got.Diff(want); diff != "" {
		t.Fatal(diff)
	}
}

// The agent that was started elsewhere has the state from then on; the one that
// was believed to be gone changes nothing any more.
func TestTakenOver(t *testing.T) {
	client := connect(t)
	o := etcdcheckpoint.Options{Prefix: "/" + t.Name(), CompactFrom: 1}
	old, young := etcdcheckpoint.New(client, o), etcdcheckpoint.New(client, o)
	want := begin(t, old, 30)
	holds(t, young, want) // takes it over
	var large resume.Batch
	var r resume.Record
	for i := range 5000 {
		checkpointtest.Pod(&r, i, 9000+i)
		large.Add(&r)
	}
	var taken *etcdcheckpoint.TakenOverError
	for range 2 {
		if err := old.Commit(t.Context(), "pods", &large, "99"); !errors.As(err, &taken) {
			t.Fatalf("Commit gives %v", err)
		}
	}
	if err := old.SetAside(t.Context(), "pods", "why"); !errors.As(err, &taken) {
		t.Errorf("SetAside gives %v", err)
	}
	ok(t, young.Commit(t.Context(), "pods", nil, "100"))
	want.ResourceVersion = "100"
	holds(t, young, want)
	// And back.
	holds(t, old, want)
	if err := young.Commit(t.Context(), "pods", nil, "101"); !errors.As(err, &taken) {
		t.Errorf("Commit gives %v", err)
	}
	// Replace takes over as well, while the other is replacing too.
	slow := func(yield func(resume.Record, error) bool) {
		for r := range checkpointtest.Pods(10) {
			if !yield(r, nil) {
				return
			}
		}
		want = begin(t, young, 7)
	}
	if err := old.Replace(t.Context(), checkpointtest.PodsIdentity("pods"), "1", slow); !errors.As(err, &taken) {
		t.Errorf("Replace gives %v", err)
	}
	holds(t, young, want)
}

// A batch that no request could hold is one commit all the same.
func TestLargeBatches(t *testing.T) {
	client := connect(t)
	o := etcdcheckpoint.Options{Prefix: "/" + t.Name(), CompactFrom: 1 << 30}
	s := etcdcheckpoint.New(client, o)
	want := begin(t, s, 5)
	var b resume.Batch
	var r resume.Record
	for i := range 12_000 {
		checkpointtest.Pod(&r, i, 20_000+i)
		b.Add(&r)
	}
	if b.Size() < 3<<20 {
		t.Fatalf("%d bytes are no large batch", b.Size())
	}
	ok(t, want.Apply(&b, "40000"))
	ok(t, s.Commit(t.Context(), "pods", &b, "40000"))
	holds(t, etcdcheckpoint.New(client, o), want)

	r.Object = make([]byte, 2<<20)
	b.Reset()
	b.Add(&r)
	var large *checkpoint.TooLargeError
	if err := s.Commit(t.Context(), "pods", &b, "40001"); !errors.As(err, &large) {
		t.Errorf("an object of 2 MiB gives %v", err)
	}
}

// What is stored does not grow without bound, and nothing is left behind.
func TestGrowthIsBounded(t *testing.T) {
	client := connect(t)
	o := etcdcheckpoint.Options{Prefix: "/" + t.Name(), CompactFrom: 4 << 10}
	s := etcdcheckpoint.New(client, o)
	want := begin(t, s, 50)
	churn := checkpointtest.NewChurn(3, 50)
	var b resume.Batch
	for range 300 {
		b.Reset()
		version := churn.Next(&b, 20)
		ok(t, want.Apply(&b, version))
		ok(t, s.Commit(t.Context(), "pods", &b, version))
	}
	holds(t, s, want)
	st := s.Status()
	if st.Compactions < 5 || st.Written == 0 || st.Payload == 0 {
		t.Errorf("%+v", st)
	}
	r, err := client.Get(t.Context(), o.Prefix, clientv3.WithPrefix())
	ok(t, err)
	var size int
	for _, kv := range r.Kvs {
		size += len(kv.Value)
	}
	if size > 64<<10 {
		t.Errorf("%d bytes in %d keys, for a state of 50 objects", size, len(r.Kvs))
	}
}

func TestSecrets(t *testing.T) {
	id := checkpointtest.PodsIdentity("secrets")
	id.Resource = "secrets"
	s := etcdcheckpoint.New(connect(t), etcdcheckpoint.Options{Prefix: "/" + t.Name()})
	var refused *checkpoint.SecretsError
	if err := s.Replace(t.Context(), id, "1", checkpointtest.Pods(1)); !errors.As(err, &refused) {
		t.Errorf("Replace gives %v", err)
	}
	ok(t, s.Replace(t.Context(), id, "1", checkpointtest.Pods(0)))
	var b resume.Batch
	var r resume.Record
	checkpointtest.Pod(&r, 1, 2)
	b.Add(&r)
	if err := s.Commit(t.Context(), "secrets", &b, "2"); !errors.As(err, &refused) {
		t.Errorf("Commit gives %v", err)
	}
}

// Keys that something else wrote are said to be so.
func TestForeignKeys(t *testing.T) {
	client := connect(t)
	o := etcdcheckpoint.Options{Prefix: "/" + t.Name()}
	s := etcdcheckpoint.New(client, o)
	var bad *etcdcheckpoint.FormatError
	_, err := client.Put(t.Context(), o.Prefix+"/other/meta", "hello")
	ok(t, err)
	if _, err := s.Load(t.Context(), "other"); !errors.As(err, &bad) {
		t.Errorf("Load gives %v", err)
	}
	begin(t, s, 3)
	r, err := client.Get(t.Context(), o.Prefix+"/pods/g", clientv3.WithPrefix())
	ok(t, err)
	for _, change := range []clientv3.Op{
		clientv3.OpPut(string(r.Kvs[0].Key), "no batch"),
		clientv3.OpDelete(string(r.Kvs[0].Key)),
	} {
		_, err := client.Do(t.Context(), change)
		ok(t, err)
		if _, err := checkpointtest.Load(t.Context(), s, "pods"); !errors.As(err, &bad) {
			t.Errorf("Load gives %v", err)
		}
	}
}
