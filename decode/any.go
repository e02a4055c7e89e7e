package decode

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
)

// setAny fills v, an interface{}, with what raw is: nil, bool, int64, float64,
// string, []any or map[string]any.
func setAny(raw []byte, v reflect.Value) bool {
	var x any
	if exact.Unmarshal(raw, &x) != nil {
		return false
	}
	if x, ok := withNumbers(x); ok {
		if x == nil {
			v.SetZero()
		} else {
			v.Set(reflect.ValueOf(x))
		}
		return true
	}
	return false
}

// withNumbers makes numbers of their texts: integers of 64 bits stay exact,
// others become float64. ok is false for what is neither.
func withNumbers(x any) (_ any, ok bool) {
	switch x := x.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(x), 10, 64); err == nil {
			return n, true
		}
		n, err := strconv.ParseFloat(string(x), 64)
		return n, err == nil && !math.IsInf(n, 0)
	case []any:
		for i := range x {
			if x[i], ok = withNumbers(x[i]); !ok {
				return nil, false
			}
		}
	case map[string]any:
		for k := range x {
			if x[k], ok = withNumbers(x[k]); !ok {
				return nil, false
			}
		}
	}
	return x, true
}
