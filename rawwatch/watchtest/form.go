package watchtest

import "net/http"

// encoding is how the bytes of an answer are made.
type encoding uint8

const (
	inJSON encoding = iota
	inProtobuf
)

// The media types of the encodings. The frames of a watch in protobuf have a
// parameter of their own; those in JSON do not (both seen on v1.37).
const (
	typeJSON           = "application/json"
	typeProtobuf       = "application/vnd.kubernetes.protobuf"
	typeProtobufStream = typeProtobuf + ";stream=watch"
)

// view is what objects are sent as.
type view uint8

const (
	whole        view = iota
	metadataOnly      // PartialObjectMetadata
	metadataList      // PartialObjectMetadataList
	tabular           // Table
)

var views = map[string]view{"PartialObjectMetadata": metadataOnly, "PartialObjectMetadataList": metadataList, "Table": tabular}

// form is what an Accept header has led to (API concepts, "Alternate
// representations of resources").
type form struct {
	encoding encoding
	view     view
	meta     string // apiVersion of a view that is not whole
}

// slim tells whether objects are sent as their metadata.
func (f form) slim() bool { return f.view == metadataOnly || f.view == metadataList }

// label says in the headers how the body is encoded.
func (c *call) label(e encoding, stream bool) {
	name := typeJSON
	switch {
	case e == inJSON || c.server.options.Protobuf == ProtobufMislabelled:
	case stream:
		name = typeProtobufStream
	default:
		name = typeProtobuf
	}
	c.header.Set("Content-Type", name)
}

// misfit refuses a view of single objects for a list, and one of lists for a
// single object.
func (f form) misfit(r *Resource, list bool) *StatusError {
	switch {
	case list && f.view == metadataOnly:
		return notAcceptable("you requested PartialObjectMetadata, but the requested object is a list (" + r.goType() + "List)")
	case !list && f.view == metadataList && !r.builtin:
		return &StatusError{Code: http.StatusInternalServerError, Message: "content is not a list"}
	case !list && f.view == metadataList:
		return notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list (" + r.goType() + ")")
	}
	return nil
}
