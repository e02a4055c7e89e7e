package watchtest

import (
	"cmp"
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// form is what objects are sent as.
type form uint8

const (
	whole form = iota
	metadataOnly
)

// gzipPool keeps writers at the level that the API server compresses at.
var gzipPool = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return w
}}

// clause is one media range of an Accept header.
type clause struct {
	kind   string
	params map[string]string
	q      float64
}

func parseAccept(header string) []clause {
	var all []clause
	for part := range strings.SplitSeq(header, ",") {
		kind, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				q = 0
			}
		}
		all = append(all, clause{kind, params, q})
	}
	slices.SortStableFunc(all, func(a, b clause) int { return cmp.Compare(b.q, a.q) })
	return all
}

// negotiate picks the form of an answer from the Accept header (API concepts,
// "Alternate representations of resources"). JSON is all there is: a client
// that also accepts it gets it in place of protobuf.
func (c *call) negotiate(list bool) (form, *StatusError) {
	header := strings.Join(c.request.Header.Values("Accept"), ",")
	if header == "" {
		return whole, nil
	}
	for _, clause := range parseAccept(header) {
		if clause.q <= 0 || clause.kind != "application/json" && clause.kind != "*/*" && clause.kind != "application/*" {
			continue
		}
		as, mode := clause.params["as"], c.server.options.MetadataOnly
		switch {
		case as == "" || mode == MetadataOnlyIgnored:
			return whole, nil
		case mode == MetadataOnlyOff || clause.params["g"] != "meta.k8s.io" || clause.params["v"] != "v1" && clause.params["v"] != "v1beta1":
			continue
		case as == "PartialObjectMetadataList" && list, as == "PartialObjectMetadata" && !list:
			return metadataOnly, nil
		case as == "PartialObjectMetadata":
			return whole, notAcceptable("you requested PartialObjectMetadata, but the requested object is a list (" + c.collection.resource.Kind + "List)")
		}
	}
	return whole, notAcceptable("only the following media types are accepted: application/json")
}

// notAcceptable is written over several lines, see [call.refuse].
func notAcceptable(message string) *StatusError {
	return &StatusError{Code: http.StatusNotAcceptable, Reason: "NotAcceptable", Message: message}
}

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
