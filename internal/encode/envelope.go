package encode

import (
	"encoding/binary"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// magic begins every object that stands by itself (API concepts, "Kubernetes
// Protobuf encoding").
const magic = "k8s\x00"

// Knows tells whether objects of a kind have a protobuf form.
func Knows(apiVersion, kind string) bool {
	_, ok := schema.Object(apiVersion, kind)
	return ok
}

// Wrap appends a message in the envelope that says of which kind it is, a
// runtime.Unknown behind the magic number.
func Wrap(dst []byte, apiVersion, kind string, message []byte) []byte {
	typeMeta := appendText(appendText(nil, 1, apiVersion), 2, kind)
	dst = AppendField(append(dst, magic...), 1, typeMeta)
	dst = AppendField(dst, 2, message)
	return appendText(appendText(dst, 3, ""), 4, "")
}

// Frame appends a frame of a watch: its length in four bytes, then a WatchEvent
// around an object that stands by itself.
func Frame(dst []byte, eventType string, object []byte) []byte {
	var event []byte
	event = appendText(event, 1, eventType)
	event = AppendField(event, 2, AppendField(nil, 1, object)) // a RawExtension
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(event)))
	return append(dst, event...)
}
