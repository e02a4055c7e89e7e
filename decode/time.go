package decode

import (
	"errors"
	"time"
)

// ErrTime is what is wrong with a time that is not RFC 3339.
var ErrTime = errors.New("decode: not a time as of RFC 3339")

// Time is a moment in seconds, in UTC (metav1.Time). It is zero where the
// object has null.
type Time struct{ time.Time }

// MicroTime is a moment in microseconds, in UTC (metav1.MicroTime), as in
// leases and events. It is zero where the object has null.
type MicroTime struct{ time.Time }

// microLayout is how the API server writes a MicroTime.
const microLayout = "2006-01-02T15:04:05.000000Z07:00"

// UnmarshalJSON takes RFC 3339, or null.
func (t *Time) UnmarshalJSON(value []byte) (err error) {
	t.Time, err = parseTime(value)
	return err
}

// MarshalJSON is RFC 3339 in seconds, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	return appendTime(make([]byte, 0, len(microLayout)+2), t.Time, time.RFC3339), nil
}

// UnmarshalJSON takes RFC 3339, or null.
func (t *MicroTime) UnmarshalJSON(value []byte) (err error) {
	t.Time, err = parseTime(value)
	return err
}

// MarshalJSON is RFC 3339 in microseconds, or null.
func (t MicroTime) MarshalJSON() ([]byte, error) {
	return appendTime(make([]byte, 0, len(microLayout)+2), t.Time, microLayout), nil
}

func parseTime(value []byte) (time.Time, error) {
	if len(value) > 0 && value[0] == 'n' {
		return time.Time{}, nil
	}
	if len(value) < 2 || value[0] != '"' {
		return time.Time{}, ErrTime
	}
	t, err := time.Parse(time.RFC3339, string(unescaped(value[1:len(value)-1])))
	if err != nil {
		return time.Time{}, ErrTime // not err: it quotes the value
	}
	return t.UTC(), nil
}

func appendTime(dst []byte, t time.Time, layout string) []byte {
	if t.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = t.UTC().AppendFormat(dst, layout)
	return append(dst, '"')
}
