package decode

import (
	"bytes"
	"fmt"
	"testing"
	"testing/iotest"
)

// fuzzLimit keeps fuzzing from waiting for large allocations.
const fuzzLimit = 1 << 12

// FuzzWireWatch feeds anything, whole and byte by byte: the same must come
// out, no panic, and nothing over the limits.
func FuzzWireWatch(f *testing.F) {
	for _, c := range wireWatchCases {
		f.Add(c.body)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := Options{FrameLimit: fuzzLimit, Poison: true}
		whole := wireWatch(bytes.NewReader(b), o)
		bytewise := wireWatch(iotest.OneByteReader(bytes.NewReader(b)), o)
		if fmt.Sprint(whole) != fmt.Sprint(bytewise) {
			t.Fatalf("%q\n%q", whole, bytewise)
		}
	})
}

// FuzzWireList is the same for lists.
func FuzzWireList(f *testing.F) {
	for _, c := range wireListCases {
		f.Add(c.body)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := Options{ItemLimit: fuzzLimit, Poison: true}
		whole := wireItems(bytes.NewReader(b), o)
		bytewise := wireItems(iotest.OneByteReader(bytes.NewReader(b)), o)
		if fmt.Sprint(whole) != fmt.Sprint(bytewise) {
			t.Fatalf("%q\n%q", whole, bytewise)
		}
	})
}
