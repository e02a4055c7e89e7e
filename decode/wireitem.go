package decode

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
