package decode

import (
	"errors"
	"strconv"
)

// ErrIntOrString is what is wrong with an IntOrString that is neither.
var ErrIntOrString = errors.New("decode: neither an integer of 32 bits nor a string")

// IntOrString is a port or a percentage: a number or a text (intstr of the
// API). The zero value is the number 0.
type IntOrString struct {
	IsText bool
	Int    int32  // 0 when IsText
	Text   string // empty unless IsText
}

// String is the text, or the number's digits.
func (v IntOrString) String() string {
	if v.IsText {
		return v.Text
	}
	return strconv.Itoa(int(v.Int))
}

// UnmarshalJSON takes a string, an integer, or null, which is 0.
func (v *IntOrString) UnmarshalJSON(value []byte) error {
	*v = IntOrString{}
	switch {
	case len(value) > 0 && value[0] == 'n':
		return nil
	case len(value) > 1 && value[0] == '"':
		*v = IntOrString{IsText: true, Text: string(unescaped(value[1 : len(value)-1]))}
		return nil
	}
	n, err := strconv.ParseInt(string(value), 10, 32)
	if err != nil {
		return ErrIntOrString // not err: it quotes the value
	}
	v.Int = int32(n)
	return nil
}

// MarshalJSON is a string or a number.
func (v IntOrString) MarshalJSON() ([]byte, error) {
	if v.IsText {
		return appendString(nil, v.Text), nil
	}
	return strconv.AppendInt(nil, int64(v.Int), 10), nil
}
