package decode

import "strings"

// Encoding is the form that an object, list or watch has on the wire.
type Encoding uint8

// The encodings that this package reads. Metadata-only objects come in both.
const (
	JSON Encoding = iota

	// Protobuf is application/vnd.kubernetes.protobuf: each object is an
	// envelope that begins with the bytes "k8s\0" (API concepts, "Kubernetes
	// Protobuf encoding").
	Protobuf
)

// String is "JSON" or "protobuf".
func (e Encoding) String() string {
	if e == Protobuf {
		return "protobuf"
	}
	return "JSON"
}

// Media types of the encodings, for Accept and Content-Type. A watch in
// protobuf is asked for with the parameter "stream=watch".
const (
	ContentTypeJSON     = "application/json"
	ContentTypeProtobuf = "application/vnd.kubernetes.protobuf"
)

// EncodingOfType is the encoding that a Content-Type announces, whatever its
// parameters. ok is false for one that this package does not read.
func EncodingOfType(contentType string) (e Encoding, ok bool) {
	media, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case ContentTypeJSON:
		return JSON, true
	case ContentTypeProtobuf:
		return Protobuf, true
	}
	return JSON, false
}

// magic begins every object in protobuf. No JSON begins so.
const magic = "k8s\x00"

// EncodingOf tells the encodings of objects apart by how they begin.
func EncodingOf(object []byte) Encoding {
	if len(object) >= len(magic) && string(object[:len(magic)]) == magic {
		return Protobuf
	}
	return JSON
}

// Fields of the envelope, runtime.Unknown, and of the TypeMeta in it.
const (
	unknownTypeMeta = 1
	unknownRaw      = 2
	unknownEncoding = 3 // of raw: "" is none
	unknownType     = 4 // of raw: "" is protobuf

	typeMetaAPIVersion = 1
	typeMetaKind       = 2
)

// envelope is an object of the encoding Protobuf, taken apart. It borrows.
type envelope struct {
	apiVersion, kind []byte
	raw              []byte // the message
	at               int    // where raw begins
}

// open takes an object apart whose encoding is Protobuf.
func open(object []byte) (e envelope, err *ObjectError) {
	w := wire{b: object, i: len(magic)}
	for w.next() {
		if w.typ != wireBytes {
			continue
		}
		switch w.number {
		case unknownTypeMeta:
			if e.apiVersion, e.kind, err = typeMeta(w.data, w.at); err != nil {
				return e, err
			}
		case unknownRaw:
			e.raw, e.at = w.data, w.at
		case unknownEncoding, unknownType:
			if err = checkContent(&w, 0); err != nil {
				return e, err
			}
		}
	}
	if w.bad != "" {
		return e, malformed(w.i, w.bad)
	}
	return e, nil
}

func typeMeta(b []byte, at int) (apiVersion, kind []byte, err *ObjectError) {
	w := wire{b: b}
	for w.next() {
		switch {
		case w.typ != wireBytes:
		case w.number == typeMetaAPIVersion:
			apiVersion = w.data
		case w.number == typeMetaKind:
			kind = w.data
		}
	}
	if w.bad != "" {
		return nil, nil, malformed(at+w.i, w.bad)
	}
	return apiVersion, kind, nil
}

// checkContent makes sure that raw is a plain message.
func checkContent(w *wire, base int) *ObjectError {
	if len(w.data) == 0 || w.number == unknownType && strings.HasPrefix(string(w.data), ContentTypeProtobuf) {
		return nil
	}
	return &ObjectError{Offset: int64(base + w.at), Token: "an encoding of its own", Want: "a plain protobuf message"}
}

func malformed(at int, what string) *ObjectError {
	return &ObjectError{Offset: int64(at), Token: what, Want: "a protobuf message"}
}

// wrap appends an object of the encoding Protobuf up to where its message of
// the given size begins.
func wrap(dst []byte, apiVersion, kind string, size int) []byte {
	dst = append(dst, magic...)
	length := 0
	for _, s := range []string{apiVersion, kind} {
		length += 1 + uvarintLen(len(s)) + len(s)
	}
	dst = appendLength(dst, unknownTypeMeta, length)
	dst = append(appendLength(dst, typeMetaAPIVersion, len(apiVersion)), apiVersion...)
	dst = append(appendLength(dst, typeMetaKind, len(kind)), kind...)
	return appendLength(dst, unknownRaw, size)
}

// appendLength appends the head of a field of bytes.
func appendLength(dst []byte, number, length int) []byte {
	dst = append(dst, byte(number<<3|wireBytes))
	for ; length >= 0x80; length >>= 7 {
		dst = append(dst, byte(length)|0x80)
	}
	return append(dst, byte(length))
}

func uvarintLen(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}
