package schematest

import (
	"encoding/json"
	"errors"
	"math/rand"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/decode"
)

// decoderOf decodes an object into a new T, and says what T's plan thinks of
// protobuf.
type decoderOf func(object []byte, gvk schema.GroupVersionKind) (v any, known, err error)

func typed[T any](object []byte, gvk schema.GroupVersionKind) (v any, known, err error) {
	p, err := decode.For[T]()
	if err != nil {
		return nil, nil, err
	}
	v = new(T)
	return v, p.Protobuf(gvk.Group, gvk.Version, gvk.Kind), p.Decode(object, v.(*T))
}

// onlyJSON are kinds whose Go types name what protobuf does not carry: the
// kind and apiVersion of an object within the object.
var onlyJSON = map[string]bool{
	"apiextensions.k8s.io/v1.ConversionReview":      true,
	"apiextensions.k8s.io/v1beta1.ConversionReview": true,
	"apps/v1.StatefulSet":                           true,
	"apps/v1beta1.StatefulSet":                      true,
	"apps/v1beta2.StatefulSet":                      true,
	"policy/v1.Eviction":                            true,
	"policy/v1beta1.Eviction":                       true,
}

// TestSameFromBoth decodes every kind into the API's own type, from both
// encodings.
func TestSameFromBoth(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	kinds := 0
	eachKind(t, func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message) {
		name := gvk.GroupVersion().String() + "." + gvk.Kind
		plan, ok := ofKinds[name]
		if !ok {
			return // a list, or one of meta's
		}
		kinds++
		for range rounds {
			obj, wire, text := sample(t, r, gvk, fresh)
			fromJSON, known, err := plan(text, gvk)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if !equality.Semantic.DeepEqual(fromJSON, viaJSON(t, fresh, text)) {
				t.Fatalf("JSON: %+v\nwant %+v", fromJSON, obj)
			}
			if (known != nil) != onlyJSON[name] {
				t.Fatal(known)
			}
			if known != nil {
				return
			}
			fromWire, _, err := plan(wire, gvk)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if !reflect.DeepEqual(fromWire, fromJSON) {
				t.Fatalf("protobuf and JSON differ for\n%s", text)
			}
		}
	})
	t.Log(kinds, "kinds")
}

func viaJSON(t *testing.T, fresh func() message, text []byte) message {
	obj := fresh()
	if err := json.Unmarshal(text, obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

// TestLooseTypes decodes every kind into types that take anything.
func TestLooseTypes(t *testing.T) {
	type loose struct {
		Kind       string                     `json:"kind"`
		APIVersion json.RawMessage            `json:"apiVersion"`
		Metadata   map[string]json.RawMessage `json:"metadata"`
	}
	r := rand.New(rand.NewSource(3))
	eachKind(t, func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message) {
		for range rounds {
			_, wire, text := sample(t, r, gvk, fresh)
			for what, plan := range map[string]decoderOf{
				"any": typed[any], "map": typed[map[string]json.RawMessage], "raw": typed[json.RawMessage], "loose": typed[loose],
			} {
				fromJSON, _, err := plan(text, gvk)
				if err != nil {
					t.Fatal(err)
				}
				fromWire, known, err := plan(wire, gvk)
				var unknown *decode.UnknownError
				if errors.As(known, &unknown) && what == "loose" {
					continue // a kind without metadata
				}
				if err != nil || known != nil {
					t.Fatal(err, known)
				}
				if !reflect.DeepEqual(fromWire, fromJSON) {
					t.Fatalf("%s: %s\n%s", what, fromWire, fromJSON)
				}
			}
		}
	})
}
