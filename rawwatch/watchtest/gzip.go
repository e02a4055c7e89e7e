package watchtest

import (
	"compress/gzip"
	"io"
	"strings"
	"sync"
)

// gzipPool keeps writers at the level that the API server compresses at.
var gzipPool = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return w
}}

// acceptsGzip tells whether the client takes gzip.
func (c *call) acceptsGzip() bool {
	for part := range strings.SplitSeq(c.request.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") && strings.ReplaceAll(q, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

func (c *call) compressed() {
	c.header.Set("Content-Encoding", "gzip")
	c.header.Add("Vary", "Accept-Encoding")
	c.body.gzipped = true
}
