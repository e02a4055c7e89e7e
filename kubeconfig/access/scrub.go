package access

import "strings"

// secretNames are the words after which programs print a secret: "token=…",
// "password: …", "Bearer …".
var secretNames = []string{"bearer", "token", "secret", "password", "passwd", "apikey", "api_key"}

// shortestJWT is what the word must have in length that begins like one.
const shortestJWT = 11

// hideTokens replaces JSON web tokens, and what follows the name of a secret.
// It is written out since package regexp would be a quarter of a megabyte in
// the smallest agent, for this alone.
func hideTokens(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if begin, found := secretAt(text, i); found {
			end := begin
			for end < len(text) && !strings.ContainsRune(" \t\r\n\"'", rune(text[end])) {
				end++
			}
			if end > begin {
				b.WriteString(text[i:begin])
				b.WriteString(redacted)
				i = end
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// secretAt reports whether a secret is announced at i, and where it begins: at
// i itself for a JSON web token, behind name and separator otherwise.
func secretAt(text string, i int) (begin int, found bool) {
	rest := text[i:]
	if strings.HasPrefix(rest, "eyJ") && !strings.ContainsAny(rest[:min(len(rest), shortestJWT)], " \t\r\n\"'") && len(rest) >= shortestJWT {
		return i, true
	}
	for _, name := range secretNames {
		if len(rest) > len(name) && strings.EqualFold(rest[:len(name)], name) {
			if n := separator(rest[len(name):], name == "bearer"); n > 0 {
				return i + len(name) + n, true
			}
		}
	}
	return 0, false
}

// separator is the length of what stands between a name and its value: an
// optional quote, "=" or ":", blanks, an optional quote; or, behind "Bearer",
// blanks alone. 0 is none.
func separator(s string, blanksDo bool) int {
	n := 0
	skip := func(set string) (skipped bool) {
		for n < len(s) && strings.IndexByte(set, s[n]) >= 0 {
			n++
			skipped = true
		}
		return skipped
	}
	if blanksDo && skip(" \t") {
		return n
	}
	skip("\"'")
	skip(" \t")
	if n == len(s) || s[n] != '=' && s[n] != ':' {
		return 0
	}
	n++
	skip(" \t")
	skip("\"'")
	return n
}
