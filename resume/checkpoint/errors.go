package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/rawwatch/rawwatch/resume"
)

// LockedError says that another process, or another Store of this one, has the
// file open.
type LockedError struct {
	Path string
	PID  int // of the holder; 0 if it is not known
}

// Error names the path and the holder.
func (e *LockedError) Error() string {
	holder := "another process"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("checkpoint: %s is in use by %s: give each process a file of its own, or stop that one", e.Path, holder)
}

// FileProblem is why a file cannot be used.
type FileProblem uint8

const (
	NotRegular   FileProblem = iota + 1 // a directory, a pipe, a device
	NotPermitted                        // this user may not read or write it
	ReadOnly                            // the file system is mounted read-only
	NoDirectory                         // the directory is not there
	Unusable                            // anything else; see Err
)

var problemAdvice = map[FileProblem]string{
	NotRegular:   "is not a regular file: name a file, which is made if there is none",
	NotPermitted: "may not be read and written by this user: check the owner and the mode of the file and its directory",
	ReadOnly:     "is on a read-only file system: name a file on one that can be written",
	NoDirectory:  "is in a directory that does not exist: make it first",
	Unusable:     "cannot be used",
}

// FileError says that a file cannot be used. Options.GoOnWithout makes it
// Status().Err instead.
type FileError struct {
	Path    string
	Problem FileProblem
	Err     error // may be nil
}

// Error says what is wrong and what to do.
func (e *FileError) Error() string {
	s := "checkpoint: " + e.Path + " " + problemAdvice[e.Problem]
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *FileError) Unwrap() error { return e.Err }

func fileError(path string, err error) *FileError {
	problem := Unusable
	switch {
	case errors.Is(err, syscall.EROFS):
		problem = ReadOnly
	case errors.Is(err, fs.ErrPermission):
		problem = NotPermitted
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist):
		problem = NoDirectory
	}
	return &FileError{Path: path, Problem: problem, Err: err}
}

// Damage is what is wrong with a file's content.
type Damage uint8

const (
	Foreign      Damage = iota + 1 // not a checkpoint
	OtherVersion                   // of a format that this program does not know
	Truncated                      // shorter than it was when it was made
	Corrupt                        // a checksum does not hold, or what it covers makes no sense
)

var damageNames = [...]string{"", "foreign", "otherversion", "truncated", "corrupt"}

// String is the word that the name of a file set aside has in it.
func (d Damage) String() string { return damageNames[d] }

// FormatError says what is wrong with a file's content, and where.
type FormatError struct {
	Damage Damage
	Offset int64
	Detail string
}

// Error says what is wrong and where.
func (e *FormatError) Error() string {
	return fmt.Sprintf("checkpoint: %s at byte %d", e.Detail, e.Offset)
}

// SetAsideError says that a file could not be gone on from and was renamed. It
// is no failure: the store began empty, or with what was whole.
type SetAsideError struct {
	Path  string
	Aside string // where the file is now
	Kept  bool   // the part before the damage is whole, and in use
	Err   error  // why
}

// Error says where the file is now, and why.
func (e *SetAsideError) Error() string {
	rest := "starting without it"
	if e.Kept {
		rest = "going on from the part before the damage"
	}
	return fmt.Sprintf("checkpoint: %s was set aside as %s, %s: %v", e.Path, e.Aside, rest, e.Err)
}

// Unwrap gives the cause.
func (e *SetAsideError) Unwrap() error { return e.Err }

// SecretsError refuses to store objects of Secrets in the clear.
type SecretsError struct{ Identity resume.WatchIdentity }

// Error says what to set.
func (e *SecretsError) Error() string {
	return fmt.Sprintf("checkpoint: %v would store Secrets in the clear: set Options.Encryption, store no objects, or set Options.AllowSecrets", e.Identity)
}

// TooLargeError refuses a batch or an object.
type TooLargeError struct{ Size, Limit int64 }

// Error gives both sizes.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("checkpoint: %d bytes at once are more than %d: commit more often", e.Size, e.Limit)
}

// SealError says that the encryption failed: with the wrong key, most likely.
// The file is as it was.
type SealError struct{ Err error }

// Error says what to check.
func (e *SealError) Error() string {
	return "checkpoint: the encryption's key does not fit, or is not there: " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *SealError) Unwrap() error { return e.Err }

var errNoEncryption = errors.New("the file is encrypted and Options.Encryption is not set")
