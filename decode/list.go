package decode

import "io"

// ListReader takes the body of a list apart into its items, one at a time, as
// it arrives: neither the page nor its objects ever exist as a whole. It is
// not safe for concurrent use.
type ListReader struct {
	body       body
	itemLimit  int
	place      listPlace
	first      bool // no member, or no item, has been crossed yet
	item       Item
	marks      marks
	list       listHead
	kind, vers []byte // what items are that do not say it themselves
	wire       *listEnvelope
}

// listPlace is where in the body the reader stands, between two values.
type listPlace uint8

const (
	beforeList listPlace = iota
	inList               // before a member, or the closing brace
	inItems              // before an item, or the closing bracket
	afterList
)

// NewListReader reads a list's body from r, which it does not close.
func NewListReader(r io.Reader, o Options) *ListReader {
	o = o.withDefaults()
	l := &ListReader{itemLimit: o.ItemLimit, list: newListHead()}
	if o.Encoding == Protobuf {
		l.wire = &listEnvelope{}
	}
	l.body.init(r, o)
	l.body.expect(whatMember, o.ItemLimit)
	return l
}

// Next waits for the next item and lends it until the next call. Its errors:
//
//   - io.EOF: the list is complete; nothing but white space followed. Meta is
//     complete too.
//   - *StatusError: the body is no list but a Status.
//   - *NotListError: the body is some other object.
//   - *StreamError: the body ended before the list did (io.ErrUnexpectedEOF),
//     or the underlying reader failed.
//   - *LimitError: an item, or another member of the body, is larger or nests
//     deeper than the options allow.
//   - *SyntaxError: the body is not JSON (or protobuf, if that is what the
//     options say), or has items twice.
//   - *ObjectError: after all items, the list's own metadata has the wrong
//     type, so that its version is not known.
//   - ErrClosed after Close.
//
// An error is final: every later call returns it again. After any but io.EOF
// the list is incomplete, and nothing may be concluded from what is missing.
func (l *ListReader) Next() (*Item, error) {
	if err := l.body.begin(&l.item.Meta); err != nil {
		return nil, err
	}
	for {
		found, err := l.step()
		if err != nil {
			return nil, l.body.fail(err)
		}
		if found {
			return &l.item, nil
		}
	}
}

// Meta is what the list says about itself. It is complete after io.EOF; before
// that it holds what has come so far.
func (l *ListReader) Meta() ListMeta { return l.list.meta() }

// Offset is how many bytes of the body have been used up.
func (l *ListReader) Offset() int64 { return l.body.offset() }

// Close gives the buffers back, which ends the loan of the last item. It does
// not close the underlying reader, and may be called more than once. Next
// then returns ErrClosed; Meta stays.
func (l *ListReader) Close() { l.body.close(&l.item.Meta) }

// step goes on by one value; found says that it was an item.
func (l *ListReader) step() (found bool, err error) {
	if l.wire != nil {
		return l.stepWire()
	}
	switch l.place {
	case beforeList:
		return false, l.open()
	case inList:
		return false, l.member()
	case inItems:
		return l.nextItem()
	default:
		return false, l.close()
	}
}

func (l *ListReader) open() error {
	y := &l.body
	c, err := y.inside()
	if err != nil {
		return err
	}
	if c != '{' {
		return y.wrongStart("a list")
	}
	l.place, l.first = inList, true
	return y.pass()
}

// close makes sure that nothing follows the list, and then says what the body
// was. Reading to the end also lets an HTTP connection be used again.
func (l *ListReader) close() error {
	_, err := l.body.between()
	if err == io.EOF {
		return l.list.verdict()
	}
	if err != nil {
		return err
	}
	return l.body.unexpected("the end")
}
