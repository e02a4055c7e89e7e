package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

// secret stands for a value that must not leave an object through an error.
const secret = "hunter2"

// TestErrorsKeepSecrets breaks a body that is full of secrets at every byte,
// in several ways, and looks for them in what is said about it.
func TestErrorsKeepSecrets(t *testing.T) {
	frame := `{"type":"ADDED","object":{"kind":"Secret","metadata":{"name":"db","uid":["` + secret + `"]},"data":{"` + secret + `":"` + secret + `","n":77777}}}`
	list := `{"kind":"SecretList","metadata":{"resourceVersion":["` + secret + `"]},"items":[` + frame[25:] + `]}`
	check := func(lines error, body string) {
		for err := lines; err != nil; err = errors.Unwrap(err) {
			if s := err.Error() + fmt.Sprintf("%+v", err); strings.Contains(s, secret) || strings.Contains(s, "777") {
				t.Fatalf("%s\nsays: %s", body, s)
			}
		}
	}
	for i := range frame {
		for _, with := range []string{"", "\x00", "}", "]", `"`, ",", "5", "x", `\`} {
			body := frame[:i] + with + frame[i+1:]
			e := NewEventReader(bytesReader(body), Options{FrameLimit: 1000 - i})
			ev, err := e.Next()
			check(err, body)
			if err == nil {
				check(ev.Err, body)
				_, err = e.Next()
				check(err, body)
			}
			var m Meta
			check(ScanMeta([]byte(body[min(25, len(body)):]), &m), body)
		}
	}
	for i := range list {
		body := list[:i] + "]" + list[i+1:]
		l := NewListReader(bytesReader(body), Options{})
		for {
			it, err := l.Next()
			check(err, body)
			if err != nil {
				break
			}
			check(it.Err, body)
		}
	}
}

// TestErrorTexts: each says what, where, and what to do.
func TestErrorTexts(t *testing.T) {
	for want, err := range map[string]error{
		"decode: the frame at offset 7 is larger than 100 bytes; raise Options.FrameLimit if such objects are meant to be":        &LimitError{whatFrame, 100, 7},
		"decode: the list item at offset 7 is larger than 100 bytes; raise Options.ItemLimit if such objects are meant to be":     &LimitError{whatItem, 100, 7},
		"decode: at offset 7 objects and arrays nest deeper than 100 levels; raise Options.Depth if that is meant to be":          &LimitError{whatNesting, 100, 7},
		"decode: stream ended after 9 bytes: EOF; resume from the last resourceVersion":                                           &StreamError{Offset: 9, Err: io.EOF},
		"decode: stream ended after 9 bytes, inside a value that began 4 bytes before: EOF; resume from the last resourceVersion": &StreamError{Offset: 9, Partial: 4, Err: io.EOF},
		"decode: found '}' at offset 7, want ':'": &SyntaxError{Offset: 7, Found: "'}'", Want: "':'"},
		"decode: object edge/a: metadata.uid at offset 7 is a number, want a string; its raw bytes can still be read": &ObjectError{Key{"edge", "a"}, "metadata.uid", 7, "a number", "a string", nil},
		"decode: object: the object at offset 7 is null, want an object; its raw bytes can still be read":             &ObjectError{Offset: 7, Token: "null", Want: "an object"},
		`decode: a body of kind "Pod" is no list: items (at offset 0) is nothing; check the resource's path`:          &NotListError{Kind: "Pod", Token: "nothing"},
		"the API server answered Forbidden (code 403): pods is forbidden":                                             &StatusError{Status{Reason: "Forbidden", Code: 403, Message: "pods\n is forbidden"}},
		"the API server answered Bad Gateway (code 502)":                                                              &StatusError{Status{Code: 502}},
		"the API server answered unknown reason (code 0)":                                                             &StatusError{},
		"the API server answered Invalid (code 422)":                                                                  &StatusError{Status{Reason: "Invalid", Code: 422, Message: `Invalid value: "hunter2"`}},
		"the API server answered Expired (code 410): " + strings.Repeat("é", maxMessage/2) + "…":                      &StatusError{Status{Reason: "Expired", Code: 410, Message: strings.Repeat("é", 300)}},
	} {
		if err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
	}
	_, err := NewListReader(bytesReader("<html>"), Options{}).Next()
	if want := `decode: the body begins with "<html>", want a list; check that the address is a Kubernetes API server and not a proxy's page`; err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	var m Meta
	if err := ScanMeta([]byte(`{"a":`), &m); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a truncated object: %v", err)
	}
}

func TestParseStatus(t *testing.T) {
	const pretty = `{
  "kind": "Status",
  "apiVersion": "v1",
  "metadata": {
    "continue": "tok"
  },
  "status": "Failure",
  "message": "Timeout: Too large resource version: 99999999, current: 80407",
  "reason": "Timeout",
  "details": {
    "name": "a",
    "group": "g",
    "kind": "pods",
    "uid": "u",
    "causes": [
      {
        "reason": "ResourceVersionTooLarge",
        "message": "Too large resource version",
        "field": "f"
      }
    ],
    "retryAfterSeconds": 1
  },
  "code": 504
}
`
	got, ok := ParseStatus([]byte(pretty))
	if !ok {
		t.Fatal("no Status")
	}
	want := Status{
		Kind: "Status", APIVersion: "v1", Status: "Failure", Reason: "Timeout", Code: 504,
		Message:  "Timeout: Too large resource version: 99999999, current: 80407",
		Metadata: ListMeta{Continue: "tok", RemainingItemCount: -1},
	}
	details := StatusDetails{
		Name: "a", Group: "g", Kind: "pods", UID: "u", RetryAfterSeconds: 1,
		Causes: []StatusCause{{Type: "ResourceVersionTooLarge", Message: "Too large resource version", Field: "f"}},
	}
	if got.Status.Details == nil || fmt.Sprint(*got.Status.Details) != fmt.Sprint(details) {
		t.Errorf("details %+v", got.Status.Details)
	}
	got.Status.Details = nil
	if got.Status != want {
		t.Errorf("got %+v\nwant %+v", got.Status, want)
	}
	for _, body := range []string{"", "<html>", "[]", "null", `{"kind":"Pod"}`, `{"kind":5}`, `{"Kind":"Status"}`, `{"kind":"Status"`, `{"kind":"Status"}x`} {
		if st, ok := ParseStatus([]byte(body)); ok || st != nil {
			t.Errorf("%q is a Status: %v", body, st)
		}
	}
	if st, ok := ParseStatus([]byte(`{"details":null,"kind":"Status","code":"x","metadata":[],"message":5,"reason":"Gone"}`)); !ok || st.Status.Reason != "Gone" || st.Status.Code != 0 {
		t.Errorf("%+v", st)
	}
}

// TestStatusOwned: a Status outlives the buffer it came from.
func TestStatusOwned(t *testing.T) {
	const frame = `{"type":"ERROR","object":{"kind":"Status","message":"a message","reason":"Expired","details":{"name":"a name"},"code":410}}`
	e := NewEventReader(bytes.NewReader([]byte(frame+"\n"+strings.Repeat(" ", 1000))), Options{Poison: true})
	ev, err := e.Next()
	if err != nil {
		t.Fatal(err)
	}
	st := ev.Status
	e.Close()
	if st.Status.Message != "a message" || st.Status.Reason != "Expired" || st.Status.Details.Name != "a name" {
		t.Errorf("%+v", st.Status)
	}
}

// longestWait is the most seconds that an int and a Duration hold.
const longestWait = time.Duration(min(math.MaxInt, int64(math.MaxInt64/time.Second))) * time.Second

// TestSecondsOutOfRange: what no int holds is the nearest that one does.
func TestSecondsOutOfRange(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"7": 7 * time.Second, "-7": 0, "1.5": 0, `"7"`: 0, "null": 0,
		"9223372036854775807":          longestWait,
		"99999999999999999999999999":   longestWait,
		"-99999999999999999999999999":  0,
		strings.Repeat("9", 400) + "1": longestWait,
	} {
		st, ok := ParseStatus([]byte(`{"kind":"Status","apiVersion":"v1","code":429,"details":{"retryAfterSeconds":` + text + `}}`))
		if !ok || st.RetryAfter() != want {
			t.Errorf("%s: %v, want %v", text, st.RetryAfter(), want)
		}
	}
}

func TestStatusPredicates(t *testing.T) {
	cause := &StatusDetails{Causes: []StatusCause{{Type: "FieldValueInvalid"}, {Type: "ResourceVersionTooLarge"}}, RetryAfterSeconds: 5}
	for _, c := range []struct {
		status                                                      Status
		expired, tooLarge, tooMany, unauthorized, forbidden, absent bool
		after                                                       time.Duration
	}{
		{status: Status{Code: 410}, expired: true},
		{status: Status{Reason: "Expired"}, expired: true},
		{status: Status{Reason: "Gone"}, expired: true},
		{status: Status{Code: 504, Reason: "Timeout", Details: cause}, tooLarge: true, after: 5 * time.Second},
		{status: Status{Code: 504, Message: "Timeout: Too large resource version: 9, current: 8"}, tooLarge: true},
		{status: Status{Code: 504, Message: "Timeout"}},
		{status: Status{Code: 500, Message: "Too large resource version"}},
		{status: Status{Code: 429, Details: &StatusDetails{RetryAfterSeconds: -1}}, tooMany: true},
		{status: Status{Code: 429, Details: &StatusDetails{RetryAfterSeconds: math.MinInt}}, tooMany: true},
		{status: Status{Code: 429, Details: &StatusDetails{RetryAfterSeconds: math.MaxInt}}, tooMany: true, after: longestWait},
		{status: Status{Reason: "TooManyRequests"}, tooMany: true},
		{status: Status{Code: 401}, unauthorized: true},
		{status: Status{Reason: "Unauthorized"}, unauthorized: true},
		{status: Status{Code: 403}, forbidden: true},
		{status: Status{Reason: "Forbidden"}, forbidden: true},
		{status: Status{Code: 404}, absent: true},
		{status: Status{Reason: "NotFound"}, absent: true},
		{status: Status{}},
	} {
		e := &StatusError{Status: c.status}
		got := []any{e.IsExpired(), e.IsTooLargeResourceVersion(), e.IsTooManyRequests(), e.IsUnauthorized(), e.IsForbidden(), e.IsNotFound(), e.RetryAfter()}
		want := []any{c.expired, c.tooLarge, c.tooMany, c.unauthorized, c.forbidden, c.absent, c.after}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: %v, want %v", c.status, got, want)
		}
	}
}
