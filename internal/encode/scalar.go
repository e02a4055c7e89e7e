package encode

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/internal/schema"
)

// appendScalar appends a value that is no message of the table. Null stands for
// the zero value.
func appendScalar(dst []byte, kind schema.Kind, number int, value span) ([]byte, error) {
	switch kind {
	case schema.String:
		text, err := textOrZero(value)
		return appendText(dst, number, text), err
	case schema.Bool:
		b, err := truth(value)
		return appendVarint(dst, number, b), err
	case schema.Int32:
		n, err := integer(value, 32)
		return appendVarint(dst, number, uint64(n)), err
	case schema.Int64:
		n, err := integer(value, 64)
		return appendVarint(dst, number, uint64(n)), err
	case schema.Double:
		n, err := float(value)
		return binary.LittleEndian.AppendUint64(appendTag(dst, number, fixed64), math.Float64bits(n)), err
	case schema.Bytes:
		text, err := textOrZero(value)
		if err != nil {
			return dst, err
		}
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return dst, &ValueError{Want: "base64"}
		}
		return AppendField(dst, number, raw), nil
	}
	message, err := ownForm(kind, value)
	return AppendField(dst, number, message), err
}

// ownForm is the message of a type that has a JSON form of its own.
func ownForm(kind schema.Kind, value span) ([]byte, error) {
	switch kind {
	case schema.Quantity:
		return quantity(value)
	case schema.Time:
		return moment(value, time.Second)
	case schema.MicroTime:
		return moment(value, time.Microsecond)
	case schema.Duration:
		text, err := textOrZero(value)
		if err != nil {
			return nil, err
		}
		var d time.Duration
		if text != "" {
			if d, err = time.ParseDuration(text); err != nil {
				return nil, &ValueError{Want: "a duration"}
			}
		}
		return appendVarint(nil, 1, uint64(d)), nil
	case schema.IntOrString:
		return intOrString(value)
	case schema.Raw:
		if value.isNull() {
			return nil, nil
		}
		return AppendField(nil, 1, value), nil
	}
	panic("encode: no form for kind " + strconv.Itoa(int(kind)))
}

func textOrZero(value span) (string, error) {
	if value.isNull() {
		return "", nil
	}
	return value.text()
}

func truth(value span) (uint64, error) {
	switch {
	case value.isNull() || string(value) == "false":
		return 0, nil
	case string(value) == "true":
		return 1, nil
	}
	return 0, &ValueError{Want: "true or false"}
}

func integer(value span, bits int) (int64, error) {
	if value.isNull() {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(value), 10, bits)
	if err != nil {
		return 0, &ValueError{Want: "an integer of " + strconv.Itoa(bits) + " bits"}
	}
	return n, nil
}

func float(value span) (float64, error) {
	if value.isNull() {
		return 0, nil
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return 0, &ValueError{Want: "a number"}
	}
	return n, nil
}

func quantity(value span) ([]byte, error) {
	text := "0"
	switch {
	case value.isNull():
	case value[0] == '"':
		var err error
		if text, err = value.text(); err != nil {
			return nil, err
		}
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		text = string(value)
	default:
		return nil, &ValueError{Want: "a quantity"}
	}
	return appendText(nil, 1, text), nil
}

// moment is a time in the given precision; no time is an empty message.
func moment(value span, precision time.Duration) ([]byte, error) {
	text, err := textOrZero(value)
	if err != nil || text == "" {
		return nil, err
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, &ValueError{Want: "a time as of RFC 3339"}
	}
	if t.IsZero() {
		return nil, nil
	}
	nanos := time.Duration(t.Nanosecond()).Truncate(precision)
	return appendVarint(appendVarint(nil, 1, uint64(t.Unix())), 2, uint64(nanos)), nil
}

// intOrString has all its three fields on the wire, whichever holds the value.
func intOrString(value span) ([]byte, error) {
	var isText, n uint64
	var text string
	if !value.isNull() && value[0] == '"' {
		var err error
		if text, err = value.text(); err != nil {
			return nil, err
		}
		isText = 1
	} else {
		number, err := integer(value, 32)
		if err != nil {
			return nil, &ValueError{Want: "an integer of 32 bits, or a string"}
		}
		n = uint64(number)
	}
	return appendText(appendVarint(appendVarint(nil, 1, isText), 2, n), 3, text), nil
}
