package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State is a set of objects: "namespace/name" (or "name") to the object in
// canonical JSON. Two states are equal when the maps are.
type State map[string]string

// Canonical is the JSON value with sorted fields and without white space,
// numbers as they were written: equal for objects that mean the same.
func Canonical(object []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return "", fmt.Errorf("conformance: object: %w", err)
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// maxDiffs bounds the lines of a [Diff].
const maxDiffs = 10

// Diff tells how got differs from want, in a few lines; "" when it does not.
func Diff(want, got State) string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		switch object, ok := got[key]; {
		case !ok:
			lines = append(lines, "missing "+key+": "+want[key])
		case object != want[key]:
			lines = append(lines, "differs "+key+":\n\twant "+want[key]+"\n\tgot  "+object)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			lines = append(lines, "surplus "+key+": "+got[key])
		}
	}
	if len(lines) > maxDiffs {
		lines = append(lines[:maxDiffs], fmt.Sprintf("and %d more", len(lines)-maxDiffs))
	}
	return strings.Join(lines, "\n")
}
