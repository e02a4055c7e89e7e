// Package selector reads label selectors and matches them against labels, as
// the API server does for labelSelector in a query, and kubectl for -l:
//
//	sel, err := selector.Parse("app in (web, db), tier!=edge, !legacy")
//	ok := sel.Matches(func(key string) (string, bool) { v, ok := labels[key]; return v, ok })
//
// The syntax is that of "Labels and Selectors" in the Kubernetes documentation:
// conditions joined by commas, all of which must hold.
//
//	key=value    key==value    has the key with this value
//	key!=value                 has the key with another value, or lacks it
//	key in (a,b)               has the key with one of these values
//	key notin (a,b)            has the key with none of these values, or lacks it
//	key                        has the key
//	!key                       lacks the key
//	key>5        key<5         has the key with an integer above, or below
//
// A value may be empty, and "()" holds the empty value. The empty selector
// selects everything. What cannot be a label's key or value is refused as the
// API server refuses it.
//
// The documentation is
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
package selector
