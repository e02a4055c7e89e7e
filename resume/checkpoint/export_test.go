package checkpoint

import (
	"encoding/binary"
	"hash/crc32"
)

// FixHeader makes the checksum of a changed header hold.
func FixHeader(file []byte) {
	binary.LittleEndian.PutUint32(file[60:], crc32.Checksum(file[:60], castagnoli))
}

// WriteAs makes a store that holds nothing yet write an older format.
func (s *Store) WriteAs(format int) error {
	s.image.header.format = format
	_, err := s.image.file.WriteAt(s.image.header.bytes(), 0)
	return err
}

// FixSums makes the checksums of a header and of what looks like frames hold.
func FixSums(file []byte) {
	if len(file) < headerSize {
		return
	}
	FixHeader(file)
	id := [8]byte(file[16:])
	for at := headerSize; at+frameHead <= len(file); {
		length, ok := frameLength(file[at:at+frameHead], int64(len(file)-at))
		if !ok {
			return
		}
		body := file[at+frameHead : at+frameHead+int(length)]
		binary.LittleEndian.PutUint32(file[at+6:], checksum(id, int64(at), body))
		at += frameHead + int(length)
	}
}

// Forget writes that a watch is gone, as SetAside once did.
func (s *Store) Forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frame := appendKind(append(s.frame[:0], make([]byte, frameHead)...), kindForget, s.contents.watches[name].gen)
	closeFrame(frame, 0, s.image.header.id, s.image.size())
	s.write(frame)
}
