package resume

import (
	"encoding/hex"
	"strconv"

	"github.com/rawwatch/rawwatch/decode"
)

// entry is what an [Index] holds per object, beside its key: 32 bytes and V. A
// uid that is a UUID takes 16 bytes and a version that is a number 8. Whatever
// else a server calls a uid or a version is kept as it is, in Index.odd.
type entry[V any] struct {
	value      V // first: at the end, an empty one would take up room
	version    uint64
	uid        [16]byte
	relist     uint32 // the last relist in which it was seen
	oddUID     bool
	oddVersion bool
	audited    bool // in the audit under way: nothing is to be said of it any more
}

// oddID holds what does not fit into an entry; the other string is empty.
type oddID struct{ uid, version string }

func (x *Index[V]) fill(e *entry[V], m *decode.Meta) {
	wasOdd := e.oddUID || e.oddVersion
	e.audited = true
	var ok bool
	e.uid, ok = parseUUID(m.UID)
	e.oddUID = !ok
	e.version, ok = parseVersion(m.ResourceVersion)
	e.oddVersion = !ok
	switch {
	case e.oddUID || e.oddVersion:
		x.setOdd(e, m)
	case wasOdd:
		delete(x.odd, e)
	}
}

func (x *Index[V]) setOdd(e *entry[V], m *decode.Meta) {
	var odd oddID
	if e.oddUID {
		odd.uid = string(m.UID)
	}
	if e.oddVersion {
		odd.version = string(m.ResourceVersion)
	}
	if x.odd == nil {
		x.odd = make(map[*entry[V]]oddID)
	}
	x.odd[e] = odd
}

func (x *Index[V]) hasUID(e *entry[V], uid []byte) bool {
	if e.oddUID {
		return x.odd[e].uid == string(uid)
	}
	u, ok := parseUUID(uid)
	return ok && u == e.uid
}

func (x *Index[V]) hasVersion(e *entry[V], version []byte) bool {
	if e.oddVersion {
		return len(version) > 0 && x.odd[e].version == string(version)
	}
	v, ok := parseVersion(version)
	return ok && v == e.version
}

// newer reports that what is known is certainly newer than version.
func (x *Index[V]) newer(e *entry[V], version []byte) bool {
	if v, ok := parseVersion(version); ok && !e.oddVersion {
		return e.version > v
	}
	var digits [20]byte
	known := digits[:0]
	if e.oddVersion {
		known = append(known, x.odd[e].version...)
	} else {
		known = strconv.AppendUint(known, e.version, 10)
	}
	order, comparable := compareVersions(known, version)
	return comparable && order > 0
}

func (x *Index[V]) identity(key decode.Key, e *entry[V]) decode.Identity {
	id := decode.Identity{Namespace: key.Namespace, Name: key.Name}
	if e.oddUID || e.oddVersion {
		odd := x.odd[e]
		id.UID, id.ResourceVersion = odd.uid, odd.version
	}
	if !e.oddUID {
		id.UID = formatUUID(e.uid)
	}
	if !e.oddVersion {
		id.ResourceVersion = strconv.FormatUint(e.version, 10)
	}
	return id
}

// parseVersion is false for what would not come back byte for byte.
func parseVersion(b []byte) (uint64, bool) {
	const safe = 19 // digits that always fit
	if len(b) > safe || !isNumber(b) {
		return 0, false
	}
	var v uint64
	for _, c := range b {
		v = v*10 + uint64(c-'0')
	}
	return v, true
}

// uuidGroups are the bytes between the dashes of a UUID (RFC 9562, section 4).
var uuidGroups = [...]int{4, 2, 2, 2, 6}

// parseUUID takes lower-case UUIDs, which come back byte for byte.
func parseUUID(b []byte) (u [16]byte, ok bool) {
	if len(b) != 36 || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
		return u, false
	}
	at, n := 0, 0
	for _, size := range uuidGroups {
		for range size {
			hi, lo := nibble(b[at]), nibble(b[at+1])
			if hi|lo > 15 {
				return [16]byte{}, false
			}
			u[n] = hi<<4 | lo
			n++
			at += 2
		}
		at++ // the dash, or the end
	}
	return u, true
}

// nibble is 255 for what is no lower-case hexadecimal digit.
func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

func formatUUID(u [16]byte) string {
	return string(appendUUID(make([]byte, 0, 36), u))
}

func appendUUID(b []byte, u [16]byte) []byte {
	rest := u[:]
	for i, n := range uuidGroups {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, rest[:n])
		rest = rest[n:]
	}
	return b
}
