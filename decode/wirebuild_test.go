package decode

import (
	"encoding/binary"
	"slices"
)

// Protobuf by hand, so that tests see what they feed.

func str(number int, s string) []byte {
	head := binary.AppendUvarint(nil, uint64(number)<<3|wireBytes)
	return append(binary.AppendUvarint(head, uint64(len(s))), s...)
}

func sub(number int, parts ...[]byte) []byte { return str(number, string(cat(parts...))) }

func num(number int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|wireVarint), v)
}

func cat(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// object is raw in an envelope, as API servers write it.
func object(apiVersion, kind string, raw ...[]byte) []byte {
	return cat([]byte(magic), sub(unknownTypeMeta, str(1, apiVersion), str(2, kind)), sub(unknownRaw, raw...), str(unknownEncoding, ""), str(unknownType, ""))
}

// podMessage is a pod, bare. It has a member that is large enough to matter.
func podMessage(namespace, name, version string) []byte {
	return cat(
		sub(objectMetadata, str(metaName, name), str(2, ""), str(metaNamespace, namespace), str(metaUID, "u-"+name), str(metaResourceVersion, version), num(7, 0), sub(8)),
		sub(2, str(10, "node-7")),
		sub(3, str(1, "Running"), str(6, "10.0.0.1")),
	)
}

func wirePod(name, version string) []byte {
	return object("v1", "Pod", podMessage("edge", name, version))
}

// wireFrame is one frame of a watch.
func wireFrame(typ string, object []byte) []byte {
	frame := cat(str(watchType, typ), sub(watchObject, sub(extensionRaw, object)))
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
}

// wireStatusObject is a Status as error bodies and ERROR frames have it.
func wireStatusObject(code int, reason, message string) []byte {
	return object("v1", "Status", sub(statusMetadata, str(1, ""), str(2, ""), str(3, "next")), str(statusStatus, "Failure"), str(statusMessage, message), str(statusReason, reason),
		sub(statusDetails, str(detailsName, "a"), str(detailsKind, "pods"), str(detailsGroup, "g"), str(detailsUID, "u"), num(detailsRetryAfter, 5),
			sub(detailsCauses, str(causeReason, "ResourceVersionTooLarge"), str(causeMessage, "m"), str(causeField, "f"))),
		num(statusCode, uint64(code)))
}

// wireListBody is a list of bare items.
func wireListBody(kind string, meta []byte, items ...[]byte) []byte {
	raw := [][]byte{sub(listMetadata, meta)}
	for _, it := range items {
		raw = append(raw, sub(listItems, it))
	}
	return object("v1", kind, raw...)
}

// nested is a message in a message, and so on, each in the field of this
// number.
func nested(number, levels int) []byte {
	var heads [][]byte // the innermost first
	size := 0
	for range levels {
		head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|wireBytes), uint64(size))
		heads = append(heads, head)
		size += len(head)
	}
	slices.Reverse(heads)
	return cat(heads...)
}
