package decode

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unescaped is the text of a string's inside, which the scanner has passed as
// well-formed. Without a backslash that is raw itself, byte for byte.
func unescaped(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return unescape(make([]byte, 0, len(raw)), raw)
}

// unescape appends the text of raw to dst. A surrogate without its other half
// becomes U+FFFD, as in encoding/json; bytes that are not UTF-8 stay as they
// are. The text is never longer than raw.
func unescape(dst, raw []byte) []byte {
	for {
		k := bytes.IndexByte(raw, '\\')
		if k < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:k]...)
		raw = raw[k+1:]
		c := raw[0]
		raw = raw[1:]
		if c != 'u' {
			dst = append(dst, plain(c))
			continue
		}
		r := code(raw)
		raw = raw[4:]
		if utf16.IsSurrogate(r) {
			if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' && utf16.DecodeRune(r, code(raw[2:])) != utf8.RuneError {
				r = utf16.DecodeRune(r, code(raw[2:]))
				raw = raw[6:]
			} else {
				r = utf8.RuneError
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
}

// plain is what the escape of one letter stands for.
func plain(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func code(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		d, _ := hex(c)
		r = r<<4 | d
	}
	return r
}
