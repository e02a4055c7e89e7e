package rawwatch

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

func status(code int, reason, message string) *decode.StatusError {
	return &decode.StatusError{Status: decode.Status{Kind: "Status", Code: code, Reason: reason, Message: message}}
}

func TestClassify(t *testing.T) {
	answer := func(code int, err error) error {
		return &RequestError{Verb: "watch", URL: "https://x", Code: code, Err: err}
	}
	for _, c := range []struct {
		name string
		err  error
		want resume.FailureClass
	}{
		{"410 in a frame", answer(200, status(410, "Expired", "too old resource version: 300 (80402)")), resume.Expired},
		{"an expired history by its reason only", answer(200, status(0, "Expired", "")), resume.Expired},
		{"throttled by its reason only", answer(200, status(0, "TooManyRequests", "")), resume.Throttled},
		{"a credential refused by its reason only", answer(200, status(0, "Unauthorized", "")), resume.Unauthorized},
		{"forbidden by its reason only", answer(200, status(0, "Forbidden", "")), resume.Forbidden},
		{"not found by its reason only", answer(200, status(0, "NotFound", "")), resume.NotFound},
		{"a Status without code and reason", answer(200, status(0, "", "")), resume.BadResponse},
		{"410 as HTTP", answer(410, status(410, "Gone", "")), resume.Expired},
		{"410 without a Status", answer(410, &BodyError{}), resume.Expired},
		{"version from the future, HTTP 504", answer(504, status(504, "Timeout", "Timeout: Too large resource version: 99999999, current: 80407")), resume.TooLargeVersion},
		{"version from the future in a frame", answer(200, status(504, "Timeout", "Too large resource version: 9, current: 8")), resume.TooLargeVersion},
		{"504 for another reason", answer(504, status(504, "Timeout", "request did not complete")), resume.Unavailable},
		{"429", answer(429, status(429, "TooManyRequests", "")), resume.Throttled},
		{"429 in a frame", answer(200, status(429, "TooManyRequests", "")), resume.Throttled},
		{"401", answer(401, status(401, "Unauthorized", "")), resume.Unauthorized},
		{"403", answer(403, status(403, "Forbidden", "")), resume.Forbidden},
		{"403 of a proxy", answer(403, &BodyError{ContentType: "text/html"}), resume.Forbidden},
		{"404", answer(404, status(404, "NotFound", "")), resume.NotFound},
		{"404 in plain text, as for a group that is not served", answer(404, &BodyError{ContentType: "text/plain"}), resume.NotFound},
		{"400", answer(400, status(400, "BadRequest", "")), resume.Refused},
		{"422", answer(422, status(422, "Invalid", "")), resume.Refused},
		{"500", answer(500, status(500, "InternalError", "")), resume.Unavailable},
		{"502 of a proxy", answer(502, &BodyError{ContentType: "text/html"}), resume.Unavailable},
		{"a login page", answer(200, &BodyError{ContentType: "text/html"}), resume.BadResponse},
		{"a redirect", answer(302, &BodyError{Location: "https://login"}), resume.BadResponse},
		{"a Status that says nothing is wrong", answer(200, status(200, "", "")), resume.BadResponse},
		{"a frame over the limit", answer(200, &decode.LimitError{}), resume.BadResponse},
		{"not JSON", answer(200, &decode.SyntaxError{}), resume.BadResponse},
		{"not a list", answer(200, &decode.NotListError{}), resume.BadResponse},
		{"an unknown frame type", answer(200, &FrameTypeError{Type: "x"}), resume.BadResponse},
		{"cut inside a frame", answer(200, &decode.StreamError{Err: io.ErrUnexpectedEOF}), resume.Unavailable},
		{"connection refused", answer(0, errors.New("dial tcp: connection refused")), resume.Unavailable},
		{"no headers in time", answer(0, &TimeoutError{What: "response headers", After: time.Minute}), resume.Unavailable},
		{"no request at all", fmt.Errorf("something else"), resume.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := classify(c.err).Class; got != c.want {
				t.Errorf("class %v, want %v, of %v", got, c.want, c.err)
			}
		})
	}
}

func TestClassifyTakesTheLongerWait(t *testing.T) {
	s := status(429, "TooManyRequests", "")
	s.Status.Details = &decode.StatusDetails{RetryAfterSeconds: 7}
	err := &RequestError{Code: 429, RetryAfter: 5 * time.Second, Err: s}
	if got := classify(err).RetryAfter; got != 7*time.Second {
		t.Errorf("waits %v, want the 7 s of the Status", got)
	}
}

func TestClassifyKeepsTheTokenOfAnExpiredList(t *testing.T) {
	s := status(410, "Expired", "")
	s.Status.Metadata.Continue = "next"
	if got := classify(&RequestError{Code: 410, Err: s}).Continue; got != "next" {
		t.Errorf("token %q", got)
	}
}

// TestWaitsThatOverflow: seconds that do not fit into a time.Duration are as
// long as any.
func TestWaitsThatOverflow(t *testing.T) {
	const endless = math.MaxInt64
	for _, text := range []string{strconv.FormatInt(endless, 10), strconv.FormatInt(endless, 10) + "0"} {
		if got := retryAfter(http.Header{"Retry-After": {text}}); got != maxRetryAfter {
			t.Errorf("the header makes %v, want %v", got, maxRetryAfter)
		}
	}
	s := status(429, "TooManyRequests", "")
	s.Status.Details = &decode.StatusDetails{RetryAfterSeconds: math.MaxInt}
	if got := classify(&RequestError{Code: 429, Err: s}).RetryAfter; got != maxRetryAfter {
		t.Errorf("the Status makes %v, want %v", got, maxRetryAfter)
	}
	if got := retryAfter(http.Header{"Retry-After": {"-5"}}); got != 0 {
		t.Errorf("a negative one makes %v", got)
	}
}
