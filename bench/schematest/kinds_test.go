package schematest

import (
	"sort"
	"strings"
	"testing"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	discoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	registrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	registrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

// message is what every built-in kind can do.
type message interface {
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// builtIn is the scheme of everything that kube-apiserver serves.
func builtIn(t testing.TB) *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, discoveryv2.AddToScheme, discoveryv2beta1.AddToScheme, extensionsv1.AddToScheme, extensionsv1beta1.AddToScheme,
		registrationv1.AddToScheme, registrationv1beta1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// eachKind calls f for every built-in kind that has a protobuf form.
func eachKind(t *testing.T, f func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message)) {
	s := builtIn(t)
	var all []schema.GroupVersionKind
	for gvk := range s.AllKnownTypes() {
		all = append(all, gvk)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	for _, gvk := range all {
		obj, err := s.New(gvk)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := obj.(message); !ok || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		// Options of requests, which every group has, are no answers.
		if strings.HasSuffix(gvk.Kind, "Options") || gvk.Kind == "WatchEvent" || gvk.Kind == "List" || strings.HasPrefix(gvk.Kind, "Table") {
			continue
		}
		t.Run(gvk.GroupVersion().String()+"/"+gvk.Kind, func(t *testing.T) {
			f(t, gvk, func() message {
				o, _ := s.New(gvk)
				return o.(message)
			})
		})
	}
}
