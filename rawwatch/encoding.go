package rawwatch

import (
	"io"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// Encoding says in which encoding objects are asked for. Whatever is asked
// for, [decode.EncodingOf] tells what an object came in, and [Object.JSON]
// gives it as JSON.
type Encoding uint8

const (
	// EncodingAutomatic asks for protobuf where the server is known to have it
	// and the program to understand it, with JSON as the second choice: that
	// is the built-in API groups and, where a T is decoded, a T all of whose
	// fields are known in protobuf. Everything else is asked for as JSON.
	EncodingAutomatic Encoding = iota
	// EncodingJSON asks for JSON only.
	EncodingJSON
	// EncodingProtobuf asks for protobuf, with JSON as the second choice, also
	// outside of the built-in groups: some aggregated API servers have it.
	EncodingProtobuf
)

// form is what is asked of the server: how objects are encoded, and how much
// of them is sent. The zero form is whole objects in JSON, which every server
// has.
type form struct {
	protobuf bool // else JSON
	metadata bool // PartialObjectMetadata in place of whole objects
	// rows asks for Tables, always in JSON, and takes them apart; nil asks for
	// objects.
	rows rowReader
}

// rowReader gives the rows of Tables as if they were objects. It is an
// interface so that only programs that print Tables link it.
type rowReader interface {
	// page reads one page of a list; more is false when item returned false.
	page(body io.Reader, item func(*decode.Item) bool) (meta decode.ListMeta, more bool, err error)
	// frame puts a frame's row in place of its Table.
	frame(*decode.Event) error
}

// formFor is the form that the options ask for.
func formFor(r Resource, e Encoding, metadataOnly bool) form {
	protobuf := e == EncodingProtobuf || e == EncodingAutomatic && (metadataOnly || builtin(r.Group))
	return form{protobuf: protobuf, metadata: metadataOnly}
}

// builtin reports whether the API group is part of Kubernetes itself. Groups
// that custom resources take must have a dot in their name, and those below
// k8s.io are reserved; which of these are built in, and which are add-ons of
// the project with custom resources, only a list can tell.
func builtin(group string) bool {
	name, k8s := strings.CutSuffix(group, ".k8s.io")
	if !k8s {
		return !strings.Contains(group, ".")
	}
	return strings.Contains(builtinGroups, " "+name+" ")
}

// builtinGroups are those below k8s.io, of which objects have a form in
// protobuf. A group that is missing here costs no more than JSON does.
const builtinGroups = " admissionregistration apiextensions apiregistration authentication authorization certificates coordination discovery events flowcontrol.apiserver internal.apiserver networking node rbac.authorization resource scheduling storage storagemigration "

const (
	acceptJSON     = "application/json"
	acceptProtobuf = "application/vnd.kubernetes.protobuf"
	metaGroup      = ";g=meta.k8s.io;v=v1"
)

// accept is the Accept header: the cheapest form first, and what every server
// has last.
func (f form) accept(verb string) string {
	if f.rows != nil {
		return acceptJSON + ";as=Table" + metaGroup + "," + acceptJSON
	}
	if !f.metadata {
		if f.protobuf {
			return acceptProtobuf + "," + acceptJSON
		}
		return acceptJSON
	}
	as := ";as=PartialObjectMetadata"
	if verb == "list" {
		as += "List" // as=PartialObjectMetadata on a list is answered with 406
	}
	as += metaGroup
	partial := acceptJSON + as
	if f.protobuf {
		partial = acceptProtobuf + as + "," + partial
	}
	return partial + "," + acceptJSON
}
