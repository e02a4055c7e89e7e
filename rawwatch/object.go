package rawwatch

import (
	"bytes"
	"encoding/json"

	"github.com/rawwatch/rawwatch/decode"
)

// Object is one Kubernetes object as it was received: who it is, and its bytes.
//
// The strings are the caller's to keep. Raw is borrowed: it is valid until the
// iterator that delivered the object takes its next step, and must not be
// written to. Keep an object with [Object.Clone].
type Object struct {
	decode.Identity
	// APIVersion and Kind of the object. Items of a list carry none on the wire
	// for most kinds; they are filled in from the list.
	APIVersion, Kind string
	// Raw is the object as the server sent it: JSON byte for byte, or
	// Kubernetes protobuf in its envelope; see [Object.Encoding]. It is nil
	// for a stub: an object of which only the identity is known, because its
	// deletion was learned from a list that no longer holds it, or from the next
	// object of its name.
	Raw []byte

	checked decode.Checked // of Raw; zero where no reader has checked it
}

// IsStub reports whether only the object's identity is known.
func (o Object) IsStub() bool { return o.Raw == nil }

// Clone returns a copy whose Raw bytes are the caller's to keep.
func (o Object) Clone() Object {
	o.Raw, o.checked = bytes.Clone(o.Raw), decode.Checked{}
	return o
}

// Encoding of Raw; JSON for a stub.
func (o Object) Encoding() decode.Encoding { return decode.EncodingOf(o.Raw) }

// JSON is [Object.AppendJSON] into bytes of its own.
func (o Object) JSON() ([]byte, error) { return o.AppendJSON(nil) }

// AppendJSON appends the object to dst as one line of JSON and returns the
// extended slice. Protobuf becomes what the API server itself would have
// written. Of JSON, where the server left kind and apiVersion out, as it does
// in the items of a list, they are filled in; everything else stays byte for
// byte, but for line breaks between tokens, which become blanks. A stub has
// kind, apiVersion and the four metadata fields of its identity.
//
// There is an error for protobuf only, as of [decode.ToJSON]: it is malformed,
// or holds what is newer than this program's table of the built-in kinds, in
// which case [EncodingJSON] is the way out. A program that calls AppendJSON
// links that table (see package decode).
func (o Object) AppendJSON(dst []byte) ([]byte, error) {
	if o.Raw == nil {
		return o.appendStub(dst), nil
	}
	if o.Encoding() == decode.Protobuf {
		return decode.ToJSON(dst, o.Raw)
	}
	start := len(dst)
	dst = o.appendTyped(dst)
	line := dst[start:]
	for _, b := range [...]byte{'\n', '\r'} {
		// A JSON string holds no bare line break, so each one found here
		// stands between tokens.
		for rest := line; ; {
			i := bytes.IndexByte(rest, b)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
	return dst, nil
}

// appendTyped appends Raw, with kind and apiVersion put in front of its first
// field if it has neither.
func (o Object) appendTyped(dst []byte) []byte {
	var meta decode.Meta
	open := bytes.IndexByte(o.Raw, '{')
	if open < 0 || decode.ScanMeta(o.Raw, &meta) != nil || len(meta.Kind) != 0 || len(meta.APIVersion) != 0 || o.Kind == "" {
		return append(dst, o.Raw...)
	}
	dst = append(dst, `{"kind":`...)
	dst = appendString(dst, o.Kind)
	dst = append(dst, `,"apiVersion":`...)
	dst = appendString(dst, o.APIVersion)
	rest := bytes.TrimLeft(o.Raw[open+1:], " \t\r\n")
	if len(rest) > 0 && rest[0] != '}' {
		dst = append(dst, ',')
	}
	return append(dst, rest...)
}

func (o Object) appendStub(dst []byte) []byte {
	type typeMeta struct {
		Kind       string          `json:"kind,omitempty"`
		APIVersion string          `json:"apiVersion,omitempty"`
		Metadata   decode.Identity `json:"metadata"`
	}
	text, err := json.Marshal(typeMeta{o.Kind, o.APIVersion, o.Identity})
	if err != nil { // four strings always marshal
		return dst
	}
	return append(dst, text...)
}

func appendString(dst []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return append(dst, `""`...)
	}
	return append(dst, text...)
}

// kindCache holds the API version and kind of the last object: within one
// stream they hardly ever change, and so need not be allocated again.
type kindCache struct {
	resource         *Resource
	apiVersion, kind string
	partial          bool // the last object came as its metadata only
}

const kindPartial = "PartialObjectMetadata"

// object makes an [Object] of borrowed bytes. What comes as its metadata only
// calls itself PartialObjectMetadata; who it is, only the query knows.
func (k *kindCache) object(raw []byte, meta *decode.Meta) Object {
	switch {
	case string(meta.Kind) == kindPartial && k.resource.Kind != "":
		if !k.partial {
			k.apiVersion, k.kind, k.partial = k.resource.apiVersion(), k.resource.Kind, true
		}
	case string(meta.Kind) != k.kind || string(meta.APIVersion) != k.apiVersion || k.partial:
		k.apiVersion, k.kind, k.partial = string(meta.APIVersion), string(meta.Kind), false
	}
	return Object{Identity: meta.Identity(), APIVersion: k.apiVersion, Kind: k.kind, Raw: raw, checked: meta.Checked()}
}
