package schematest

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/internal/encode"
)

// TestEncode compares the encoder of test servers with the API's own types:
// from the JSON of random objects of all kinds it has to write, byte for byte,
// what these write when they have read the same JSON.
func TestEncode(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	kinds := 0
	eachKind(t, func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message) {
		kinds++
		for range rounds {
			_, _, text := sample(t, r, gvk, fresh)
			obj := fresh()
			if err := json.Unmarshal(text, obj); err != nil {
				t.Fatal(err)
			}
			message, err := obj.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			bare, err := encode.Message(nil, gvk.GroupVersion().String(), gvk.Kind, text)
			sameBytes(t, text, bare, message, err)
			var want bytes.Buffer
			if err := encoder.Encode(obj.(runtime.Object), &want); err != nil {
				t.Fatal(err)
			}
			whole, err := encode.Object(nil, text)
			sameBytes(t, text, whole, want.Bytes(), err)
		}
	})
	if kinds < 100 {
		t.Error("only", kinds, "kinds")
	}
}

func sameBytes(t *testing.T, text, got, want []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	k := 0
	for k < len(got) && k < len(want) && got[k] == want[k] {
		k++
	}
	if k < max(len(got), len(want)) {
		lo := max(0, k-40)
		t.Fatalf("at %d:\n%q\nwant\n%q\n%.2000s", k, got[lo:min(len(got), k+40)], want[lo:min(len(want), k+40)], text)
	}
}
