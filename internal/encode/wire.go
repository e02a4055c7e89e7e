package encode

import (
	"encoding/binary"
	"slices"
)

// The wire types of protobuf that Kubernetes uses.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
)

func appendTag(dst []byte, number, wireType int) []byte {
	return binary.AppendUvarint(dst, uint64(number)<<3|uint64(wireType))
}

// AppendField appends a field that holds bytes: a string, or a message.
func AppendField(dst []byte, number int, value []byte) []byte {
	dst = appendTag(dst, number, length)
	dst = binary.AppendUvarint(dst, uint64(len(value)))
	return append(dst, value...)
}

func appendText(dst []byte, number int, value string) []byte {
	dst = appendTag(dst, number, length)
	dst = binary.AppendUvarint(dst, uint64(len(value)))
	return append(dst, value...)
}

func appendVarint(dst []byte, number int, value uint64) []byte {
	return binary.AppendUvarint(appendTag(dst, number, varint), value)
}

// appendMessage appends a field that holds what write appends.
func appendMessage(dst []byte, number int, write func([]byte) ([]byte, error)) ([]byte, error) {
	dst = appendTag(dst, number, length)
	from := len(dst)
	dst, err := write(dst)
	if err != nil {
		return dst, err
	}
	var size [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(size[:], uint64(len(dst)-from))
	return slices.Insert(dst, from, size[:n]...), nil
}
