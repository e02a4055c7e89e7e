package decode

import (
	"time"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// ownForm is one of the messages that have a JSON form of their own: Quantity,
// Time, MicroTime, Duration, IntOrString, Raw.
type ownForm struct {
	empty bool   // the message has no bytes: null for times and Raw
	text  []byte // Quantity, IntOrString, Raw; borrowed
	first int64  // seconds; nanoseconds of a Duration; type of IntOrString
	more  int64  // nanoseconds; number of IntOrString
}

func parseForm(kind schema.Kind, b []byte) (s ownForm, bad string) {
	s.empty = len(b) == 0
	text := 1
	if kind == schema.IntOrString {
		text = 3
	}
	w := wire{b: b}
	for w.next() {
		switch {
		case w.typ == wireBytes && w.number == text:
			s.text = w.data
		case w.typ != wireVarint:
		case w.number == 1:
			s.first = int64(w.value)
		case w.number == 2:
			s.more = int64(int32(w.value))
		}
	}
	if kind == schema.Quantity && len(s.text) == 0 {
		s.text = zeroQuantity
	}
	return s, w.bad
}

var zeroQuantity = []byte("0")

// seconds is a Time, which has no fractions in JSON.
func (s *ownForm) seconds() time.Time {
	if s.empty {
		return time.Time{}
	}
	return time.Unix(s.first, 0).UTC()
}

// micros is a MicroTime.
func (s *ownForm) micros() time.Time {
	if s.empty {
		return time.Time{}
	}
	return time.Unix(s.first, int64(time.Duration(s.more).Truncate(time.Microsecond))).UTC()
}

// isText says that an IntOrString is a string.
func (s *ownForm) isText() bool { return s.first == 1 }

func (s *ownForm) either() IntOrString {
	if s.isText() {
		return IntOrString{IsText: true, Text: string(s.text)}
	}
	return IntOrString{Int: int32(s.more)}
}

// isZeroTime says that JSON has null for the time in b.
func isZeroTime(b []byte) bool {
	s, bad := parseForm(schema.Time, b)
	return bad == "" && s.seconds().IsZero()
}

// packedNumber is the first number of those that stand together.
func packedNumber(typ uint8, b []byte) (value uint64, n int) {
	if typ == wireVarint {
		return uvarint(b)
	}
	w := wire{b: append([]byte{1<<3 | typ}, b[:min(8, len(b))]...)}
	if !w.next() {
		return 0, 0
	}
	return w.value, w.i - 1
}
