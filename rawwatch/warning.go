package rawwatch

import (
	"net/http"
	"strconv"
	"strings"
)

// warn tells the warnings of an answer: header fields of the form
// `299 - "text"` (RFC 7234, section 5.5), which kube-apiserver sends one each.
func (q objectRequest) warn(h http.Header) {
	if q.warned == nil {
		return
	}
	for _, field := range h.Values("Warning") {
		agent, ok := strings.CutPrefix(field, "299 ")
		if !ok {
			continue
		}
		_, text, _ := strings.Cut(agent, " ")
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			continue
		}
		if text, err = strconv.Unquote(quoted); err == nil {
			q.warned(text)
		}
	}
}
