package rawwatch

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rawwatch/rawwatch/decode"
)

const (
	// maxErrorBody bounds how much of an error's body is read. A Status is
	// well below; its causes are one per field.
	maxErrorBody = 256 << 10
	// maxExcerpt bounds how much of a foreign body an error quotes.
	maxExcerpt = 200
	// maxRetryAfter bounds what a Retry-After header is believed.
	maxRetryAfter = 10 * time.Minute
)

// checkAnswer looks at status and content type before anybody looks for
// frames. It returns nil for a 200 with JSON, and otherwise the
// [*decode.StatusError] or [*BodyError] that the answer amounts to.
func checkAnswer(x *exchange) error {
	resp := x.resp
	contentType := resp.Header.Get("Content-Type")
	if resp.StatusCode == http.StatusOK && jsonType(contentType) {
		return nil
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return &BodyError{ContentType: contentType, Location: redactedLocation(resp)}
	}
	body, err := io.ReadAll(io.LimitReader(x, maxErrorBody))
	if err != nil && len(body) == 0 {
		return err
	}
	if status, ok := decode.ParseStatus(body); ok {
		if status.Status.Code == 0 {
			status.Status.Code = resp.StatusCode
		}
		return status
	}
	failure := &BodyError{ContentType: contentType}
	if !jsonType(contentType) && !strings.Contains(contentType, "kubernetes") {
		failure.Excerpt = excerpt(body)
	}
	return failure
}

// redactedLocation is the target of a redirect without its query and user
// info, which may hold a token of a login page.
func redactedLocation(resp *http.Response) string {
	target, err := resp.Location()
	if err != nil {
		return "an unreadable address"
	}
	target.RawQuery, target.Fragment, target.User = "", "", nil
	return target.String()
}

// excerpt is the start of a body, fit for one line of a log.
func excerpt(body []byte) string {
	if len(body) > maxExcerpt {
		body = body[:maxExcerpt]
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, string(body)))
}

// retryAfter reads the header in both its forms (RFC 9110, section 10.2.3);
// zero when there is none.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if text == "" {
		return 0
	}
	if seconds, err := strconv.Atoi(text); err == nil {
		return min(max(time.Duration(seconds)*time.Second, 0), maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), maxRetryAfter)
	}
	return 0
}
