package decode

// found names the byte c where it should not be. It shows punctuation only:
// any other byte may be part of a secret.
func found(c byte) string {
	switch {
	case c == '{', c == '}', c == '[', c == ']', c == ',', c == ':', c == '<':
		return "'" + string(rune(c)) + "'"
	case c == '"', c == '-', c >= '0' && c <= '9':
		return token(c)
	case c == gzipMagic:
		return "compressed data"
	case c < ' ':
		return "a control character"
	case c >= 0x80:
		return "a byte that is not ASCII"
	default:
		return "a stray character"
	}
}

// gzipMagic begins gzip data (RFC 1952), which is never JSON.
const gzipMagic = 0x1f

// token names the kind of value that begins with c.
func token(c byte) string {
	switch {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == 'n':
		return "null"
	case c == 't', c == 'f':
		return "a boolean"
	default:
		return "a number"
	}
}

// tokenOf names the kind of the value at p, which may be absent.
func tokenOf(b []byte, p span) string {
	if p == (span{}) {
		return "nothing"
	}
	return token(b[p.lo])
}

// maxWord bounds what firstWord shows of a body that is not JSON.
const maxWord = 24

// firstWord is the word at i of a body that does not begin as it should: the
// letters and marks that tell an HTML page or a proxy's message from JSON.
// Anything that could be the start of a JSON value is only named.
func (s *scanner) firstWord() string {
	at, c := s.i, s.b[s.i]
	if c != '<' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
		return found(c)
	}
	defer func() { s.i = at }()
	for s.i < at+maxWord && s.more() == nil && isWord(s.b[s.i]) {
		s.i++
		if s.b[s.i-1] == '>' {
			break
		}
	}
	return `"` + string(s.b[at:s.i]) + `"`
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '<' || c == '>' || c == '!' || c == '/' || c == '?' || c == '-'
}
