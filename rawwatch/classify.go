package rawwatch

import (
	"errors"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// classify is the one place that decides what a failure means for the watch:
// what the resume machine is told. Each arm names the symptom.
func classify(err error) resume.Failure {
	var status *decode.StatusError
	var answer *RequestError
	var held *BreakerOpenError
	errors.As(err, &answer)
	f := resume.Failure{Class: resume.Unavailable}
	if answer != nil {
		f.RetryAfter = answer.RetryAfter
	}
	switch {
	case errors.As(err, &held):
		// Not sent. What it wraps is the failure of another request.
	case errors.As(err, &status):
		// The server explained itself; its code stands above HTTP's, which
		// is 200 for an ERROR frame.
		f.Class = classOfStatus(status)
		f.ErrorFrame = answer != nil && answer.Verb == "watch" && answer.Code == 200
		f.Continue = status.Status.Metadata.Continue
		if d := status.Status.Details; d != nil && d.RetryAfterSeconds > 0 {
			f.RetryAfter = max(f.RetryAfter, boundedSeconds(int64(d.RetryAfterSeconds)))
		}
	case isForeign(err):
		// A proxy, or something that is no API server at all.
		f.Class = classOfForeign(answer)
	case isGarbage(err):
		// JSON that is broken, too large, or pages that never end.
		f.Class = resume.BadResponse
	}
	return f
}

// classOfStatus follows the Status' code, and the shapes in which a server
// says that a resourceVersion lies in its future. A Status without a code, as
// some aggregated API servers send, is known by its reason.
func classOfStatus(s *decode.StatusError) resume.FailureClass {
	switch {
	case s.IsTooLargeResourceVersion():
		return resume.TooLargeVersion
	case s.Status.Code != 0:
		return classOfCode(s.Status.Code)
	case s.IsExpired():
		return resume.Expired
	case s.IsTooManyRequests():
		return resume.Throttled
	case s.IsUnauthorized():
		return resume.Unauthorized
	case s.IsForbidden():
		return resume.Forbidden
	case s.IsNotFound():
		return resume.NotFound
	}
	return resume.BadResponse
}

func classOfCode(code int) resume.FailureClass {
	switch {
	case code == 410:
		return resume.Expired
	case code == 429:
		return resume.Throttled
	case code == 401:
		return resume.Unauthorized
	case code == 403:
		return resume.Forbidden
	case code == 404:
		return resume.NotFound
	case code == 408, code == 409:
		return resume.Unavailable
	case code >= 400 && code < 500:
		return resume.Refused
	case code >= 500:
		return resume.Unavailable
	}
	return resume.BadResponse // a Status that says nothing went wrong
}

func isForeign(err error) bool {
	var body *BodyError
	return errors.As(err, &body)
}

// classOfForeign trusts the code of an answer that is no Status only where a
// proxy, or an API server's plain-text 404 and 410, may rightly send it.
func classOfForeign(answer *RequestError) resume.FailureClass {
	if answer == nil {
		return resume.BadResponse
	}
	switch answer.Code {
	case 401, 403, 404, 408, 410, 429, 500, 502, 503, 504:
		return classOfCode(answer.Code)
	}
	return resume.BadResponse
}

func isGarbage(err error) bool {
	var (
		limit   *decode.LimitError
		syntax  *decode.SyntaxError
		object  *decode.ObjectError
		frame   *FrameTypeError
		paging  *PagingError
		nothing *UnnamedObjectError
		order   *OrderError
		mark    *BookmarkError
		notList *decode.NotListError
		gzipped *InflateError
		noTable *NoTableError
	)
	return errors.As(err, &limit) || errors.As(err, &syntax) || errors.As(err, &object) ||
		errors.As(err, &frame) || errors.As(err, &paging) || errors.As(err, &nothing) ||
		errors.As(err, &notList) || errors.As(err, &order) || errors.As(err, &mark) || errors.As(err, &gzipped) ||
		errors.As(err, &noTable)
}
