package decode

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// Quantity is an amount of a resource, as the API server writes it: "100m",
// "1500Mi", "2e3" (resource.Quantity of the API). Decoding keeps the text,
// which is canonical, so that equal texts are equal amounts; the methods
// compute. The empty Quantity is 0.
type Quantity string

// ErrQuantity is what is wrong with a Quantity whose text is none, or whose
// amount does not fit the integer that was asked for.
var ErrQuantity = errors.New("decode: not a quantity, or too large for 64 bits")

// String is the text itself.
func (q Quantity) String() string { return string(q) }

// Value is the amount in whole units, away from zero where it is a fraction.
// The error is ErrQuantity.
func (q Quantity) Value() (int64, error) { return q.scaled(0) }

// MilliValue is the amount in thousandths, away from zero where it is a
// fraction of those. The error is ErrQuantity.
func (q Quantity) MilliValue() (int64, error) { return q.scaled(3) }

// UnmarshalJSON takes a string, or a number as people write it in manifests.
func (q *Quantity) UnmarshalJSON(value []byte) error {
	switch {
	case len(value) > 0 && value[0] == 'n':
		*q = ""
	case len(value) > 1 && value[0] == '"':
		*q = Quantity(unescaped(value[1 : len(value)-1]))
	case len(value) > 0 && token(value[0]) == tokenNumber:
		*q = Quantity(value)
	default:
		return ErrQuantity
	}
	return nil
}

const tokenNumber = "a number"

// maxQuantity bounds the text that is computed with, and maxExponent what it
// may ask for: far beyond 64 bits, and harmless.
const (
	maxQuantity = 64
	maxExponent = 64
)

// suffixes are powers of ten, or of two, that a unit stands for (API
// conventions, "Units").
var suffixes = map[string]struct{ ten, two int }{
	"": {}, "n": {ten: -9}, "u": {ten: -6}, "m": {ten: -3},
	"k": {ten: 3}, "M": {ten: 6}, "G": {ten: 9}, "T": {ten: 12}, "P": {ten: 15}, "E": {ten: 18},
	"Ki": {two: 10}, "Mi": {two: 20}, "Gi": {two: 30}, "Ti": {two: 40}, "Pi": {two: 50}, "Ei": {two: 60},
}

// scaled is the amount times ten to the power of tens.
func (q Quantity) scaled(tens int) (int64, error) {
	if q == "" {
		return 0, nil
	}
	end := strings.LastIndexAny(string(q), "0123456789.") + 1
	number, suffix := string(q[:end]), string(q[end:])
	// "1e3" has its digits at the end, "1E" is a suffix.
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		exponent, err := strconv.Atoi(number[e+1:])
		if err != nil || suffix != "" || exponent > maxExponent || exponent < -maxExponent {
			return 0, ErrQuantity
		}
		number, tens = number[:e], tens+exponent
	}
	whole, fraction, _ := strings.Cut(number, ".")
	unit, ok := suffixes[suffix]
	amount, isNumber := new(big.Int).SetString(whole+fraction, 10)
	if !ok || !isNumber || len(q) > maxQuantity || strings.Contains(number, "_") {
		return 0, ErrQuantity
	}
	amount.Lsh(amount, uint(unit.two))
	return round(amount, tens+unit.ten-len(fraction))
}

// round is amount times ten to the power of tens, away from zero.
func round(amount *big.Int, tens int) (int64, error) {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(tens, -tens))), nil)
	if tens >= 0 {
		amount.Mul(amount, power)
	} else {
		rest := new(big.Int)
		sign := int64(amount.Sign())
		if amount.QuoRem(amount, power, rest); rest.Sign() != 0 {
			amount.Add(amount, big.NewInt(sign))
		}
	}
	if !amount.IsInt64() {
		return 0, ErrQuantity
	}
	return amount.Int64(), nil
}
