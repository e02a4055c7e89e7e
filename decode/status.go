package decode

import "strconv"

// Status is how an API server says that a request, or a watch under way, has
// failed (metav1.Status). It owns its strings.
type Status struct {
	Kind       string
	APIVersion string
	Metadata   ListMeta
	Status     string // "Failure", hardly ever "Success"
	Message    string // for humans; nothing in it is a resume point
	Reason     string // "Expired", "Forbidden", …: one word for machines
	Code       int    // HTTP status; decides within a stream, where HTTP said 200
	Details    *StatusDetails
}

// StatusDetails says what a Status is about.
type StatusDetails struct {
	Name              string        `json:"name"`
	Group             string        `json:"group"`
	Kind              string        `json:"kind"`
	UID               string        `json:"uid"`
	Causes            []StatusCause `json:"causes"`
	RetryAfterSeconds int           `json:"retryAfterSeconds"` // 0: not said
}

// StatusCause is one of a Status' causes.
type StatusCause struct {
	Type    string `json:"reason"` // such as "ResourceVersionTooLarge"
	Message string `json:"message"`
	Field   string `json:"field"`
}

// ParseStatus decodes a body that is a Status, in JSON or protobuf; ok is
// false when it is not one (neither, not an object, another kind). It is lenient inside: a member of
// the wrong type, or null, is left zero, since the rest may still say what is
// wrong.
func ParseStatus(body []byte) (status *StatusError, ok bool) {
	st, err := statusOf(body)
	if err != nil || st.Kind != kindStatus {
		return nil, false
	}
	return &StatusError{Status: st}, true
}

const kindStatus = "Status"

// statusOf reads a Status out of whatever object body is.
func statusOf(body []byte) (Status, error) {
	if EncodingOf(body) == Protobuf {
		return wireStatus(body)
	}
	st := Status{Metadata: unknownListMeta()}
	err := eachMember(body, func(key, value []byte, _ int) error {
		st.set(key, value)
		return nil
	})
	return st, err
}

// set takes one member of the body. A value that does not fit leaves its
// field as it was.
func (st *Status) set(key, value []byte) {
	switch string(key) {
	case "kind":
		setText(&st.Kind, value)
	case "apiVersion":
		setText(&st.APIVersion, value)
	case "metadata":
		st.Metadata, _ = listMetaOf(value, 0)
	case "status":
		setText(&st.Status, value)
	case "message":
		setText(&st.Message, value)
	case "reason":
		setText(&st.Reason, value)
	case "code":
		setNumber(&st.Code, value)
	case "details":
		st.Details = detailsOf(value)
	}
}

// detailsOf is nil for what is no object.
func detailsOf(value []byte) *StatusDetails {
	if value[0] != '{' {
		return nil
	}
	d := &StatusDetails{}
	_ = eachMember(value, func(key, value []byte, _ int) error { // the body was well-formed
		d.set(key, value)
		return nil
	})
	return d
}

func (d *StatusDetails) set(key, value []byte) {
	switch string(key) {
	case "name":
		setText(&d.Name, value)
	case "group":
		setText(&d.Group, value)
	case "kind":
		setText(&d.Kind, value)
	case "uid":
		setText(&d.UID, value)
	case "retryAfterSeconds":
		setNumber(&d.RetryAfterSeconds, value)
	case "causes":
		d.Causes = nil
		_ = eachElement(value, func(value []byte) {
			var c StatusCause
			if value[0] == '{' {
				_ = eachMember(value, func(key, value []byte, _ int) error {
					c.set(key, value)
					return nil
				})
			}
			d.Causes = append(d.Causes, c)
		})
	}
}

func (c *StatusCause) set(key, value []byte) {
	switch string(key) {
	case "reason":
		setText(&c.Type, value)
	case "message":
		setText(&c.Message, value)
	case "field":
		setText(&c.Field, value)
	}
}

// setText sets to to a string's text, and to "" where there is none.
func setText(to *string, value []byte) { *to, _ = textOf(value) }

// setNumber sets to to an integer, to the nearest one that an int can hold, and
// to 0 where there is none.
func setNumber(to *int, value []byte) {
	n, _ := strconv.ParseInt(string(value), 10, strconv.IntSize) // the nearest, or 0
	*to = int(n)
}

// textOf is the text of a value that is a string.
func textOf(value []byte) (text string, ok bool) {
	if value[0] != '"' {
		return "", false
	}
	return string(unescaped(value[1 : len(value)-1])), true
}

// numberOf is a value that is an integer, exactly.
func numberOf(value []byte) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// eachMember calls f for the members of the object in memory: key unescaped,
// value raw, and where in body the value begins. It stops at f's first error.
func eachMember(body []byte, f func(key, value []byte, at int) error) error {
	s := scanner{b: body, max: DefaultDepth}
	if err := s.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		key, ok, err := s.next(first)
		if err != nil {
			return err
		}
		if !ok {
			return s.end()
		}
		value, err := s.value()
		if err != nil {
			return err
		}
		if err := f(s.name(key), value.of(s.b), value.lo); err != nil {
			return err
		}
	}
}

// eachElement calls f for the elements of the array in memory; for none where
// it is no array.
func eachElement(array []byte, f func(value []byte)) error {
	if array[0] != '[' {
		return nil
	}
	s := scanner{b: array, max: DefaultDepth}
	if err := s.deeper(); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.element(first)
		if err != nil || !more {
			return err
		}
		value, err := s.value()
		if err != nil {
			return err
		}
		f(value.of(s.b))
	}
}
