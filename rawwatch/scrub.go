package rawwatch

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// omitted stands where a value was.
const omitted = "…"

// valued are the beginnings of a cause's message after which the value comes,
// as k8s.io/apimachinery's validation writes them: `Invalid value: "x": rule`.
var valued = [...]string{"Invalid value: ", "Unsupported value: ", "Duplicate value: ", "Not found: ", "Too long: ", "Too many: ", "Too few: "}

// rule is the message of a cause without the value that it is about.
func rule(message string) string {
	message, _, _ = strings.Cut(message, "\n") // what follows is the difference of two objects
	for _, head := range valued {
		rest, ok := strings.CutPrefix(message, head)
		if !ok {
			continue
		}
		value, detail, ok := leadingValue(rest)
		if !ok {
			if isProse(rest) {
				return head + unquoted(rest) // "Too long: may not be more than 63 bytes"
			}
			return strings.TrimSuffix(head, ": ")
		}
		head = strings.TrimSuffix(head, ": ")
		detail, ok = strings.CutPrefix(detail, ": ")
		if !ok {
			return head
		}
		// What is supported is the schema's, and what one needs to know.
		if choices, ok := strings.CutPrefix(detail, "supported values: "); ok {
			return head + ": supported values: " + choices
		}
		return head + ": " + unquoted(withoutEcho(detail, value))
	}
	return unquoted(message)
}

// isProse reports whether the text begins as a sentence does, not as a value:
// some rules, as those of custom resources (seen on v1.37), come without
// one. Bare values are numbers, times, quantities, or composites of Go.
func isProse(s string) bool {
	word, _, more := strings.Cut(s, " ")
	if !more || word == "" {
		return false
	}
	return unicode.IsLetter(rune(word[0])) && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-'", r)
	})
}

// leadingValue splits a message behind the value that it begins with: a JSON
// string, number, object, …; ok is false when its end cannot be told.
func leadingValue(s string) (value, rest string, ok bool) {
	d := json.NewDecoder(strings.NewReader(s))
	var v json.RawMessage
	if d.Decode(&v) != nil {
		return "", "", false
	}
	rest = s[d.InputOffset():]
	if rest != "" && !strings.HasPrefix(rest, ": ") {
		return "", "", false
	}
	return string(bytes.Trim(v, `"`)), rest, true
}

// withoutEcho takes a value out of the rule that repeats it. Short ones are
// parts of any word.
func withoutEcho(s, value string) string {
	if len(value) < 4 {
		return s
	}
	return strings.ReplaceAll(s, value, omitted)
}

// named are the words behind which a quoted text is a name, not a value.
var named = [...]string{"field ", "version ", "kind ", "webhook ", "as a ", "resource ", "group "}

// unquoted is a message without what it quotes: texts in double quotes, but
// for names, and the excerpts and numbers of JSON decoders.
func unquoted(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	for _, excerpt := range [...]string{"; error found in #", ", error found in #", "error found in #", "...|", "&value.", "unmarshal number "} {
		if before, after, ok := strings.Cut(s, excerpt); ok {
			s = before + omitted
			if excerpt == "unmarshal number " {
				s = before + excerpt + afterWord(after)
			}
		}
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, `"`)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		end := closingQuote(rest)
		quoted := rest[:end]
		s = rest[min(end+1, len(rest)):]
		if !isName(before, quoted) {
			quoted = omitted
		}
		b.WriteString(`"` + quoted + `"`)
	}
}

func isName(before, quoted string) bool {
	for _, word := range named {
		if strings.HasSuffix(before, word) {
			return !strings.ContainsFunc(quoted, unicode.IsSpace)
		}
	}
	return false
}

// closingQuote is where the quoted text ends; at the end if it never does.
func closingQuote(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(s)
}

// afterWord drops the first word, or what is a number.
func afterWord(s string) string {
	if _, rest, ok := strings.Cut(s, " "); ok {
		return omitted + " " + rest
	}
	return omitted
}
