package resume

// MaxVersionLength is the longest resourceVersion, in bytes, that is taken as
// a resume point. A version is sent back in every request's query; etcd's
// revisions have at most 19 digits, so a longer one is a server gone wrong.
const MaxVersionLength = 1024

// CompareVersions orders two resourceVersions of one resource. They are
// comparable when both are decimal numbers without leading zeros, of any
// length: the longer one is newer, and among equals in length the digits
// decide. order is -1 when a is older than b, 0 when they are equal, +1 when a
// is newer. All other versions are opaque: equal when their bytes are equal
// (order 0, comparable), otherwise not comparable and order is 0.
//
// Source: Kubernetes API concepts, "Resource versions"; KEP-5504.
func CompareVersions(a, b string) (order int, comparable bool) {
	return compareVersions(a, b)
}

func compareVersions[A, B ~string | ~[]byte](a A, b B) (int, bool) {
	if string(a) == string(b) {
		return 0, true
	}
	if !isNumber(a) || !isNumber(b) {
		return 0, false
	}
	if len(a) != len(b) {
		return sign(len(a) < len(b)), true
	}
	return sign(string(a) < string(b)), true
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

// isNumber reports whether v matches ^[1-9][0-9]*$.
func isNumber[T ~string | ~[]byte](v T) bool {
	if len(v) == 0 || v[0] == '0' {
		return false
	}
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			return false
		}
	}
	return true
}

// usable reports whether a watch may be resumed from v. "" and "0" are
// requests of their own kind ("most recent", "any"), never points in a
// history (API concepts, "Semantics for watch").
func usable(v string) bool {
	return v != "" && v != "0" && len(v) <= MaxVersionLength
}

// advance moves a resume point to v unless v is older, which would move it
// backwards, or is no point at all.
func advance(point, v string) string {
	if !usable(v) {
		return point
	}
	if order, comparable := CompareVersions(v, point); comparable && order <= 0 {
		return point
	}
	return v
}

// older reports that v is certainly older than known.
func older(v, known string) bool {
	order, comparable := CompareVersions(v, known)
	return comparable && order < 0
}
