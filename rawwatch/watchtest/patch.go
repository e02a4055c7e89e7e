package watchtest

import (
	"bytes"
	"encoding/json"
)

// mergePatch applies a JSON merge patch (RFC 7396).
func mergePatch(raw []byte) patcher {
	return func(meta, rest members) (draft, *StatusError) {
		patch, err := parseMembers(raw)
		if err != nil {
			return draft{}, badRequest("invalid JSON patch")
		}
		patch.drop("kind")
		patch.drop("apiVersion")
		if m := patch.get("metadata"); m != nil {
			inner, err := parseMembers(m)
			if err != nil {
				return draft{}, badRequest("invalid JSON patch")
			}
			if meta, err = mergeInto(meta, inner); err != nil {
				return draft{}, badRequest("error applying patch: %v", err)
			}
			patch.drop("metadata")
		}
		if rest, err = mergeInto(rest, patch); err != nil {
			return draft{}, badRequest("error applying patch: %v", err)
		}
		return draft{meta: meta, rest: rest}, nil
	}
}

// mergeInto merges a patch into members that the caller owns.
func mergeInto(target, patch members) (members, error) {
	for _, m := range patch {
		value, err := merged(target.get(m.name), m.value)
		if err != nil {
			return nil, err
		}
		if value == nil {
			target.drop(m.name)
		} else {
			target.set(m.name, value)
		}
	}
	return target, nil
}

// merged is the value that results, nil when the patch removes it. Only what
// the patch names is taken apart.
func merged(target, patch json.RawMessage) (json.RawMessage, error) {
	if bytes.Equal(patch, []byte("null")) {
		return nil, nil
	}
	if patch[0] != '{' {
		return patch, nil
	}
	inner, err := parseMembers(patch)
	if err != nil {
		return nil, err
	}
	var base members
	if len(target) > 0 && target[0] == '{' {
		if base, err = parseMembers(target); err != nil {
			return nil, err
		}
	}
	if base, err = mergeInto(base, inner); err != nil {
		return nil, err
	}
	return base.append(make([]byte, 0, base.size())), nil
}
