//go:build unix

package checkpoint

import "syscall"

// errQuota is a full disk for this user.
var errQuota error = syscall.EDQUOT
