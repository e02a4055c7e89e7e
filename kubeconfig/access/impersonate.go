package access

import (
	"fmt"
	"net/http"
	"strings"
)

// impersonate sets the headers of "User impersonation", unless the request has
// them already.
func (i Impersonation) impersonate(h http.Header) {
	if i.UserName == "" || h.Get("Impersonate-User") != "" {
		return
	}
	h.Set("Impersonate-User", i.UserName)
	if i.UID != "" {
		h.Set("Impersonate-Uid", i.UID)
	}
	for _, group := range i.Groups {
		h.Add("Impersonate-Group", group)
	}
	for key, values := range i.Extra {
		for _, value := range values {
			h.Add("Impersonate-Extra-"+escapeHeader(key), value)
		}
	}
}

// escapeHeader percent-encodes what cannot stand in a header's name (RFC 9110,
// section 5.1), and the percent sign itself.
func escapeHeader(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$&'*+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// headerSafe refuses what cannot stand in a header's value (RFC 9110, section
// 5.5); net/http would quote nothing but refuse the whole request.
func headerSafe(value string, limit int64) error {
	if int64(len(value)) > limit {
		return &LimitError{What: "token", Limit: limit, Option: "SessionOptions.TokenLimit"}
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("holds a line break or another control character at byte %d; it must be one line of text", i)
		}
	}
	return nil
}
