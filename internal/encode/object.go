package encode

import (
	"encoding/json"
	"slices"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// Object appends an object that stands by itself and says its kind and
// apiVersion.
//
// An [*UnknownKindError] means that the kind is not built in, a [*ValueError]
// that the text is no JSON or a value does not fit its field; dst is then
// returned as it was.
func Object(dst, object []byte) ([]byte, error) {
	all, err := document(object)
	if err != nil {
		return dst, err
	}
	apiVersion, kind := textOf(all, "apiVersion"), textOf(all, "kind")
	typ, ok := schema.Object(apiVersion, kind)
	if !ok {
		return dst, &UnknownKindError{apiVersion, kind}
	}
	message, err := appendMembers(nil, typ, all)
	if err != nil {
		return dst, err
	}
	return Wrap(dst, apiVersion, kind, message), nil
}

// Message appends an object, or a part of one, as a bare message: an item of a
// list, or its metadata. The type is named by group and version and its name in
// Go, such as "v1" and "Pod" or "meta.k8s.io/v1" and "ListMeta". Errors are
// those of [Object].
func Message(dst []byte, group, name string, text []byte) ([]byte, error) {
	typ, ok := schema.Lookup(group + "." + name)
	if !ok {
		return dst, &UnknownKindError{group, name}
	}
	all, err := document(text)
	if err != nil {
		return dst, err
	}
	message, err := appendMembers(slices.Clip(dst), typ, all)
	if err != nil {
		return dst, err
	}
	return message, nil
}

// document checks a text and takes it apart.
func document(text []byte) ([]member, error) {
	if !json.Valid(text) {
		return nil, &ValueError{Want: "JSON"}
	}
	c := cursor{b: text}
	return c.value().members()
}

func textOf(all []member, name string) string {
	text, err := lookup(all, name).text()
	if err != nil {
		return ""
	}
	return text
}

// lookup finds a member; of several with the same name the last one counts.
func lookup(all []member, name string) span {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].name == name {
			return all[i].value
		}
	}
	return nil
}
