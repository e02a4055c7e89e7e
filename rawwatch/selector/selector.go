package selector

import (
	"slices"
	"strconv"
	"strings"
)

// Selector is a set of conditions on labels, all of which must hold. The zero
// Selector holds of everything. A Selector does not change, and is safe for
// concurrent use.
type Selector struct{ terms []Requirement }

// Requirement is one condition of a [Selector].
type Requirement struct {
	Key      string
	Operator Operator
	// Values are at least one for In and NotIn, one integer for GreaterThan and
	// LessThan, and none for Exists and DoesNotExist.
	Values []string
}

// Operator says what a [Requirement] asks of the label with its key. There are
// none for equality: it is In, or NotIn, with one value.
type Operator string

// The operators, in the words of the API's matchExpressions.
const (
	In           Operator = "In"           // is there, with one of the values
	NotIn        Operator = "NotIn"        // is not there with any of the values
	Exists       Operator = "Exists"       // is there
	DoesNotExist Operator = "DoesNotExist" // is not there
	GreaterThan  Operator = "Gt"           // is there, an integer above the value
	LessThan     Operator = "Lt"           // is there, an integer below the value
)

// New makes a selector of requirements, which are copied. The error is an
// [*InvalidError].
func New(requirements ...Requirement) (Selector, error) {
	terms := make([]Requirement, 0, len(requirements))
	for _, r := range requirements {
		if err := r.check(); err != nil {
			return Selector{}, err
		}
		r.Values = slices.Compact(slices.Sorted(slices.Values(r.Values)))
		terms = append(terms, r)
	}
	slices.SortFunc(terms, Requirement.compare)
	return Selector{slices.CompactFunc(terms, func(a, b Requirement) bool { return a.compare(b) == 0 })}, nil
}

func (r Requirement) compare(o Requirement) int {
	if c := strings.Compare(r.Key, o.Key); c != 0 {
		return c
	}
	if c := strings.Compare(string(r.Operator), string(o.Operator)); c != 0 {
		return c
	}
	return slices.Compare(r.Values, o.Values)
}

// Empty reports whether everything is selected.
func (s Selector) Empty() bool { return len(s.terms) == 0 }

// Requirements returns the conditions, sorted by key; they are the caller's.
func (s Selector) Requirements() []Requirement {
	terms := slices.Clone(s.terms)
	for i := range terms {
		terms[i].Values = slices.Clone(terms[i].Values)
	}
	return terms
}

// Matches reports whether the selector holds of an object, whose label of a key
// get returns; false when there is none.
func (s Selector) Matches(get func(key string) (value string, ok bool)) bool {
	for i := range s.terms {
		if !s.terms[i].matches(get) {
			return false
		}
	}
	return true
}

// MatchesMap is [Selector.Matches] for labels in a map.
func (s Selector) MatchesMap(labels map[string]string) bool {
	return s.Matches(func(key string) (string, bool) {
		value, ok := labels[key]
		return value, ok
	})
}

func (r *Requirement) matches(get func(key string) (string, bool)) bool {
	value, ok := get(r.Key)
	switch r.Operator {
	case In:
		return ok && slices.Contains(r.Values, value)
	case NotIn:
		return !ok || !slices.Contains(r.Values, value)
	case Exists:
		return ok
	case DoesNotExist:
		return !ok
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if !ok || err != nil {
		return false
	}
	bound, err := strconv.ParseInt(r.Values[0], 10, 64)
	return err == nil && (r.Operator == GreaterThan && n > bound || r.Operator == LessThan && n < bound)
}

// String returns the selector in its canonical spelling, which [Parse] takes:
// sorted, nothing twice, equality as "=" and "!=". Selectors that differ in
// their spelling only are equal in it. It is empty for the empty selector.
func (s Selector) String() string {
	var b strings.Builder
	for i, r := range s.terms {
		if i > 0 {
			b.WriteByte(',')
		}
		r.write(&b)
	}
	return b.String()
}

// signs stand between key and value where there is one value.
var signs = map[Operator]string{In: "=", NotIn: "!=", GreaterThan: ">", LessThan: "<"}

func (r Requirement) write(b *strings.Builder) {
	if r.Operator == DoesNotExist {
		b.WriteByte('!')
	}
	b.WriteString(r.Key)
	switch {
	case len(r.Values) == 0:
		return
	case len(r.Values) == 1:
		b.WriteString(signs[r.Operator])
		b.WriteString(r.Values[0])
		return
	case r.Operator == In:
		b.WriteString(" in (")
	default:
		b.WriteString(" notin (")
	}
	b.WriteString(strings.Join(r.Values, ","))
	b.WriteByte(')')
}
