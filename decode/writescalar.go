package decode

import (
	"encoding/base64"
	"math"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// wireTypeOf is the wire type of a kind.
func wireTypeOf(kind schema.Kind) uint8 {
	switch kind {
	case schema.Bool, schema.Int32, schema.Int64:
		return wireVarint
	case schema.Double:
		return wireFixed64
	}
	return wireBytes
}

// scalar writes one value that is no message of the table.
func (w *writer) scalar(kind schema.Kind, m *wire, base int) error {
	if m.typ != wireTypeOf(kind) {
		return wrongType(m, base)
	}
	switch kind {
	case schema.String:
		w.dst = appendString(w.dst, m.data)
	case schema.Bool:
		w.dst = strconv.AppendBool(w.dst, m.value != 0)
	case schema.Int32, schema.Int64:
		w.dst = strconv.AppendInt(w.dst, integer(kind, m.value), 10)
	case schema.Double:
		n := math.Float64frombits(m.value)
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return &ObjectError{Offset: int64(base + m.at), Token: "no number", Want: tokenNumber}
		}
		w.dst = appendFloat(w.dst, n)
	case schema.Bytes:
		w.dst = append(w.dst, '"')
		w.dst = base64.StdEncoding.AppendEncode(w.dst, m.data)
		w.dst = append(w.dst, '"')
	default:
		return w.special(kind, m, base)
	}
	return nil
}

func (w *writer) special(kind schema.Kind, m *wire, base int) error {
	s, bad := parseForm(kind, m.data)
	if bad != "" {
		return malformed(base+m.at, bad)
	}
	switch kind {
	case schema.Quantity:
		w.dst = appendString(w.dst, s.text)
	case schema.Time:
		w.dst = appendTime(w.dst, s.seconds(), time.RFC3339)
	case schema.MicroTime:
		w.dst = appendTime(w.dst, s.micros(), microLayout)
	case schema.Duration:
		w.dst = appendString(w.dst, time.Duration(s.first).String())
	case schema.IntOrString:
		if s.isText() {
			w.dst = appendString(w.dst, s.text)
		} else {
			w.dst = strconv.AppendInt(w.dst, s.more, 10)
		}
	case schema.Raw:
		return w.raw(s.text, base+m.at)
	}
	return nil
}

// raw writes bytes that are JSON, without white space between tokens.
func (w *writer) raw(b []byte, base int) error {
	if len(b) == 0 {
		w.dst = append(w.dst, "null"...)
		return nil
	}
	s := scanner{b: b, max: DefaultDepth}
	_, err := s.space()
	if err == nil {
		err = s.skip()
	}
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return &ObjectError{Offset: int64(base), Token: "an embedded object in another encoding", Want: "JSON"}
	}
	w.dst = appendCompact(w.dst, b)
	return nil
}

// appendCompact appends well-formed JSON as encoding/json embeds it: without
// white space, and with the characters escaped that mean something in HTML or
// end a line in JavaScript.
func appendCompact(dst, b []byte) []byte {
	inText := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case !inText && isSpace(c):
			continue
		case c == '"':
			inText = !inText
		case c == '\\':
			dst = append(dst, c)
			i++
			c = b[i]
		case c == '<', c == '>', c == '&':
			dst = appendEscape(dst, c)
			continue
		case c == 0xe2 && i+2 < len(b) && b[i+1] == 0x80 && b[i+2]&^1 == 0xa8:
			dst = append(append(dst, `\u202`...), hexDigits[b[i+2]&0xf])
			i += 2
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// appendFloat writes a number as encoding/json does, which is how ECMAScript
// does.
func appendFloat(dst []byte, n float64) []byte {
	format := byte('f')
	if abs := math.Abs(n); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, n, format, -1, 64)
	if k := len(dst); format == 'e' && k >= 4 && dst[k-4] == 'e' && dst[k-3] == '-' && dst[k-2] == '0' {
		dst[k-2] = dst[k-1] // e-09 to e-9
		dst = dst[:k-1]
	}
	return dst
}
