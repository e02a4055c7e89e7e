package watchtest

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/rawwatch/rawwatch/internal/encode"
)

// ProtobufMode is what a server makes of Accept headers that ask for
// Kubernetes protobuf.
type ProtobufMode uint8

const (
	// ProtobufOn sends it for built-in kinds, and for the metadata of all.
	ProtobufOn ProtobufMode = iota
	// ProtobufOff cannot, as an aggregated server: such an Accept clause
	// matches nothing, and if it is the only one the answer is HTTP 406.
	ProtobufOff
	// ProtobufUnsupported refuses every request whose Accept header names it
	// with HTTP 415, fallbacks or not.
	ProtobufUnsupported
	// ProtobufIgnored sends JSON all the same, and says so in Content-Type.
	ProtobufIgnored
	// ProtobufMislabelled sends protobuf and calls it application/json.
	ProtobufMislabelled
)

// hasProtobuf tells whether objects of the kind can be sent in protobuf.
func (r *Resource) hasProtobuf() bool {
	return !r.JSONOnly && encode.Knows(r.apiVersion(), r.Kind)
}

// wire is a message that has been made once: an object, or why it cannot be.
type wire struct {
	message []byte // without the envelope that says its kind
	err     error
}

// protobuf is the object as a bare message, made once.
func (o *object) protobuf() ([]byte, error) {
	o.wireOnce.Do(func() {
		o.wire.message, o.wire.err = encode.Message(nil, o.resource.apiVersion(), o.resource.Kind, o.body)
	})
	return o.wire.message, o.wire.err
}

// metadataProtobuf is the PartialObjectMetadata of the object, likewise.
func (o *object) metadataProtobuf() ([]byte, error) {
	o.slimOnce.Do(func() {
		o.slim.message, o.slim.err = encode.Message(nil, "meta.k8s.io/v1", "PartialObjectMetadata", o.metadataOnly("meta.k8s.io/v1"))
	})
	return o.slim.message, o.slim.err
}

// message is the object in a form, bare.
func (o *object) message(f form) ([]byte, error) {
	if f.slim() {
		return o.metadataProtobuf()
	}
	return o.protobuf()
}

// kind is the kind and apiVersion of single objects in a form.
func (f form) kind(r *Resource) (kind, apiVersion string) {
	if f.slim() {
		return "PartialObjectMetadata", f.meta
	}
	return r.Kind, r.apiVersion()
}

// listKind is the same of lists.
func (f form) listKind(r *Resource) (kind, apiVersion string) {
	kind, apiVersion = f.kind(r)
	return kind + "List", apiVersion
}

// wrapped is the object in a form with its envelope.
func (o *object) wrapped(f form) ([]byte, error) {
	message, err := o.message(f)
	if err != nil {
		return nil, unencodable(o, err)
	}
	kind, apiVersion := f.kind(o.resource)
	return encode.Wrap(nil, apiVersion, kind, message), nil
}

// unencodable refuses an object that was stored although its kind cannot look
// like that; a kube-apiserver would not have taken it.
func unencodable(o *object, err error) *StatusError {
	return &StatusError{Code: http.StatusInternalServerError, Reason: "InternalError",
		Message: "Internal error occurred: " + o.resource.qualified() + " " + strconv.Quote(o.key()) + " has no protobuf form: " + err.Error()}
}

// protobufList is a page as one document. The length of a list stands before
// its items, so that it has to be gathered.
func (c *call) protobufList(p page, f form) ([]byte, error) {
	meta, err := encode.Message(nil, "meta.k8s.io/v1", "ListMeta", p.metadata(true))
	if err != nil {
		return nil, err
	}
	size := len(meta) + 16
	for _, o := range p.objects {
		message, err := o.message(f)
		if err != nil {
			return nil, unencodable(o, err)
		}
		size += len(message) + 16
	}
	list := encode.AppendField(make([]byte, 0, size), 1, meta)
	for _, o := range p.objects {
		message, _ := o.message(f)
		list = encode.AppendField(list, 2, message)
	}
	kind, apiVersion := f.listKind(c.collection.resource)
	return encode.Wrap(nil, apiVersion, kind, list), nil
}

// encoded is one of the server's own documents in an encoding; what has no
// protobuf form stays JSON.
func encoded(document []byte, e encoding) ([]byte, encoding) {
	if e == inProtobuf {
		if wire, err := encode.Object(nil, document); err == nil {
			return wire, inProtobuf
		}
	}
	return document, inJSON
}

// transcoded is a frame in JSON as one in protobuf. What is no such frame, or
// holds what has no protobuf form, stays as it is.
func transcoded(frame []byte, r *Resource) []byte {
	top, err := parseMembers(frame)
	if err != nil || len(top) != 2 {
		return frame
	}
	object, err := encode.Object(nil, top.get("object"))
	var unknown *encode.UnknownKindError
	if errors.As(err, &unknown) && (unknown.Kind == "" || unknown.APIVersion == "") {
		// What does not say what it is, is read as what is watched, and still
		// does not say it.
		var message []byte
		message, err = encode.Message(nil, r.apiVersion(), r.Kind, top.get("object"))
		object = encode.Wrap(nil, unknown.APIVersion, unknown.Kind, message)
	}
	if err != nil {
		return frame
	}
	return encode.Frame(nil, top.text("type"), object)
}
