// Package schematest compares package decode with k8s.io/api.
package schematest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"time"

	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// fill fills v at random: every field is empty, ordinary, or extreme.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if own, ok := special(r, v.Type(), depth); ok {
		v.Set(own)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if depth > 9 && strings.HasPrefix(v.Type().Name(), "JSONSchemaProps") {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(r, v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if r.Intn(3) > 0 && depth < 12 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if r.Intn(3) > 0 {
				v.SetBytes([]byte(text(r)))
			}
			return
		}
		if n := count(r, depth); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(r, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if n := count(r, depth); n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				k.SetString(text(r))
				fill(r, e, depth+1)
				v.SetMapIndex(k, e)
			}
		}
	case reflect.String:
		v.SetString(text(r))
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(integer(r))
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -1.5, 1e21, 1e-7, 123456789.25, 5e-324, 0.000001}[r.Intn(8)])
	case reflect.Interface:
	default:
		panic(fmt.Sprint("cannot fill ", v.Type()))
	}
}

// count says how many elements a collection gets: fewer the deeper it is, and
// none where only types that contain themselves come to.
func count(r *rand.Rand, depth int) int {
	switch {
	case depth > 16:
		return 0
	case depth > 9:
		return r.Intn(2)
	}
	return r.Intn(4)
}

var texts = []string{"", "", "a", "node-7", "10.2.3.4", "a/b:c", "<&>", "ünï", "\u2028", "line\nbreak\t\"quoted\" \\", "\x00\x1f\x7f", "日本", "0", "null", "true", "{\"a\":1}"}

func text(r *rand.Rand) string {
	if r.Intn(8) == 0 {
		return fmt.Sprintf("%x", r.Uint64())
	}
	return texts[r.Intn(len(texts))]
}

func integer(r *rand.Rand) int64 {
	return []int64{0, 0, 1, -1, 127, 128, 300, 1<<31 - 1, -1 << 31, r.Int63n(1 << 31)}[r.Intn(10)]
}

// special makes values of the types with a form of their own.
func special(r *rand.Rand, t reflect.Type, depth int) (v reflect.Value, ok bool) {
	moment := func() time.Time {
		switch r.Intn(4) {
		case 0:
			return time.Time{}
		case 1:
			return time.Unix(0, 0)
		}
		return time.Unix(r.Int63n(1<<32)-1<<30, r.Int63n(1e9)/1000*1000)
	}
	raw := func() []byte {
		list := []string{"", `{}`, `{"a":[1,2.50,"x<y>&\u2028"],"b":null}`, `"text"`, `[ ]`, `7`, `{"nested":{"deep":{"x":"\\\""}}}`}
		if s := list[r.Intn(len(list))]; s != "" {
			return []byte(s)
		}
		return nil
	}
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return reflect.ValueOf(metav1.Time{Time: moment().Truncate(time.Second)}), true
	case reflect.TypeFor[metav1.MicroTime]():
		return reflect.ValueOf(metav1.MicroTime{Time: moment()}), true
	case reflect.TypeFor[metav1.Duration]():
		return reflect.ValueOf(metav1.Duration{Duration: time.Duration(r.Int63n(1e15) - 5e14)}), true
	case reflect.TypeFor[resource.Quantity]():
		list := []string{"0", "100m", "1500Mi", "2e3", "1.5", "-3", "9223372036854775807", "1Ei", "123n", "0.001", "1k"}
		return reflect.ValueOf(resource.MustParse(list[r.Intn(len(list))])), true
	case reflect.TypeFor[intstr.IntOrString]():
		if r.Intn(2) == 0 {
			return reflect.ValueOf(intstr.FromInt32(int32(integer(r)))), true
		}
		return reflect.ValueOf(intstr.FromString(text(r))), true
	case reflect.TypeFor[runtime.RawExtension]():
		return reflect.ValueOf(runtime.RawExtension{Raw: raw()}), true
	case reflect.TypeFor[extensionsv1.JSON]():
		return reflect.ValueOf(extensionsv1.JSON{Raw: raw()}), true
	case reflect.TypeFor[extensionsv1beta1.JSON]():
		return reflect.ValueOf(extensionsv1beta1.JSON{Raw: raw()}), true
	case reflect.TypeFor[metav1.FieldsV1]():
		var f metav1.FieldsV1
		if b := raw(); b != nil {
			if err := json.Unmarshal([]byte(`{"f:metadata":{"f:labels":{".":{},"k:{\"a\":\"b\"}":{}}}}`), &f); err != nil {
				panic(err)
			}
		}
		return reflect.ValueOf(f), true
	case reflect.TypeFor[metav1.TypeMeta]():
		return reflect.Zero(t), true
	}
	return v, false
}
