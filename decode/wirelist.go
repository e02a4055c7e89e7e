package decode

// Fields of every list.
const (
	listMetadata = 1
	listItems    = 2
)

// listEnvelope is what a ListReader knows beside, for Protobuf. The list stands in
// an envelope, whose message is not waited for but walked as it arrives.
type listEnvelope struct {
	end        int64 // of the message, from the body's start
	seen       bool  // the message has begun
	kind       string
	apiVersion string
	spare      []byte // for items that have no room in front of them
}

// stepWire goes on by one field; found says that it was an item.
func (l *ListReader) stepWire() (found bool, err error) {
	switch l.place {
	case beforeList:
		return false, l.openWire()
	case inItems:
		return l.wireField()
	default:
		return false, l.envelopeField()
	}
}

func (l *ListReader) openWire() error {
	y := &l.body
	y.expect(whatMember, max(l.itemLimit, maxVarint))
	if err := y.need(1); err != nil {
		return err
	}
	if y.b[0] != magic[0] {
		return y.wrongStart("a list in protobuf")
	}
	if err := y.need(len(magic)); err != nil {
		return err
	}
	if EncodingOf(y.b) != Protobuf {
		return y.wrongStart("a list in protobuf")
	}
	y.advance(len(magic))
	y.begun = true
	l.place = inList
	return nil
}

// envelopeField passes one field of the envelope, or its end.
func (l *ListReader) envelopeField() error {
	y := &l.body
	if end, err := y.atEnd(); err != nil {
		return err
	} else if end && l.wire.seen {
		return l.list.verdict()
	}
	number, size, err := l.tag(-1)
	if err != nil {
		return err
	}
	switch number {
	case unknownRaw:
		return l.openMessage(size)
	case unknownTypeMeta, unknownEncoding, unknownType:
		return l.envelopeText(number, size)
	}
	return y.discard(size)
}

// envelopeText takes what the envelope says about its message.
func (l *ListReader) envelopeText(number int, size int64) error {
	y := &l.body
	data, err := l.whole(whatMember, size)
	if err != nil {
		return err
	}
	if number != unknownTypeMeta {
		if err := checkContent(&wire{number: number, data: data}, int(y.base)); err != nil {
			return y.malformed(err.Token)
		}
		y.advance(len(data))
		return nil
	}
	apiVersion, kind, bad := typeMeta(data, 0)
	if bad != nil {
		return y.malformed(bad.Token)
	}
	l.list.status.APIVersion, l.list.status.Kind = string(apiVersion), string(kind)
	l.wire.apiVersion, l.wire.kind = string(apiVersion), kindOfItems(string(kind))
	l.kind, l.vers = []byte(l.wire.kind), apiVersion
	l.vers = append([]byte(nil), apiVersion...)
	y.advance(len(data))
	return nil
}

// openMessage goes into the list, or takes whatever stands in its place.
func (l *ListReader) openMessage(size int64) error {
	y := &l.body
	if l.wire.seen {
		return y.malformed("a second message")
	}
	l.wire.seen = true
	switch kind := l.list.status.Kind; {
	case kind == kindStatus:
		raw, err := l.whole(whatMember, size)
		if err != nil {
			return err
		}
		st := statusMessageOf(raw)
		st.Kind, st.APIVersion = kind, l.list.status.APIVersion
		return &StatusError{Status: st}
	case l.wire.kind == "":
		return &NotListError{Kind: kind, Offset: y.base, Token: "nothing"}
	}
	l.wire.end = y.base + size
	l.list.items = true
	l.place = inItems
	return nil
}
