package watchtest

import "strings"

// Fields are named by their path: the names on the way, joined by zero bytes.
// Everything but an object that is not empty is a leaf, lists too.

// leavesOf are the paths of the leaves.
func leavesOf(v map[string]any) map[string]bool {
	leaves := map[string]bool{}
	var walk func(any, string)
	walk = func(v any, path string) {
		inner, ok := v.(map[string]any)
		if !ok || len(inner) == 0 {
			leaves[path] = true
			return
		}
		for name, value := range inner {
			if path != "" {
				name = path + "\x00" + name
			}
			walk(value, name)
		}
	}
	if len(v) > 0 {
		walk(v, "")
	}
	return leaves
}

// treeOf writes paths in the form of FieldsV1: {"f:data":{"f:a":{}}}.
func treeOf(leaves map[string]bool) map[string]any {
	tree := map[string]any{}
	for path := range leaves {
		at := tree
		for _, name := range strings.Split(path, "\x00") {
			inner, ok := at["f:"+name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at["f:"+name] = inner
			}
			at = inner
		}
	}
	return tree
}

// owned reads FieldsV1.
func owned(m manager) map[string]bool {
	leaves := map[string]bool{}
	for path := range leavesOf(m.FieldsV1) {
		names := strings.Split(path, "\x00")
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], "f:")
		}
		leaves[strings.Join(names, "\x00")] = true
	}
	return leaves
}

func valueAt(v any, names []string) any {
	for _, name := range names {
		inner, _ := v.(map[string]any)
		v = inner[name]
	}
	return v
}

// removeAt takes out a field, and the objects that are empty without it.
func removeAt(v map[string]any, names []string) {
	if len(names) == 1 {
		delete(v, names[0])
		return
	}
	inner, ok := v[names[0]].(map[string]any)
	if !ok {
		return
	}
	if removeAt(inner, names[1:]); len(inner) == 0 {
		delete(v, names[0])
	}
}

// overlay puts the wanted fields over the others.
func overlay(into, wanted map[string]any) map[string]any {
	for name, value := range wanted {
		inner, ok := value.(map[string]any)
		if !ok {
			into[name] = value
			continue
		}
		base, ok := into[name].(map[string]any)
		if !ok {
			base = map[string]any{}
		}
		into[name] = overlay(base, inner)
	}
	return into
}
