package checkpoint

import (
	"encoding/binary"
	"hash/crc32"
)

// FixHeader makes the checksum of a changed header hold.
func FixHeader(file []byte) {
	binary.LittleEndian.PutUint32(file[60:], crc32.Checksum(file[:60], castagnoli))
}
