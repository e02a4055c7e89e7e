package rawwatch

import (
	"bytes"
	"errors"
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
// frames. It returns nil for a 200 in an encoding that can be read and was
// asked for, and otherwise the [*decode.StatusError] or [*BodyError] that the
// answer amounts to.
func checkAnswer(x *exchange) error {
	resp := x.resp
	contentType := resp.Header.Get("Content-Type")
	encoding, readable := encodingOf(contentType)
	if encoding != decode.JSON && !strings.Contains(resp.Request.Header.Get("Accept"), acceptProtobuf) {
		readable = false // whoever asked for JSON cannot read anything else
	}
	if goodCode(resp) && readable {
		x.encoding = encoding
		return nil
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return &BodyError{ContentType: cut(contentType), Location: cut(redactedLocation(resp))}
	}
	body, err := io.ReadAll(io.LimitReader(x, maxErrorBody))
	if err != nil && len(body) == 0 {
		return err
	}
	if status, ok := decode.ParseStatus(body); ok {
		if status.Status.Code == 0 {
			status.Status.Code = resp.StatusCode
		}
		status.Status.Message = withoutCredential(resp, status.Status.Message)
		return status
	}
	failure := &BodyError{ContentType: cut(contentType)}
	if !readable && !strings.Contains(contentType, "kubernetes") && !mayHoldObject(resp, body) {
		failure.Excerpt = excerpt(withoutCredential(resp, string(body)))
	}
	return failure
}

// mayHoldObject tells a body that may be an object, whatever its content type
// says, from a proxy's words.
func mayHoldObject(resp *http.Response, body []byte) bool {
	text := bytes.TrimSpace(body)
	return bytes.Contains(text, []byte("apiVersion")) || decode.EncodingOf(body) == decode.Protobuf ||
		goodCode(resp) && len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// withoutCredential takes out of a text what the request was authorized with:
// there are proxies that show the headers of a request they do not like.
func withoutCredential(resp *http.Response, text string) string {
	if resp.Request == nil {
		return text
	}
	for _, value := range resp.Request.Header["Authorization"] {
		// Shorter ones are no secrets, and may be part of any word.
		if _, secret, _ := strings.Cut(value, " "); len(secret) >= 6 {
			text = strings.ReplaceAll(text, secret, "REDACTED")
		}
	}
	return text
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
func excerpt(body string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, cut(body)))
}

// cut shortens what a server sent to what an error may quote of it.
func cut(s string) string { return s[:min(len(s), maxExcerpt)] }

// retryAfter reads the header in both its forms (RFC 9110, section 10.2.3);
// zero when there is none.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return boundedSeconds(seconds)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), maxRetryAfter)
	}
	return 0
}

// boundedSeconds is a wait that a server asks for, as far as it is believed.
func boundedSeconds(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(maxRetryAfter/time.Second))) * time.Second
}
