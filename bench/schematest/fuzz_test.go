package schematest

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/decode"
)

// fuzzKinds have no quantities: the API's types make those canonical, which on
// the wire they are already.
var fuzzKinds = []struct {
	gvk   schema.GroupVersionKind
	fresh func() message
}{
	{corev1.SchemeGroupVersion.WithKind("Secret"), func() message { return &corev1.Secret{} }},
	{corev1.SchemeGroupVersion.WithKind("Event"), func() message { return &corev1.Event{} }},
	{corev1.SchemeGroupVersion.WithKind("Service"), func() message { return &corev1.Service{} }},
	{coordinationv1.SchemeGroupVersion.WithKind("Lease"), func() message { return &coordinationv1.Lease{} }},
	{networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), func() message { return &networkingv1.NetworkPolicy{} }},
	{rbacv1.SchemeGroupVersion.WithKind("ClusterRole"), func() message { return &rbacv1.ClusterRole{} }},
}

// FuzzAgainstAPI mutates messages: where the API's types and this package both
// accept one, they mean the same.
func FuzzAgainstAPI(f *testing.F) {
	r := rand.New(rand.NewSource(8))
	for k, kind := range fuzzKinds {
		for range 5 {
			obj, _, _ := sample(f, r, kind.gvk, kind.fresh)
			raw, err := obj.Marshal()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(k), raw)
		}
	}
	f.Fuzz(func(t *testing.T, k uint8, raw []byte) {
		kind := fuzzKinds[int(k)%len(fuzzKinds)]
		obj := kind.fresh()
		if obj.Unmarshal(raw) != nil {
			return
		}
		obj.GetObjectKind().SetGroupVersionKind(kind.gvk)
		want, err := json.Marshal(obj)
		if err != nil {
			return // an embedded object that is no JSON
		}
		apiVersion, name := kind.gvk.ToAPIVersionAndKind()
		unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: name}, Raw: raw}
		wire, err := unknown.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode.ToJSON(nil, append([]byte("k8s\x00"), wire...))
		if errors.As(err, new(*decode.UnknownError)) || errors.As(err, new(*decode.ObjectError)) {
			return
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
	})
}
