//go:build !linux

package realapi

import "syscall"

// dieWithParent cannot promise anything outside Linux: there the servers end
// with Close.
func dieWithParent() *syscall.SysProcAttr { return nil }
