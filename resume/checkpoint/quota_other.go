//go:build !unix

package checkpoint

import "errors"

// errQuota does not come here.
var errQuota = errors.New("disk quota exceeded")
