package access

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// stdin is the path that means standard input.
const stdin = "-"

// readFile reads a whole file, but no more than limit bytes. What is not a
// regular file, such as a shell's process substitution, is read too.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is a directory, not a file")}
	}
	return readAtMost(f, limit)
}

func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, &LimitError{What: "file", Limit: limit, Option: "Options.FileLimit"}
	}
	return text, nil
}

// A sight is what was seen of a file, to tell whether it has been replaced
// since. The zero value is a file that is not there.
type sight struct{ info fs.FileInfo }

// lookAt follows symbolic links: the kubelet renews projected volumes by
// swapping one.
func lookAt(path string) sight {
	info, err := os.Stat(path)
	if err != nil {
		return sight{}
	}
	return sight{info}
}

func (s sight) same(t sight) bool {
	if s.info == nil || t.info == nil {
		return s.info == nil && t.info == nil
	}
	return os.SameFile(s.info, t.info) && s.info.Size() == t.info.Size() && s.info.ModTime().Equal(t.info.ModTime())
}
