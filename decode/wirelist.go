package decode

import "io"

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

// wireField passes one field of the list, or its end; found says that it was
// an item.
func (l *ListReader) wireField() (found bool, err error) {
	y := &l.body
	if l.body.poison {
		poison(l.wire.spare)
	}
	if cap(l.wire.spare) > largeBuffer {
		l.wire.spare = nil
	}
	if y.base == l.wire.end {
		l.place = inList
		return false, nil
	}
	number, size, err := l.tag(l.wire.end)
	if err != nil {
		return false, err
	}
	switch number {
	case listItems:
		return true, l.wireItem(size)
	case listMetadata:
		data, err := l.whole(whatMember, size)
		if err != nil {
			return false, err
		}
		l.list.status.Metadata, l.list.metaError = wireListMeta(data, y.base)
		y.advance(len(data))
		return false, nil
	}
	return false, y.discard(size)
}

// tag passes the head of a field that must not reach beyond end (where that is
// not negative) for good, and says how many bytes its value has.
func (l *ListReader) tag(end int64) (number int, size int64, err error) {
	y := &l.body
	tag, err := y.varint()
	if err != nil {
		return 0, 0, err
	}
	if tag>>3 == 0 || tag>>3 > maxFieldNumber {
		return 0, 0, y.malformed("no field's tag")
	}
	switch tag & 7 {
	case wireVarint:
		_, err = y.varint()
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	case wireBytes:
		var n uint64
		n, err = y.varint()
		size = int64(min(n, maxLength))
	default:
		err = y.malformed("an unknown wire type")
	}
	if err == nil && end >= 0 && y.base+size > end {
		err = y.malformed("a length beyond the end")
	}
	if tag&7 != wireBytes {
		// Everything known is of bytes: what is not is crossed like the unknown.
		tag = maxFieldNumber << 3
	}
	return int(tag >> 3), size, err
}

// maxLength bounds lengths so that sums of them do not overflow.
const maxLength = 1 << 60

// whole waits for a value of which all is needed, and leaves it at the
// window's front.
func (l *ListReader) whole(what string, size int64) ([]byte, error) {
	y := &l.body
	if size > int64(l.itemLimit) {
		return nil, &LimitError{What: what, Limit: l.itemLimit, Offset: y.base}
	}
	if err := y.need(int(size)); err != nil {
		return nil, err
	}
	return y.b[:size:size], nil
}

// wireItem takes one item, and puts it into an envelope of its own.
func (l *ListReader) wireItem(size int64) error {
	y := &l.body
	raw, err := l.whole(whatItem, size)
	if err != nil {
		return err
	}
	y.i = len(raw)
	y.take()
	l.item.Meta.reset()
	l.item = Item{Object: l.enveloped(raw), Meta: l.item.Meta}
	if err := scanMessage(raw, 0, &l.item.Meta); err != nil {
		err.Offset += y.base
		err.Key = l.item.Meta.key()
		l.item.Err = err
	}
	l.inherit(&l.item.Meta)
	return nil
}

// enveloped is the item raw, at the window's front, as an object that says
// what it is. The envelope is written over what was in front of the window,
// which is done with; where that is too short, a copy is made.
func (l *ListReader) enveloped(raw []byte) []byte {
	in := &l.body.input
	head := wrap(l.wire.spare[:0], l.wire.apiVersion, l.wire.kind, len(raw))
	if at := in.start - len(head); at >= 0 {
		l.wire.spare = head
		copy(in.full[at:], head)
		end := in.start + len(raw)
		return in.full[at:end:end]
	}
	l.wire.spare = append(head, raw...)
	return l.wire.spare[:len(l.wire.spare):len(l.wire.spare)]
}

// endOr is io.EOF where there is no other error.
func endOr(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}
