package selector

import (
	"strconv"
	"strings"
)

// Bounds of labels, in bytes: Kubernetes documentation, "Labels and Selectors",
// "Syntax and character set".
const (
	maxName   = 63  // a key's name; a value
	maxPrefix = 253 // a key's prefix
)

// What is wrong with a key or a value.
const (
	whyName   = "the name of a key must be 1 to 63 bytes of letters, digits, '-', '_' or '.', and begin and end with a letter or digit"
	whyPrefix = "the prefix of a key must be a DNS subdomain: at most 253 bytes of lower-case letters, digits, '-' or '.', and each part must begin and end with a letter or digit"
	whyValue  = "a value must be empty, or at most 63 bytes of letters, digits, '-', '_' or '.', and begin and end with a letter or digit"
	whyNumber = "for '>' and '<' the value must be an integer"
	whyCount  = "the operator does not go with this number of values"
	whyOp     = "there is no such operator"
)

// invalidKey says what is wrong with a label's key, or "".
func invalidKey(key string) string {
	if prefix, name, ok := strings.Cut(key, "/"); ok {
		if !isSubdomain(prefix) {
			return whyPrefix
		}
		key = name
	}
	if key == "" || !isWord(key) {
		return whyName
	}
	return ""
}

// isWord reports whether a label can have this value.
func isWord(s string) bool {
	if s == "" {
		return true
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(s) <= maxName && isAlphanumeric(s[0]) && isAlphanumeric(s[len(s)-1])
}

// isSubdomain follows RFC 1123 as the API server does: its parts may be of any
// length.
func isSubdomain(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || part[0] == '-' || part[len(part)-1] == '-' {
			return false
		}
		for i := range len(part) {
			if c := part[i]; !isAlphanumeric(c) && c != '-' || c >= 'A' && c <= 'Z' {
				return false
			}
		}
	}
	return len(s) <= maxPrefix
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// check says what is wrong with a requirement.
func (r Requirement) check() error {
	if why := invalidKey(r.Key); why != "" {
		return &InvalidError{Key: r.Key, Why: why}
	}
	least, most := 0, 0
	switch r.Operator {
	case In, NotIn:
		least, most = 1, len(r.Values)
	case GreaterThan, LessThan:
		least, most = 1, 1
	case Exists, DoesNotExist:
	default:
		return &InvalidError{Key: r.Key, Why: whyOp}
	}
	if n := len(r.Values); n < least || n > most {
		return &InvalidError{Key: r.Key, Why: whyCount}
	}
	for _, v := range r.Values {
		if why := r.invalidValue(v); why != "" {
			return &InvalidError{Key: r.Key, Value: v, Why: why}
		}
	}
	return nil
}

// invalidValue says what is wrong with one of the values, or "".
func (r Requirement) invalidValue(v string) string {
	if !isWord(v) {
		return whyValue
	}
	if r.Operator == GreaterThan || r.Operator == LessThan {
		if _, err := strconv.ParseInt(v, 10, 64); err != nil {
			return whyNumber
		}
	}
	return ""
}
