package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// tree turns YAML, which JSON is part of, into mappings, lists and scalars. The
// library bounds what aliases can multiply; its result shares their text, and
// is read as it is, since writing it out as JSON would not be bounded.
func (f *Files) tree(text []byte) (tree any, err error) {
	if hasBinary(text) {
		return nil, errors.New("uses !!binary or %TAG, which a kubeconfig needs not; write the text itself")
	}
	defer func() {
		if p := recover(); p != nil {
			tree, err = nil, errors.New("is not valid YAML: the parser gave up")
		}
	}()
	if err := f.unmarshal(text, &tree); err != nil {
		return nil, yamlError(err)
	}
	return tree, checkTree(tree, 0)
}

func parseJSON(text []byte) (tree any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&tree) != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	return tree, checkTree(tree, 0) == nil
}

// hasBinary finds what makes the library copy: each alias of a !!binary value
// would be decoded anew.
func hasBinary(text []byte) bool {
	for _, sign := range []string{"!!binary", "%TAG", ":binary"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return false
}

// yamlError keeps the line and what is wrong there, but not what the library
// quotes from the file, which may be a secret.
func yamlError(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	for _, quoting := range []struct{ sign, instead string }{
		{"unknown anchor", "an alias (*) names no anchor (&)"},
		{"contains itself", "an anchor (&) contains its own alias (*)"},
		{"invalid map key", "a mapping or a list is used as a key"},
		{"cannot decode", "a tag (!!) does not fit its value"},
		{"unmarshal errors", "a value has the wrong type"},
	} {
		if strings.Contains(message, quoting.sign) {
			message = quoting.instead
		}
	}
	return fmt.Errorf("is not valid YAML: %s", message)
}

// checkTree refuses what has no counterpart in JSON, in which kubeconfigs are
// defined, and what nests too deep.
func checkTree(v any, depth int) error {
	if depth > maxDepth {
		return &LimitError{What: "nesting", Limit: maxDepth}
	}
	switch t := v.(type) {
	case map[any]any:
		for key, value := range t {
			switch key.(type) {
			case string, int, int64, uint64, float64, bool:
			default:
				return errors.New("has a key that is neither text nor a number; write it in quotes")
			}
			if err := checkTree(value, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, value := range t {
			if err := checkTree(value, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range t {
			if err := checkTree(value, depth+1); err != nil {
				return err
			}
		}
	case float64:
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return errors.New("holds .nan or .inf, which is no number in JSON; write it in quotes")
		}
	}
	return nil
}
