package selector

import "fmt"

// A SyntaxError says where a selector's text cannot be read.
type SyntaxError struct {
	Offset int    // of Found, in bytes
	Found  string // "" at the end
	Want   string // what could stand there
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("label selector: at byte %d: found '%s', expected: %s", e.Offset, e.Found, e.Want)
}

// An InvalidError says that a selector names what no label can have, or has
// values that its operator does not go with.
type InvalidError struct {
	Offset int    // of the key or value in the text that was parsed, in bytes
	Key    string // of the requirement
	Value  string // that is wrong; "" when the key is
	Why    string
}

// Error implements error.
func (e *InvalidError) Error() string {
	wrong := e.Key
	if e.Value != "" {
		wrong = e.Value
	}
	return fmt.Sprintf("label selector: at byte %d: Invalid value: %q: %s", e.Offset, wrong, e.Why)
}
