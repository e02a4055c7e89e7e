package checkpoint_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"os"
	"testing"

	"github.com/rawwatch/rawwatch/resume/checkpoint"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

// aead is AES-256-GCM with random nonces.
type aead struct{ cipher.AEAD }

func newAEAD(t testing.TB, key byte) aead {
	t.Helper()
	block, err := aes.NewCipher(bytes.Repeat([]byte{key}, 32))
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

func TestEncryption(t *testing.T) {
	path := file(t)
	right := newAEAD(t, 1)
	s := open(t, path, checkpoint.Options{Encryption: right})
	want := begin(t, s, 50)
	ok(t, s.Close())

	stored, err := os.ReadFile(path)
	ok(t, err)
	for _, plain := range []string{"web-", "team-", "Running", "node-"} {
		if bytes.Contains(stored, []byte(plain)) {
			t.Errorf("%q can be read in the file", plain)
		}
	}
	for name, o := range map[string]checkpoint.Options{
		"no key":    {},
		"wrong key": {Encryption: newAEAD(t, 2)},
	} {
		s := open(t, path, o)
		var seal *checkpoint.SealError
		if _, err := checkpointtest.Load(t.Context(), s, "pods"); !errors.As(err, &seal) {
			t.Errorf("%s: %v", name, err)
		}
		ok(t, s.Close())
	}
	report, err := checkpoint.Verify(t.Context(), path, nil)
	if err != nil || report.Watches[0].Objects != -1 || !report.Watches[0].Sealed {
		t.Errorf("without a key: %+v, %v", report, err)
	}
	holds(t, open(t, path, checkpoint.Options{Encryption: right}), "pods", want)
}

// A part of one file is none of another, though both have the same key.
func TestSealedRecordsStayInTheirFile(t *testing.T) {
	var sealed [][]byte
	record := recorder{aead: newAEAD(t, 1), seen: &sealed}
	for range 2 {
		s := open(t, file(t), checkpoint.Options{Encryption: record})
		begin(t, s, 5)
		ok(t, s.Close())
	}
	if len(sealed) < 2 || bytes.Equal(sealed[0], sealed[len(sealed)-1]) {
		t.Errorf("associated data: %q", sealed)
	}
}

type recorder struct {
	aead
	seen *[][]byte
}

func (r recorder) Seal(dst, plaintext, associated []byte) ([]byte, error) {
	*r.seen = append(*r.seen, bytes.Clone(associated))
	return r.aead.Seal(dst, plaintext, associated)
}

type failing struct{ aead }

var errSealing = errors.New("the key store does not answer")

func (failing) Seal(_, _, _ []byte) ([]byte, error) { return nil, errSealing }

// What cannot be sealed is not stored, and the caller is told.
func TestSealingFails(t *testing.T) {
	s := open(t, file(t), checkpoint.Options{Encryption: failing{newAEAD(t, 1)}})
	err := s.Replace(t.Context(), checkpointtest.PodsIdentity("pods"), "1", checkpointtest.Pods(3))
	var seal *checkpoint.SealError
	if !errors.As(err, &seal) || !errors.Is(err, errSealing) {
		t.Errorf("Replace gives %v", err)
	}
}
