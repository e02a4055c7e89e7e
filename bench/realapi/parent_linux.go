package realapi

import "syscall"

// dieWithParent has the kernel kill the child when its parent dies, so that a
// killed test leaves no server behind. The child is in a process group of its
// own: an interrupt from the keyboard is the parent's to handle.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
