package main

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// generate writes the table; its format is described in the package that
// reads it.
func generate(byName map[string]reflect.Type) ([]byte, error) {
	groups, err := packages(byName)
	if err != nil {
		return nil, err
	}
	g := generator{groups: groups, entries: map[string]string{}}
	for _, name := range sortedKeys(byName) {
		if err := g.kind(name, byName[name]); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	for _, name := range sortedKeys(g.entries) {
		out.WriteString(name + g.entries[name])
	}
	return out.Bytes(), nil
}

type generator struct {
	groups  map[string]string // of Go packages
	entries map[string]string // what follows a message's name
}

// kind adds a kind and everything it consists of.
func (g *generator) kind(name string, t reflect.Type) error {
	message, err := g.message(t)
	if err != nil {
		return err
	}
	if message != name {
		g.entries[name] = " =" + message + "\n"
		return nil
	}
	g.entries[name] = " *" + g.entries[name]
	return nil
}

// message adds a message and everything it consists of.
func (g *generator) message(t reflect.Type) (name string, err error) {
	group, ok := g.groups[t.PkgPath()]
	if !ok {
		return "", fmt.Errorf("%s: package %s belongs to no group", t, t.PkgPath())
	}
	name = group + "." + t.Name()
	if _, ok := g.entries[name]; ok {
		return name, nil
	}
	g.entries[name] = "" // for types that contain themselves
	var b strings.Builder
	if f, ok := forms[t]; ok {
		b.WriteString(" |" + f)
	}
	b.WriteByte('\n')
	if t.Kind() == reflect.Slice {
		// A list that is a message of its own: one field, without a name in JSON.
		return name, g.slice(name, t)
	}
	for f := range t.NumField() {
		if err := g.field(&b, group, t, t.Field(f)); err != nil {
			return "", fmt.Errorf("%s: %w", t, err)
		}
	}
	g.entries[name] = b.String()
	return name, nil
}

func (g *generator) slice(name string, t reflect.Type) error {
	if t.Elem().Kind() != reflect.String {
		return fmt.Errorf("%s: a list of %s as a message", t, t.Elem())
	}
	g.entries[name] = " |items\n items? 1 []string\n"
	return nil
}

// forms are the messages whose JSON is not an object with their fields.
var forms = map[reflect.Type]string{
	reflect.TypeFor[extensionsv1.JSONSchemaPropsOrBool]():             "bool",
	reflect.TypeFor[extensionsv1.JSONSchemaPropsOrArray]():            "array",
	reflect.TypeFor[extensionsv1.JSONSchemaPropsOrStringArray]():      "array",
	reflect.TypeFor[extensionsv1beta1.JSONSchemaPropsOrBool]():        "bool",
	reflect.TypeFor[extensionsv1beta1.JSONSchemaPropsOrArray]():       "array",
	reflect.TypeFor[extensionsv1beta1.JSONSchemaPropsOrStringArray](): "array",
}

// specials are the types with a JSON form of their own.
var specials = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():      "Quantity",
	reflect.TypeFor[metav1.Time]():            "Time",
	reflect.TypeFor[metav1.MicroTime]():       "MicroTime",
	reflect.TypeFor[metav1.Duration]():        "Duration",
	reflect.TypeFor[metav1.FieldsV1]():        "Raw",
	reflect.TypeFor[runtime.RawExtension]():   "Raw",
	reflect.TypeFor[extensionsv1.JSON]():      "Raw",
	reflect.TypeFor[extensionsv1beta1.JSON](): "Raw",
	reflect.TypeFor[intstr.IntOrString]():     "IntOrString",
}

// selfNamed are the fields whose objects say their kind and apiVersion in JSON
// and not in protobuf: the API server sets them when it converts for JSON.
var selfNamed = map[string]bool{"StatefulSetSpec.VolumeClaimTemplates": true}

func (g *generator) field(b *strings.Builder, group string, t reflect.Type, f reflect.StructField) error {
	number, ok, err := wireNumber(f)
	if err != nil || !ok {
		return err
	}
	name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
	options := strings.Split(opts, ",")
	isStruct := f.Type.Kind() == reflect.Struct
	switch {
	case name == "-":
		return nil
	case name == "" && f.Anonymous && isStruct:
		name = "~"
	case name == "": // of forms, whose JSON has no names
		name = f.Name
	}
	typ, err := g.typeName(group, f.Type)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if selfNamed[t.Name()+"."+f.Name] {
		typ = strings.Replace(typ, "[]", "[]&", 1)
	}
	if slices.Contains(options, "omitempty") && !isStruct {
		name += "?"
	}
	if slices.Contains(options, "omitzero") {
		if typ != "Time" {
			return fmt.Errorf("%s: omitzero on %s is unknown here", f.Name, typ)
		}
		name += "?"
	}
	fmt.Fprintf(b, " %s %d %s\n", name, number, typ)
	return nil
}

// wireNumber is the field's number; ok is false for what is not on the wire.
func wireNumber(f reflect.StructField) (number int, ok bool, err error) {
	tag := f.Tag.Get("protobuf")
	if tag == "" || tag == "-" {
		return 0, false, nil
	}
	parts := strings.Split(tag, ",")
	if len(parts) < 3 {
		return 0, false, fmt.Errorf("%s: protobuf tag %q", f.Name, tag)
	}
	number, err = strconv.Atoi(parts[1])
	return number, true, err
}

func (g *generator) typeName(group string, t reflect.Type) (string, error) {
	if s, ok := specials[t]; ok {
		return s, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner, err := g.typeName(group, t.Elem())
		return "*" + inner, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return "", fmt.Errorf("a map with keys of %s", t.Key())
		}
		inner, err := g.typeName(group, t.Elem())
		return "{}" + inner, err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes", nil
		}
		if _, ok := g.groups[t.PkgPath()]; ok && isMessage(t) {
			return g.ref(group, t)
		}
		inner, err := g.typeName(group, t.Elem())
		return "[]" + inner, err
	case reflect.Struct:
		return g.ref(group, t)
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "bool", nil
	case reflect.Int32:
		return "int32", nil
	case reflect.Int, reflect.Int64:
		return "int64", nil
	case reflect.Float64:
		return "double", nil
	}
	return "", fmt.Errorf("%s has no form in the table", t)
}

// isMessage says that the slice type t encodes itself, as a message.
func isMessage(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("Marshal")
	return ok
}

// ref names a message: shortened within one group, and for meta's.
func (g *generator) ref(group string, t reflect.Type) (string, error) {
	name, err := g.message(t)
	if short, ok := strings.CutPrefix(name, group+"."); ok {
		return short, err
	}
	if short, ok := strings.CutPrefix(name, metaGroup); ok {
		return short, err
	}
	return name, err
}
