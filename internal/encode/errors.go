package encode

import "strings"

// UnknownKindError says that a kind is not built in, and has no protobuf form
// therefore: custom resources are served as JSON only.
type UnknownKindError struct {
	// APIVersion and Kind are the object's own; "" when it has none.
	APIVersion, Kind string
}

// Error implements error.
func (e *UnknownKindError) Error() string {
	return "encode: no protobuf form of kind " + quote(e.Kind) + " in " + quote(e.APIVersion)
}

// ValueError says that a value is none that its field can hold. It never tells
// the value, which may be part of a Secret.
type ValueError struct {
	// Path leads to the value, such as spec.containers[0].name; "" is the whole
	// document.
	Path string
	// Want is what was expected.
	Want string
}

// Error implements error.
func (e *ValueError) Error() string {
	if e.Path == "" {
		return "encode: want " + e.Want
	}
	return "encode: " + e.Path + ": want " + e.Want
}

// within puts a step in front of the path of an error.
func within(step string, err error) error {
	e, ok := err.(*ValueError)
	if !ok {
		return err
	}
	if e.Path != "" && !strings.HasPrefix(e.Path, "[") {
		step += "."
	}
	e.Path = step + e.Path
	return e
}

func quote(s string) string { return `"` + s + `"` }
