package watchtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// operation is one step of a JSON patch (RFC 6902).
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from"`
	Value json.RawMessage `json:"value"`
}

// jsonPatch applies a JSON patch (RFC 6902) to the whole object.
func jsonPatch(raw []byte) patcher {
	return func(meta, rest members) (draft, *StatusError) {
		var operations []operation
		if err := json.Unmarshal(raw, &operations); err != nil {
			return draft{}, badRequest("invalid JSON patch")
		}
		all := slices.Clone(rest)
		all.set("metadata", meta.append(make([]byte, 0, meta.size())))
		document, err := decodeExact(all.append(make([]byte, 0, all.size())))
		if err != nil {
			return draft{}, badRequest("error decoding the object: %v", err)
		}
		for _, op := range operations {
			if document, err = op.apply(document); err != nil {
				return draft{}, &StatusError{Code: http.StatusUnprocessableEntity, Reason: "Invalid",
					Message: "the server rejected our request due to an error in our request", Details: &StatusDetails{}}
			}
		}
		return split(document)
	}
}

// decodeExact keeps numbers as they are written.
func decodeExact(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// split takes the patched object apart again.
func split(document any) (draft, *StatusError) {
	rest, err := parseMembers(marshal(document))
	if err != nil {
		return draft{}, badRequest("the patch leaves no object: %v", err)
	}
	meta, err := parseMembers(rest.get("metadata"))
	if err != nil {
		return draft{}, badRequest("the patch leaves no metadata: %v", err)
	}
	for _, name := range []string{"metadata", "kind", "apiVersion"} {
		rest.drop(name)
	}
	return draft{meta: meta, rest: rest}, nil
}

var errNoSuchPath = errors.New("the path does not exist")

func (op operation) apply(document any) (any, error) {
	var value any
	var err error
	switch op.Op {
	case "move", "copy":
		if value, err = lookup(document, pointer(op.From)); err != nil {
			return nil, err
		}
		if op.Op == "copy" {
			value, err = decodeExact(marshal(value))
		} else {
			document, err = edit(document, pointer(op.From), "remove", nil)
		}
	case "add", "replace", "test":
		value, err = decodeExact(op.Value)
	}
	if err != nil {
		return nil, err
	}
	switch op.Op {
	case "add", "move", "copy":
		return edit(document, pointer(op.Path), "add", value)
	case "replace", "remove":
		return edit(document, pointer(op.Path), op.Op, value)
	case "test":
		found, err := lookup(document, pointer(op.Path))
		if err == nil && !reflect.DeepEqual(found, value) {
			err = errors.New("testing value failed")
		}
		return document, err
	}
	return nil, fmt.Errorf("unknown operation %q", op.Op)
}

// pointer splits a JSON pointer (RFC 6901).
func pointer(text string) []string {
	if text == "" {
		return nil
	}
	parts := strings.Split(text, "/")[1:]
	for i := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i])
	}
	return parts
}

func lookup(v any, path []string) (any, error) {
	for _, name := range path {
		switch node := v.(type) {
		case map[string]any:
			inner, ok := node[name]
			if !ok {
				return nil, errNoSuchPath
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(node) {
				return nil, errNoSuchPath
			}
			v = node[i]
		default:
			return nil, errNoSuchPath
		}
	}
	return v, nil
}

// edit returns the document with one place added, replaced or removed.
func edit(v any, path []string, op string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	switch node := v.(type) {
	case map[string]any:
		return editMap(node, path, op, value)
	case []any:
		return editList(node, path, op, value)
	}
	return nil, errNoSuchPath
}

func editMap(node map[string]any, path []string, op string, value any) (any, error) {
	name := path[0]
	inner, ok := node[name]
	if !ok && (len(path) > 1 || op != "add") {
		return nil, errNoSuchPath
	}
	if len(path) > 1 {
		changed, err := edit(inner, path[1:], op, value)
		node[name] = changed
		return node, err
	}
	if op == "remove" {
		delete(node, name)
	} else {
		node[name] = value
	}
	return node, nil
}

func editList(node []any, path []string, op string, value any) (any, error) {
	i, err := strconv.Atoi(path[0])
	if path[0] == "-" {
		i, err = len(node), nil
	}
	last := len(path) == 1
	if err != nil || i < 0 || i > len(node) || i == len(node) && !(last && op == "add") {
		return nil, errNoSuchPath
	}
	switch {
	case !last:
		node[i], err = edit(node[i], path[1:], op, value)
		return node, err
	case op == "add":
		return slices.Insert(node, i, value), nil
	case op == "remove":
		return slices.Delete(node, i, i+1), nil
	}
	node[i] = value
	return node, nil
}
