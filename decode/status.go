package decode

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
		decodeLeaf(value, &st.Kind)
	case "apiVersion":
		decodeLeaf(value, &st.APIVersion)
	case "metadata":
		st.Metadata, _ = listMetaOf(value, 0)
	case "status":
		decodeLeaf(value, &st.Status)
	case "message":
		decodeLeaf(value, &st.Message)
	case "reason":
		decodeLeaf(value, &st.Reason)
	case "code":
		decodeLeaf(value, &st.Code)
	case "details":
		st.Details = nil
		decodeLeaf(value, &st.Details)
	}
}

// decodeLeaf decodes value into to, which becomes zero where it does not fit.
func decodeLeaf[T any](value []byte, to *T) {
	var v T
	if leaf.Unmarshal(value, &v) == nil {
		*to = v
	}
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
