package rawwatch

import (
	"compress/gzip"
	"io"
)

// inflater reads a gzip body while it arrives. The limits on frames, items and
// documents are those of what comes out of it.
type inflater struct {
	compressed io.Reader
	gzip       *gzip.Reader // nil until the first read
}

// Read implements io.Reader.
func (i *inflater) Read(p []byte) (int, error) {
	if i.gzip == nil {
		z, err := gzip.NewReader(i.compressed)
		if err != nil {
			return 0, err
		}
		i.gzip = z
	}
	return i.gzip.Read(p)
}
