package decode

// Numbers of the fields of metav1.Status, StatusDetails, StatusCause and
// ListMeta.
const (
	statusMetadata = 1
	statusStatus   = 2
	statusMessage  = 3
	statusReason   = 4
	statusDetails  = 5
	statusCode     = 6

	detailsName       = 1
	detailsGroup      = 2
	detailsKind       = 3
	detailsCauses     = 4
	detailsRetryAfter = 5
	detailsUID        = 6

	causeReason  = 1
	causeMessage = 2
	causeField   = 3

	listResourceVersion    = 2
	listContinue           = 3
	listRemainingItemCount = 4
)

// wireStatus reads a Status out of whatever object this is, in protobuf. It is
// as lenient as ParseStatus: what does not fit is left zero.
func wireStatus(object []byte) (Status, error) {
	e, err := open(object)
	if err != nil {
		return Status{Metadata: unknownListMeta()}, err
	}
	st := statusMessageOf(e.raw)
	st.Kind, st.APIVersion = string(e.kind), string(e.apiVersion)
	return st, nil
}

func statusMessageOf(raw []byte) Status {
	st := Status{Metadata: unknownListMeta()}
	w := wire{b: raw}
	for w.next() {
		switch {
		case w.typ == wireVarint && w.number == statusCode:
			st.Code = int(int32(w.value))
		case w.typ != wireBytes:
		case w.number == statusMetadata:
			st.Metadata, _ = wireListMeta(w.data, 0)
		case w.number == statusStatus:
			st.Status = string(w.data)
		case w.number == statusMessage:
			st.Message = string(w.data)
		case w.number == statusReason:
			st.Reason = string(w.data)
		case w.number == statusDetails:
			st.Details = wireDetails(w.data)
		}
	}
	return st
}

func wireDetails(b []byte) *StatusDetails {
	d := &StatusDetails{}
	w := wire{b: b}
	for w.next() {
		switch {
		case w.typ == wireVarint && w.number == detailsRetryAfter:
			d.RetryAfterSeconds = int(int32(w.value))
		case w.typ != wireBytes:
		case w.number == detailsName:
			d.Name = string(w.data)
		case w.number == detailsGroup:
			d.Group = string(w.data)
		case w.number == detailsKind:
			d.Kind = string(w.data)
		case w.number == detailsUID:
			d.UID = string(w.data)
		case w.number == detailsCauses:
			d.Causes = append(d.Causes, wireCause(w.data))
		}
	}
	return d
}

func wireCause(b []byte) (c StatusCause) {
	w := wire{b: b}
	for w.next() {
		switch {
		case w.typ != wireBytes:
		case w.number == causeReason:
			c.Type = string(w.data)
		case w.number == causeMessage:
			c.Message = string(w.data)
		case w.number == causeField:
			c.Field = string(w.data)
		}
	}
	return c
}

// wireListMeta decodes a list's metadata that stands at offset base. What does
// not fit is left unknown, and reported.
func wireListMeta(b []byte, base int64) (lm ListMeta, err error) {
	lm = unknownListMeta()
	w := wire{b: b}
	for w.next() {
		switch {
		case w.number == listResourceVersion && w.typ == wireBytes:
			lm.ResourceVersion = string(w.data)
		case w.number == listContinue && w.typ == wireBytes:
			lm.Continue = string(w.data)
		case w.number == listRemainingItemCount && w.typ == wireVarint:
			lm.RemainingItemCount = int64(w.value)
		case w.number >= listResourceVersion && w.number <= listRemainingItemCount:
			err = &ObjectError{Path: nameMetadata, Offset: base + int64(w.at), Token: wireToken(w.typ), Want: "another wire type"}
		}
	}
	if w.bad != "" {
		err = &ObjectError{Path: nameMetadata, Offset: base + int64(w.i), Token: w.bad, Want: "a protobuf message"}
	}
	return lm, err
}
