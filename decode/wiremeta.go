package decode

// Numbers of the fields that readers need, known by heart so that they do not
// need the table: all that can be listed has its metadata in field 1.
const (
	objectMetadata = 1

	metaName            = 1
	metaNamespace       = 3
	metaUID             = 5
	metaResourceVersion = 6
	metaAnnotations     = 12

	entryKey   = 1
	entryValue = 2
)

// scanWireMeta finds the metadata of an object in protobuf that begins at
// offset base.
func scanWireMeta(object []byte, base int64, m *Meta) *ObjectError {
	e, err := open(object)
	if err == nil {
		m.APIVersion, m.Kind = e.apiVersion, e.kind
		err = scanMessage(e.raw, e.at, m)
	}
	if err != nil {
		err.Offset += base
		err.Key = m.key()
	}
	return err
}

// scanMessage finds the metadata of the message raw.
func scanMessage(raw []byte, at int, m *Meta) *ObjectError {
	w := wire{b: raw}
	for w.next() {
		if w.number != objectMetadata {
			continue
		}
		if w.typ != wireBytes {
			return &ObjectError{Path: nameMetadata, Offset: int64(at + w.at), Token: wireToken(w.typ), Want: "a message"}
		}
		if err := objectMeta(w.data, at+w.at, m); err != nil {
			return err
		}
	}
	if w.bad != "" {
		return malformed(at+w.i, w.bad)
	}
	return nil
}

func objectMeta(b []byte, at int, m *Meta) *ObjectError {
	w := wire{b: b}
	for w.next() {
		if w.number > metaAnnotations {
			continue
		}
		to, path := m.text(w.number)
		switch {
		case to == nil && w.number != metaAnnotations:
		case w.typ != wireBytes:
			return &ObjectError{Path: path, Offset: int64(at + w.at), Token: wireToken(w.typ), Want: "a string"}
		case to != nil:
			*to = w.data
		default:
			k, v, ok := entry(w.data)
			if !ok {
				e := malformed(at+w.at, "a malformed entry")
				e.Path = path
				return e
			}
			if string(k) == InitialEventsEnd {
				m.InitialEventsEnd = string(v) == "true"
			}
		}
	}
	if w.bad != "" {
		e := malformed(at+w.i, w.bad)
		e.Path = nameMetadata
		return e
	}
	return nil
}

// text is where the field of ObjectMeta with this number goes, if anywhere.
func (m *Meta) text(number int) (to *[]byte, path string) {
	switch number {
	case metaName:
		return &m.Name, "metadata.name"
	case metaNamespace:
		return &m.Namespace, "metadata.namespace"
	case metaUID:
		return &m.UID, "metadata.uid"
	case metaResourceVersion:
		return &m.ResourceVersion, "metadata.resourceVersion"
	}
	return nil, "metadata.annotations"
}

// entry takes an entry of a map from strings to strings apart.
func entry(b []byte) (key, value []byte, ok bool) {
	w := wire{b: b}
	for w.next() {
		switch {
		case w.number == entryKey && w.typ == wireBytes:
			key = w.data
		case w.number == entryValue && w.typ == wireBytes:
			value = w.data
		}
	}
	return key, value, w.bad == ""
}
