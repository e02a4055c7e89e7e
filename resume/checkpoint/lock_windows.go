package checkpoint

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
)

// errSharingViolation is ERROR_SHARING_VIOLATION.
const errSharingViolation = syscall.Errno(32)

// lockFile opens a file for writing that nobody else may write meanwhile. The
// system closes it with the process.
func lockFile(name string) (io.Closer, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharingViolation) {
		return nil, &LockedError{Path: strings.TrimSuffix(name, lockSuffix)}
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return os.NewFile(uintptr(handle), name), nil
}

// syncDir does nothing: a rename with replacement is durable by itself here.
func syncDir(string) error { return nil }
