package schematest

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/rawwatch/rawwatch/decode"
)

// encoder writes objects as the API server does.
var encoder = protobuf.NewSerializer(nil, nil)

// sample is one random object in both encodings.
func sample(t testing.TB, r *rand.Rand, gvk schema.GroupVersionKind, fresh func() message) (obj message, wire, text []byte) {
	random := fresh()
	fill(r, reflect.ValueOf(random).Elem(), 0)
	// Protobuf does not tell nil from empty: only what has been through it can
	// be the same in both encodings.
	b, err := random.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	obj = fresh()
	if err := obj.Unmarshal(b); err != nil {
		t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	nameClaims(reflect.ValueOf(obj))
	var buf bytes.Buffer
	if err := encoder.Encode(obj.(runtime.Object), &buf); err != nil {
		t.Fatal(err)
	}
	text, err = json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return obj, buf.Bytes(), text
}

// nameClaims does what the API server does to the claims in a StatefulSet.
func nameClaims(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			nameClaims(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			nameClaims(v.Index(i))
		}
	case reflect.Struct:
		if !strings.HasPrefix(v.Type().Name(), "StatefulSet") {
			return
		}
		for i := range v.NumField() {
			if claims, ok := v.Field(i).Interface().([]corev1.PersistentVolumeClaim); ok {
				for k := range claims {
					claims[k].TypeMeta = metav1.TypeMeta{Kind: "PersistentVolumeClaim", APIVersion: "v1"}
				}
			}
			nameClaims(v.Field(i))
		}
	}
}

const rounds = 20

// TestToJSON compares with encoding/json, byte for byte.
func TestToJSON(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	kinds := 0
	eachKind(t, func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message) {
		kinds++
		for range rounds {
			_, wire, want := sample(t, r, gvk, fresh)
			got, err := decode.ToJSON(nil, wire)
			if err != nil {
				t.Fatalf("%v\n%s", err, want)
			}
			if !bytes.Equal(got, want) {
				k := 0
				for k < len(got) && k < len(want) && got[k] == want[k] {
					k++
				}
				lo := max(0, k-150)
				t.Fatalf("differs at %d:\n%s\nwant\n%s", k, got[lo:min(len(got), k+100)], want[lo:min(len(want), k+100)])
			}
		}
	})
	t.Log(kinds, "kinds")
}
