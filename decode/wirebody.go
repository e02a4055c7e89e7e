package decode

import "io"

// need makes the window at least n bytes long. n must be within the limit of
// what is expected.
func (y *body) need(n int) error {
	for len(y.b) < n {
		if err := y.input.fill(); err != nil {
			return y.torn(err)
		}
		y.b = y.input.window()
	}
	return nil
}

// atEnd says that the body ends here, where it may.
func (y *body) atEnd() (bool, error) {
	if len(y.b) > 0 {
		return false, nil
	}
	err := y.input.fill()
	if err == io.EOF {
		return true, nil
	}
	if err != nil {
		return false, y.torn(err)
	}
	y.b = y.input.window()
	return false, nil
}

// maxVarint is the length that no varint of 64 bits exceeds.
const maxVarint = 10

// varint passes a varint for good.
func (y *body) varint() (uint64, error) {
	for want := 1; want <= maxVarint; want++ {
		if err := y.need(want); err != nil {
			return 0, err
		}
		if value, n := uvarint(y.b); n > 0 {
			y.advance(n)
			return value, nil
		}
	}
	return 0, y.malformed("a varint without an end")
}

// discard drops n bytes that need not be seen, whatever their number.
func (y *body) discard(n int64) error {
	for n > 0 {
		if err := y.need(1); err != nil {
			return err
		}
		part := min(n, int64(len(y.b)))
		y.advance(int(part))
		n -= part
	}
	return nil
}

func (y *body) malformed(found string) error {
	return &SyntaxError{Offset: y.base, Found: found, Want: "a Kubernetes protobuf list"}
}
