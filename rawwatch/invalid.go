package rawwatch

import (
	"fmt"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// InvalidError is a write that the server refused for the sake of single
// fields: because they hold what they must not (HTTP 422), or because another
// manager owns them (HTTP 409 of an [ApplyPatch]).
//
// Servers quote the offending values in their messages. These are taken out
// before anybody sees them, here and in the [*decode.StatusError] below: an
// error ends up in logs, an object may be a Secret, and whoever sent it knows
// what it holds. What is left says which field, which rule, and what the rule
// wants. For Secrets, messages are left out altogether.
type InvalidError struct {
	// Fields are the single causes in the server's order: the field's path, a
	// reason for machines such as "FieldValueInvalid" (in Type), and the rule.
	Fields []decode.StatusCause
	// Status is the whole answer, without values.
	Status *decode.StatusError
}

// maxFields bounds how many fields the text names.
const maxFields = 10

// Error names each field with its reason and the rule.
func (e *InvalidError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the API server answered %s (code %d): ", e.Status.Status.Reason, e.Status.Status.Code)
	for i, f := range e.Fields {
		if i == maxFields {
			fmt.Fprintf(&b, "; and %d fields more", len(e.Fields)-maxFields)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		field := f.Field
		if field == "" || field == "<nil>" { // as the API server writes it
			field = "the object"
		}
		b.WriteString(cut(field) + ": ")
		if f.Type != "" {
			b.WriteString(cut(f.Type))
			if f.Message != "" {
				b.WriteString(", ")
			}
		}
		b.WriteString(excerpt(f.Message))
	}
	return b.String()
}

// Unwrap gives the server's answer.
func (e *InvalidError) Unwrap() error { return e.Status }

// scrub takes out of the answer to a write what it may quote of the object that
// was sent. A proxy's page may quote all of it.
func (a address) scrub(err error) error {
	switch e := err.(type) {
	case *decode.StatusError:
		return withoutValues(e, a.resource)
	case *BodyError:
		if isSecret(a.resource) {
			e.Excerpt = ""
		}
	}
	return err
}

func isSecret(r Resource) bool { return r.Group == Secrets.Group && r.Name == Secrets.Name }

// withoutValues takes out of the answer to a write what may be a value of the
// object that was sent, and tells its fields one by one where there are any.
func withoutValues(s *decode.StatusError, r Resource) error {
	secret := isSecret(r)
	st := &s.Status
	if before, _, denied := strings.Cut(st.Message, " denied the request"); denied && secret {
		st.Message = before + " denied the request"
	}
	switch {
	case secret && quotesObjects(st):
		st.Message = ofSecret(st.Message)
	case st.Code == 422 || st.Reason == "Invalid":
		st.Message, _, _ = strings.Cut(st.Message, " is invalid: ")
		st.Message = unquoted(st.Message)
	case quotesObjects(st):
		st.Message = unquoted(st.Message)
	}
	if st.Details == nil || len(st.Details.Causes) == 0 {
		return s
	}
	for i := range st.Details.Causes {
		cause := &st.Details.Causes[i]
		switch {
		case cause.Type == causeFieldManager:
			// It names the manager that owns the field, and no value.
		case secret:
			cause.Message = ""
		default:
			cause.Message = rule(cause.Message)
		}
	}
	if st.Code == 422 || st.Reason == "Invalid" || managed(s) {
		return &InvalidError{Fields: st.Details.Causes, Status: s}
	}
	return s
}

// ofSecret is all that may be said of what a server stumbled over in a Secret.
func ofSecret(message string) string {
	const base64 = "illegal base64 data"
	if strings.Contains(message, base64) {
		return base64 + "; the rest of the message is left out, since the object is a Secret"
	}
	return "the message is left out, since the object is a Secret"
}

// quotesObjects reports whether the message is of a kind that may quote what
// was sent: what cannot be read, and what the server stumbled over. The others
// are about names, users and quotas, and a person needs them; so is what the
// author of an admission webhook wants to be read.
func quotesObjects(st *decode.Status) bool {
	switch st.Code {
	case 0, 400, 422, 500:
		return !strings.HasPrefix(st.Message, "admission webhook ")
	}
	return false
}
