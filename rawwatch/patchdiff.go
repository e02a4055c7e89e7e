package rawwatch

import (
	"reflect"
	"strings"
)

// DiffPatch is the merge patch that turns before into after, for a T that names
// some fields of an object: what an informer holds. Fields that T does not name
// stay as they are on the server. resourceVersion is that of before, and the
// patch has it as its precondition: if the object has changed since, the server
// refuses ([IsConflict]). It must not be "".
//
// T must encode to JSON under the same names that it is decoded from. A field
// that is left out of after (a nil pointer or an empty value with omitempty)
// and not of before is removed, with all that is in it.
//
// Merge patches replace lists as a whole: a change in a list of objects, of
// which T may not name all fields, is refused with a [*FieldError]; use a
// [JSONPatch] or a [StrategicPatch] for it. Lists of strings and numbers may
// change, and a list may become empty.
func DiffPatch[T any](before, after T, resourceVersion string) (Patch, error) {
	if resourceVersion == "" {
		return Patch{}, &FieldError{Path: "resourceVersion", Problem: "is empty; a difference is right only for the version that it was made from"}
	}
	return diffPatch(before, after, resourceVersion)
}

func diffPatch(before, after any, resourceVersion string) (Patch, error) {
	var sides [2]Fields
	for i, side := range [...]any{before, after} {
		text, err := encodeFields(side)
		if err != nil {
			return Patch{}, err
		}
		if sides[i], err = decodeFields(text); err != nil {
			return Patch{}, err
		}
	}
	changes, err := differences(sides[0], sides[1], nil)
	if err != nil {
		return Patch{}, err
	}
	text, err := encodeFields(changes)
	if err != nil {
		return Patch{}, err
	}
	return MergePatch(text).IfVersion(resourceVersion), nil
}

// differences are the members in which after is not before; a removed one is
// nil.
func differences(before, after map[string]any, path []string) (map[string]any, error) {
	changes := map[string]any{}
	for name, now := range after {
		was, had := before[name]
		if had && reflect.DeepEqual(was, now) || !had && now == nil {
			continue
		}
		at := append(path[:len(path):len(path)], name)
		if inner, ok := now.(map[string]any); ok {
			old, _ := was.(map[string]any)
			changed, err := differences(old, inner, at)
			if err != nil {
				return nil, err
			}
			changes[name] = changed
			continue
		}
		if partial(now) {
			return nil, &FieldError{Path: strings.Join(at, "."), Problem: "is a list of objects, which a merge patch would replace by the fields that are named here; use a JSONPatch or a StrategicPatch"}
		}
		changes[name] = now
	}
	for name, was := range before {
		if _, still := after[name]; !still && was != nil {
			changes[name] = nil
		}
	}
	return changes, nil
}

// partial reports whether the value is a list with objects in it.
func partial(v any) bool {
	list, _ := v.([]any)
	for _, item := range list {
		switch item.(type) {
		case map[string]any, []any:
			return true
		}
	}
	return false
}
