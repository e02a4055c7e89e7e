package rawwatch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// refuse has the server answer the next write with the status, and gives the
// error of it.
func (w *world) refuse(r rawwatch.Resource, e *watchtest.StatusError) error {
	w.Helper()
	w.server.Inject(watchtest.Fault{Verb: "patch", Answer: watchtest.StatusAnswer(e)})
	key := decode.Key{Namespace: "edge", Name: "x"}
	_, err := w.client.Patch(w.Context(), r, key, rawwatch.MergePatch([]byte(`{}`)), rawwatch.WriteOptions{Subresource: "status"})
	if err == nil {
		w.Fatal("not refused")
	}
	return err
}

// everything is the text of all errors in the chain, and of what they hold.
func everything(err error) string {
	var b strings.Builder
	for e := err; e != nil; e = errors.Unwrap(e) {
		b.WriteString(e.Error() + "\n")
		if status, ok := e.(*decode.StatusError); ok {
			b.WriteString(status.Status.Message + "\n")
			for _, cause := range status.Status.Details.Causes {
				b.WriteString(cause.Message + "\n")
			}
		}
	}
	return b.String()
}

// TestInvalidFields: the messages that k8s.io/apimachinery writes, as a v1.37
// server sends them. What is kept is the rule; what is gone is the value.
func TestInvalidFields(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for message, want := range map[string]string{
			`Invalid value: "s3cret": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-' (e.g. 'my-name')`: "Invalid value: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-' (e.g. 'my-name')",
			`Invalid value: -71234: must be greater than or equal to 0`:                                                                      "Invalid value: must be greater than or equal to 0",
			`Invalid value: {"password":"s3cret: x"}: must be a list`:                                                                        "Invalid value: must be a list",
			`Invalid value: [1,"s3cret"]: must be an object`:                                                                                 "Invalid value: must be an object",
			`Invalid value: "s3\x00cret": must be printable`:                                                                                 "Invalid value",
			`Invalid value: core.Thing{Password:"s3cret"}: field is immutable`:                                                               "Invalid value",
			`Invalid value: 2026-01-02T03:04:05Z: s3cret`:                                                                                    "Invalid value",
			`Invalid value: off has no level`:                                                                                                "Invalid value: off has no level",
			`Invalid value: s3cret`:                                                                                                          "Invalid value",
			`Invalid value: v1.Thing{A:"s3cret", B: 1}: no`:                                                                                  "Invalid value",
			`Invalid value: map[string]string{"a": "s3cret"}: no`:                                                                            "Invalid value",
			`Invalid value: "s3cret"`:                                                                                                        "Invalid value",
			`Invalid value: "s3cret": spec.password in body should match '^[a-z]+$', not s3cret`:                                             "Invalid value: spec.password in body should match '^[a-z]+$', not …",
			`Unsupported value: "s3cret": supported values: "Always", "Never"`:                                                               `Unsupported value: supported values: "Always", "Never"`,
			`Duplicate value: "s3cret"`:                                                                                                      "Duplicate value",
			`Not found: "s3cret"`:                                                                                                            "Not found",
			`Required value: name or generateName is required`:                                                                               "Required value: name or generateName is required",
			`Required value: must match "s3cret"`:                                                                                            `Required value: must match "…"`,
			`Too long: may not be more than 63 bytes`:                                                                                        "Too long: may not be more than 63 bytes",
			`Too many: 17: must have at most 16 items`:                                                                                       "Too many: must have at most 16 items",
			"Forbidden: pod updates may not change fields other than `image`\n  core.PodSpec{\n- Value: s3cret":                              "Forbidden: pod updates may not change fields other than `image`",
			`Invalid value: "string": spec.size in body must be of type integer: "s3cret"`:                                                   `Invalid value: spec.size in body must be of type integer: "…"`,
		} {
			status := &watchtest.StatusError{Code: 422, Reason: "Invalid", Message: `Widget.x.io "x" is invalid: spec.a: ` + message,
				Details: &watchtest.StatusDetails{Name: "x", Causes: []watchtest.StatusCause{
					{Type: "FieldValueInvalid", Field: "spec.a", Message: message}, {Type: "FieldValueRequired", Field: "spec.b"},
				}}}
			err := w.refuse(rawwatch.ConfigMaps, status)
			var invalid *rawwatch.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Fields) != 2 || invalid.Fields[0] != (decode.StatusCause{Type: "FieldValueInvalid", Field: "spec.a", Message: want}) {
				w.Errorf("%s:\n%+v\nwant %s", message, invalid, want)
			}
			for _, part := range []string{"422", "spec.a: FieldValueInvalid, ", "; spec.b: FieldValueRequired", want} {
				if !strings.Contains(err.Error(), part) {
					w.Errorf("%q does not say %q", err, part)
				}
			}
			for _, e := range []error{err, w.refuse(rawwatch.Secrets, status)} {
				if all := everything(e); strings.Contains(all, "s3") || strings.Contains(all, "71234") || strings.Contains(all, ": 17") {
					w.Errorf("a value is left:\n%s", all)
				}
			}
			if err := w.refuse(rawwatch.Secrets, status); strings.Contains(err.Error(), "value:") || !strings.Contains(err.Error(), "spec.a: FieldValueInvalid") {
				w.Errorf("of a Secret: %v", err)
			}
		}
	})
}

// TestUnreadableObject: other messages that quote what was sent.
func TestUnreadableObject(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for message, want := range map[string]string{
			`strict decoding error: unknown field "spec.colour", duplicate field "spec.size"`:                                                   `unknown field "spec.colour", duplicate field "spec.size"`,
			`Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number 71234.5 into Go struct field T.spec.n of type int32`: `version "v1" cannot be handled as a Pod: json: cannot unmarshal number … into Go struct field T.spec.n of type int32`,
			`Pod in version "v1" cannot be handled as a Pod: parsing time "s3cret" as "2006-01-02": cannot parse "s3cret" as "2006"`:            `cannot be handled as a Pod: parsing time "…"`,
			`v1.Pod.Spec: ReadString: expects " or n, but found 1, error found in #10 byte of ...|s3cret|..., bigger context ...|s3cret|...`:    `v1.Pod.Spec: ReadString: expects`,
			`no kind "Pud" is registered for version "v1"`:                                                                                      `no kind "Pud" is registered for version "v1"`,
			`unterminated "s3cret`: `unterminated "…"`,
			`admission webhook "policy.x.io" denied the request: label owner is missing`: `denied the request: label owner is missing`,
		} {
			status := &watchtest.StatusError{Code: 400, Reason: "BadRequest", Message: message, Details: &watchtest.StatusDetails{}}
			err := w.refuse(rawwatch.ConfigMaps, status)
			if !strings.Contains(err.Error(), want) {
				w.Errorf("%v\nwant %s", err, want)
			}
			if err := w.refuse(rawwatch.Secrets, status); strings.Contains(everything(err), want) {
				w.Errorf("of a Secret: %v", err)
			}
			if all := everything(err); strings.Contains(all, "s3cret") || strings.Contains(all, "71234") {
				w.Errorf("a value is left:\n%s", all)
			}
		}
	})
}

// TestWriteForbidden: the hint names the verb and the subresource, and is not
// given where permissions are not what is missing.
func TestWriteForbidden(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for message, want := range map[string]string{
			`deployments.apps "x" is forbidden: User "u" cannot patch resource "deployments/status" in API group "apps" in the namespace "edge"`: "grant the verb patch on deployments.apps/status in namespace edge",
			`deployments.apps "x" is forbidden: User "u" cannot create resource "deployments" in API group "apps" in the namespace "edge"`:       "grant the verb create on deployments.apps/status in namespace edge",
			`deployments.apps "x" is forbidden: exceeded quota: q, requested: pods=1`:                                                            "",
		} {
			err := w.refuse(rawwatch.Deployments, &watchtest.StatusError{Code: 403, Reason: "Forbidden", Message: message, Details: &watchtest.StatusDetails{}})
			if text := err.Error(); !strings.Contains(text, message) || !strings.Contains(text, want) || want == "" && strings.Contains(text, "grant") {
				w.Errorf("%v\nwant %q", err, want)
			}
		}
		err := w.refuse(rawwatch.Deployments, &watchtest.StatusError{Code: 404, Reason: "NotFound", Message: "the server could not find the requested resource", Details: &watchtest.StatusDetails{}})
		if rawwatch.IsNotFound(err) || !strings.Contains(err.Error(), "does not serve deployments.v1.apps/status") {
			w.Errorf("%v", err)
		}
	})
}

// TestWarnings: what a server has to say beside its answer.
func TestWarnings(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		made := w.createLamp(`{}`)
		answer := watchtest.JSONAnswer(string(made.Raw))
		answer.Header.Add("Warning", `299 - "unknown field \"spec.x\""`)
		answer.Header["Warning"] = append(answer.Header["Warning"], `299 - "v1beta1 is deprecated"`, `199 - "not mine"`, `299 nothing`, `299 - "torn`)
		w.server.Inject(watchtest.Fault{Answer: answer, Count: 2})
		var heard []string
		for _, o := range []rawwatch.WriteOptions{{}, {OnWarning: func(text string) { heard = append(heard, text) }}} {
			if _, err := w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.MergePatch([]byte(`{}`)), o); err != nil {
				w.Fatal(err)
			}
		}
		if strings.Join(heard, "; ") != `unknown field "spec.x"; v1beta1 is deprecated` {
			w.Errorf("heard %q", heard)
		}
	})
}
