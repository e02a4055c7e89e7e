package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// objectFormat appends one object of a list to a line.
type objectFormat func(dst []byte, o rawwatch.Object) ([]byte, error)

// formatOfList gives the format that -o asks for.
func formatOfList(name string, q rawwatch.Query) (objectFormat, error) {
	switch {
	case name == formatJSON:
		return func(dst []byte, o rawwatch.Object) ([]byte, error) { return o.AppendJSON(dst) }, nil
	case name == formatWide: // printed as rows
		return nil, nil
	case name != formatName:
		return nil, checkFormat(name)
	case inNamespaces(q):
		// A name alone would not say which of the namespaces.
		return func(dst []byte, o rawwatch.Object) ([]byte, error) { return appendKey(dst, o), nil }, nil
	}
	// kubectl's form, which kubectl takes as an argument again.
	prefix := strings.ToLower(q.Resource.Kind)
	if q.Resource.Group != "" {
		prefix += "." + q.Resource.Group
	}
	return func(dst []byte, o rawwatch.Object) ([]byte, error) {
		dst = append(dst, prefix...)
		dst = append(dst, '/')
		return appendWord(dst, o.Name), nil
	}, nil
}

// What -o takes.
const (
	formatName = "name"
	formatWide = "wide"
	formatJSON = "json"
)

var outputFormats = []string{formatName, formatWide, formatJSON}

func checkFormat(name string) error {
	if slices.Contains(outputFormats, name) {
		return nil
	}
	return misuse("unknown output format %q: name, wide and json are known", name)
}

func appendKey(dst []byte, o rawwatch.Object) []byte {
	if o.Namespace != "" {
		dst = appendWord(dst, o.Namespace)
		dst = append(dst, '/')
	}
	return appendWord(dst, o.Name)
}

// appendWord appends what a server calls a name or a version. A control
// character in it could make a line of its own, or command the terminal.
func appendWord(dst []byte, word string) []byte {
	if strings.ContainsFunc(word, unicode.IsControl) {
		return strconv.AppendQuote(dst, word)
	}
	return append(dst, word...)
}

// harmless escapes the control characters that a terminal would obey; lines
// and tabs stay.
func harmless(text string) string {
	obeyed := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if !strings.ContainsFunc(text, obeyed) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if obeyed(r) {
			fmt.Fprintf(&b, "\\x%02x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// eventFormat appends one event of a watch to a line.
type eventFormat func(dst []byte, e rawwatch.Event) ([]byte, error)

func formatOfWatch(name string, now func() time.Time) (eventFormat, error) {
	switch name {
	case formatJSON:
		return appendEventJSON, nil
	case formatName, formatWide:
		return func(dst []byte, e rawwatch.Event) ([]byte, error) { return appendEventName(dst, e, now()), nil }, nil
	}
	return nil, checkFormat(name)
}

func appendEventName(dst []byte, e rawwatch.Event, now time.Time) []byte {
	dst = now.AppendFormat(dst, time.TimeOnly)
	return appendEvent(append(dst, ' '), e)
}

// appendEvent appends what happened, to whom, and how it was learned.
func appendEvent(dst []byte, e rawwatch.Event) []byte {
	dst = fmt.Appendf(dst, "%-8s ", e.Type)
	if e.Type == rawwatch.Synced {
		dst = append(dst, "resourceVersion="...)
		return appendWord(dst, e.ResourceVersion)
	}
	dst = appendKey(dst, e.Object)
	if e.Cause != rawwatch.CauseStream {
		dst = append(dst, " ("...)
		dst = append(dst, e.Cause...)
		dst = append(dst, ')')
	}
	return dst
}

func appendEventJSON(dst []byte, e rawwatch.Event) ([]byte, error) {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, e.Type...)
	if e.Type == rawwatch.Synced {
		dst = append(dst, `","resourceVersion":`...)
		version, _ := json.Marshal(e.ResourceVersion) // a string always marshals
		return append(append(dst, version...), '}'), nil
	}
	dst = append(dst, `","cause":"`...)
	dst = append(dst, e.Cause...)
	dst = append(dst, `","object":`...)
	dst, err := e.Object.AppendJSON(dst)
	return append(dst, '}'), err
}
