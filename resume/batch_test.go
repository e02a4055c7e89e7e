package resume

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

func meta(namespace, name, uid, version string) decode.Meta {
	return decode.Meta{Namespace: []byte(namespace), Name: []byte(name), UID: []byte(uid), ResourceVersion: []byte(version)}
}

const aUUID = "0f8fad5b-d9cb-469f-a165-70867728950e"

var batchRecords = []Record{
	{Meta: meta("a", "x", aUUID, "12"), Object: []byte("{}")},
	{Meta: meta("a", "y", aUUID, "13")},
	{Meta: meta("b", "y", "UID-1", "opaque"), Object: []byte{}},
	{Meta: meta("b", "z", "", ""), Deleted: true},
	{Meta: meta("", "node-1", "0F8FAD5B-D9CB-469F-A165-70867728950E", "007")},
	{Meta: meta("", "", "", "")},
	{Meta: meta("a", "x", aUUID, "18446744073709551616"), Object: bytes.Repeat([]byte("o"), 300)},
}

func TestBatchRoundTrip(t *testing.T) {
	var b Batch
	var payload int
	for i := range batchRecords {
		r := &batchRecords[i]
		b.Add(r)
		payload += len(r.Meta.Namespace) + len(r.Meta.Name) + len(r.Meta.UID) + len(r.Meta.ResourceVersion) + len(r.Object)
	}
	if b.Len() != len(batchRecords) || b.Size() != len(b.Bytes()) || b.Payload() != int64(payload) {
		t.Errorf("Len %d, Size %d, Payload %d; want payload %d", b.Len(), b.Size(), b.Payload(), payload)
	}
	reader := BatchReader{Data: b.Bytes()}
	for i, want := range batchRecords {
		var got Record
		if more, err := reader.Next(&got); !more || err != nil {
			t.Fatalf("record %d: %v, %v", i, more, err)
		}
		if show(got) != show(want) {
			t.Errorf("record %d is %s, want %s", i, show(got), show(want))
		}
	}
	var r Record
	if more, err := reader.Next(&r); more || err != nil {
		t.Errorf("at the end: %v, %v", more, err)
	}
}

func show(r Record) string {
	return fmt.Sprintf("%q %q %q %q %q %v %v", r.Meta.Namespace, r.Meta.Name, r.Meta.UID, r.Meta.ResourceVersion, r.Object, r.Object == nil, r.Deleted)
}

// Reset forgets the namespace that the next record could otherwise refer to.
func TestBatchReset(t *testing.T) {
	var b, fresh Batch
	b.Add(&batchRecords[0])
	b.Reset()
	b.Add(&batchRecords[1])
	fresh.Add(&batchRecords[1])
	if !bytes.Equal(b.Bytes(), fresh.Bytes()) || b.Len() != 1 || b.Payload() != fresh.Payload() {
		t.Errorf("%q, want %q", b.Bytes(), fresh.Bytes())
	}
}

// Whatever is cut off, what is read before the error is right.
func TestBatchCut(t *testing.T) {
	var b Batch
	ends := map[int]bool{0: true}
	for i := range batchRecords {
		b.Add(&batchRecords[i])
		ends[b.Size()] = true
	}
	for cut := range b.Size() {
		err := readAll(b.Bytes()[:cut])
		var bad *BatchError
		if ends[cut] != (err == nil) || err != nil && !errors.As(err, &bad) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

func readAll(data []byte) error {
	reader := BatchReader{Data: data}
	var r Record
	for {
		if more, err := reader.Next(&r); !more {
			return err
		}
	}
}

func FuzzBatch(f *testing.F) {
	var b Batch
	for i := range batchRecords {
		b.Add(&batchRecords[i])
		f.Add(bytes.Clone(b.Bytes()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// What can be read is the same after another round.
		var again Batch
		reader := BatchReader{Data: data}
		var first []string
		var r Record
		for {
			more, err := reader.Next(&r)
			if err != nil {
				return
			}
			if !more {
				break
			}
			first = append(first, show(r))
			again.Add(&r)
		}
		reader.Reset(again.Bytes())
		for i := range first {
			if more, err := reader.Next(&r); !more || err != nil || show(r) != first[i] {
				t.Fatalf("record %d is %s, was %s; %v", i, show(r), first[i], err)
			}
		}
	})
}

func BenchmarkBatchPut(b *testing.B) {
	m := meta("team-01", "web-7d9c5b8f4-x2x9z", aUUID, "123456")
	object := bytes.Repeat([]byte("o"), 200)
	var batch Batch
	b.ReportAllocs()
	for b.Loop() {
		if batch.Put(&m, object); batch.Len() == 1000 {
			batch.Reset()
		}
	}
}
