package decode

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// A StatusError is a Status as a Go error: what the API server answered
// instead of what was asked for.
type StatusError struct{ Status Status }

// maxMessage bounds how much of the server's message Error shows, in bytes.
const maxMessage = 200

// Error gives reason, code and the server's message, shortened. The message
// of an Invalid status is left out: it quotes values of the object.
func (e *StatusError) Error() string {
	st := &e.Status
	what := shorten(st.Reason)
	if what == "" {
		what = http.StatusText(st.Code)
	}
	if what == "" {
		what = "unknown reason"
	}
	text := fmt.Sprintf("the API server answered %s (code %d)", what, st.Code)
	if st.Message == "" || st.Reason == "Invalid" || st.Code == http.StatusUnprocessableEntity {
		return text
	}
	return text + ": " + shorten(st.Message)
}

func shorten(s string) string {
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return strings.Join(strings.Fields(s), " ")
}

// IsExpired says that the history asked for is gone: 410, in any of its
// forms. The way on is a new list of the most recent state (API concepts,
// "410 Gone responses").
func (e *StatusError) IsExpired() bool {
	return e.Status.Code == http.StatusGone || e.Status.Reason == "Expired" || e.Status.Reason == "Gone"
}

// IsTooLargeResourceVersion says that the version asked for lies in this
// server's future. Servers since 1.18 name the cause; older ones only have
// the message.
func (e *StatusError) IsTooLargeResourceVersion() bool {
	if d := e.Status.Details; d != nil {
		for _, c := range d.Causes {
			if c.Type == "ResourceVersionTooLarge" {
				return true
			}
		}
	}
	return e.Status.Code == http.StatusGatewayTimeout && strings.Contains(e.Status.Message, "Too large resource version")
}

// IsTooManyRequests says that the server wants to be left alone for a while:
// see RetryAfter.
func (e *StatusError) IsTooManyRequests() bool {
	return e.Status.Code == http.StatusTooManyRequests || e.Status.Reason == "TooManyRequests"
}

// IsUnauthorized says that the credential was not accepted.
func (e *StatusError) IsUnauthorized() bool {
	return e.Status.Code == http.StatusUnauthorized || e.Status.Reason == "Unauthorized"
}

// IsForbidden says that the credential is good and its permissions do not
// suffice.
func (e *StatusError) IsForbidden() bool {
	return e.Status.Code == http.StatusForbidden || e.Status.Reason == "Forbidden"
}

// IsNotFound says that there is no such object, or no such resource.
func (e *StatusError) IsNotFound() bool {
	return e.Status.Code == http.StatusNotFound || e.Status.Reason == "NotFound"
}

// RetryAfter is how long the server asks to wait, or 0 where it does not say.
// A negative number counts as 0, and one that no Duration can hold as the longest
// of whole seconds, which is centuries: cap it.
func (e *StatusError) RetryAfter() time.Duration {
	const longest = int64(math.MaxInt64 / time.Second)
	if d := e.Status.Details; d != nil && d.RetryAfterSeconds > 0 {
		return time.Duration(min(int64(d.RetryAfterSeconds), longest)) * time.Second
	}
	return 0
}
