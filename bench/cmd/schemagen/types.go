package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	discoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	registrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	registrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

// kinds are the Go types of every kind that kube-apiserver serves, by the name
// that an object says: apiVersion, a dot, and kind.
func kinds() (map[string]reflect.Type, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme,
		discoveryv2.AddToScheme, discoveryv2beta1.AddToScheme,
		extensionsv1.AddToScheme, extensionsv1beta1.AddToScheme,
		registrationv1.AddToScheme, registrationv1beta1.AddToScheme,
		metav1.AddMetaToScheme,
	} {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	byName := map[string]reflect.Type{}
	for gvk, t := range s.AllKnownTypes() {
		group := gvk.GroupVersion().String()
		if gvk.Version == runtime.APIVersionInternal || !hasWireForm(t) {
			continue
		}
		// Every group knows meta's own types (options of requests); only two
		// are where a server answers with them.
		if t.PkgPath() == metaPackage && group != "v1" && group != metaGroup {
			continue
		}
		byName[group+"."+gvk.Kind] = t
	}
	return byName, nil
}

const metaGroup = "meta.k8s.io/v1"

var metaPackage = reflect.TypeFor[metav1.ObjectMeta]().PkgPath()

// hasWireForm says that t is a protobuf message.
func hasWireForm(t reflect.Type) bool {
	for f := range fieldsOf(t) {
		if tag := t.Field(f).Tag.Get("protobuf"); tag != "" && tag != "-" {
			return true
		}
	}
	return false
}

func fieldsOf(t reflect.Type) int {
	if t.Kind() != reflect.Struct {
		return 0
	}
	return t.NumField()
}

// packages maps each Go package of API types to its group and version.
func packages(byName map[string]reflect.Type) (map[string]string, error) {
	groups := map[string]string{metaPackage: metaGroup}
	for _, name := range sortedKeys(byName) {
		path := byName[name].PkgPath()
		group := name[:strings.LastIndexByte(name, '.')]
		if path == metaPackage {
			continue
		}
		if have, ok := groups[path]; ok && have != group {
			return nil, fmt.Errorf("package %s serves both %s and %s", path, have, group)
		}
		groups[path] = group
	}
	return groups, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
