package decode

// ListMeta is what a list says about itself. It owns its strings.
type ListMeta struct {
	Kind       string // "PodList"
	APIVersion string

	// ResourceVersion is the state that the list shows: where a watch begins.
	ResourceVersion string

	// Continue asks for the next page; empty on the last one.
	Continue string

	// RemainingItemCount is how many items follow on later pages, about; -1
	// where the server does not say (it does not for lists with a selector).
	RemainingItemCount int64
}

func unknownListMeta() ListMeta { return ListMeta{RemainingItemCount: -1} }

// listMetaOf decodes a list's "metadata" that stands at offset base of the
// body. What does not fit is left unknown, and reported.
func listMetaOf(raw []byte, base int64) (ListMeta, error) {
	lm := unknownListMeta()
	switch raw[0] {
	case 'n':
		return lm, nil
	case '{':
	default:
		return lm, &ObjectError{Path: "metadata", Offset: base, Token: token(raw[0]), Want: "an object"}
	}
	var first *ObjectError
	err := eachMember(raw, func(key, value []byte, at int) error {
		want := lm.set(string(key), value)
		if want != "" && first == nil {
			first = &ObjectError{Path: "metadata." + string(key), Offset: base + int64(at), Token: token(value[0]), Want: want}
		}
		return nil
	})
	if err == nil && first != nil {
		err = first
	}
	return lm, err
}

// set takes one member. It says what was wanted when the value does not fit.
func (lm *ListMeta) set(key string, value []byte) (want string) {
	switch key {
	case "resourceVersion":
		return replace(value, &lm.ResourceVersion, "", textOf, "a string")
	case "continue":
		return replace(value, &lm.Continue, "", textOf, "a string")
	case "remainingItemCount":
		return replace(value, &lm.RemainingItemCount, -1, numberOf, "an integer")
	}
	return ""
}

// replace decodes value into to; absent stands for null, and for what does not
// fit.
func replace[T any](value []byte, to *T, absent T, read func([]byte) (T, bool), wantedType string) (want string) {
	*to = absent
	if value[0] == 'n' {
		return ""
	}
	v, ok := read(value)
	if !ok {
		return wantedType
	}
	*to = v
	return ""
}
