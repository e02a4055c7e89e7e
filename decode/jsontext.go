package decode

import "unicode/utf8"

// appendString writes s as a JSON string, byte for byte as the API server
// does (encoding/json with its escaping of HTML): bytes that are no UTF-8
// become U+FFFD.
func appendString[S string | []byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if isPlain(c) {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			dst = appendEscape(dst, c)
			i++
			from = i
			continue
		}
		r, size := decodeRune(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
			from = i + 1
		case r == '\u2028' || r == '\u2029': // line ends in JavaScript
			dst = append(append(dst, s[from:i]...), `\u202`...)
			dst = append(dst, hexDigits[r&0xf])
			from = i + size
		}
		i += size
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// decodeRune looks at no more bytes than one rune can have.
func decodeRune[S string | []byte](s S) (rune, int) {
	if len(s) > utf8.UTFMax {
		s = s[:utf8.UTFMax]
	}
	return utf8.DecodeRuneInString(string(s))
}

const hexDigits = "0123456789abcdef"

func isPlain(c byte) bool {
	return c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
