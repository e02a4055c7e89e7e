package watchtest

import (
	"reflect"
	"strings"
)

// strategicPatch applies a strategic merge patch as far as it can be done
// without a schema: a merge patch, but for lists of objects that all have a
// name, in the object and in the patch. These are merged by it, new items at
// the end. Directives ($patch, $deleteFromPrimitiveList, …) are refused.
func strategicPatch(raw []byte) patcher {
	return func(meta, rest members) (draft, *StatusError) {
		patch, err := decodeExact(raw)
		fields, ok := patch.(map[string]any)
		if err != nil || !ok {
			return draft{}, badRequest("invalid JSON patch")
		}
		all := append(members(nil), rest...)
		all.set("metadata", meta.append(make([]byte, 0, meta.size())))
		document, err := decodeExact(all.append(make([]byte, 0, all.size())))
		if err != nil {
			return draft{}, badRequest("error decoding the object: %v", err)
		}
		if directive := directiveIn(fields); directive != "" {
			return draft{}, badRequest("watchtest does not know the directive %s", directive)
		}
		return split(mergeByName(document, fields))
	}
}

func directiveIn(v any) string {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if strings.HasPrefix(name, "$") {
				return name
			}
			if found := directiveIn(inner); found != "" {
				return found
			}
		}
	case []any:
		for _, inner := range v {
			if found := directiveIn(inner); found != "" {
				return found
			}
		}
	}
	return ""
}

// mergeByName merges the patch into the target and returns what results.
func mergeByName(target, patch any) any {
	switch patch := patch.(type) {
	case map[string]any:
		into, ok := target.(map[string]any)
		if !ok {
			into = map[string]any{}
		}
		for name, value := range patch {
			if value == nil {
				delete(into, name)
			} else {
				into[name] = mergeByName(into[name], value)
			}
		}
		return into
	case []any:
		into, ok := target.([]any)
		if !ok || !allNamed(into) || !allNamed(patch) {
			return patch
		}
		for _, item := range patch {
			into = mergeItem(into, item.(map[string]any))
		}
		return into
	}
	return patch
}

func mergeItem(list []any, item map[string]any) []any {
	for i := range list {
		if reflect.DeepEqual(list[i].(map[string]any)["name"], item["name"]) {
			list[i] = mergeByName(list[i], item)
			return list
		}
	}
	return append(list, item)
}

// allNamed tells whether the items are objects with a name.
func allNamed(list []any) bool {
	for _, item := range list {
		fields, ok := item.(map[string]any)
		if _, named := fields["name"].(string); !ok || !named {
			return false
		}
	}
	return true
}
