package decode

import "strconv"

// within says that err happened inside the member, index or entry at.
func within(at string, err error) error {
	switch e := err.(type) {
	case *ObjectError:
		e.Path = joinPath(at, e.Path)
	case *UnknownError:
		for i, path := range e.Paths {
			e.Paths[i] = joinPath(at, path)
		}
	}
	return err
}

// maxPath bounds paths, in bytes: of what is absurdly deep, the inner end is
// enough.
const maxPath = 512

func joinPath(at, rest string) string {
	if len(rest) > maxPath {
		return rest
	}
	if at == "" || rest == "" || rest[0] == '[' {
		return at + rest
	}
	return at + "." + rest
}

func indexPath(k int) string { return "[" + strconv.Itoa(k) + "]" }

// maxEntryName bounds which names of a map's entries an error shows: those
// that look like the name of a label, an annotation or a file.
const maxEntryName = 80

// entryPath is the path of a map's entry. Names are no values, but whoever
// chose them may have put anything there.
func entryPath(name string) string {
	if len(name) > maxEntryName {
		return "[…]"
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_', c == '/':
		default:
			return "[…]"
		}
	}
	return "[" + name + "]"
}
