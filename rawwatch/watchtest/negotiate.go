package watchtest

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// clause is one media range of an Accept header.
type clause struct {
	kind   string
	params map[string]string
	q      float64
}

// parseAccept puts the clauses into the API server's order: by q, then the
// more specific first, then as they stand. A q of 0 excludes nothing (seen on
// v1.37), and media types are told apart by case.
func parseAccept(header string) []clause {
	var all []clause
	for part := range strings.SplitSeq(header, ",") {
		_, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		kind, _, _ := strings.Cut(part, ";")
		kind = strings.TrimSpace(kind) // ParseMediaType has it in lower case
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				q = 1
			}
		}
		all = append(all, clause{kind, params, q})
	}
	slices.SortStableFunc(all, func(a, b clause) int {
		return cmp.Or(cmp.Compare(b.q, a.q), cmp.Compare(strings.Count(a.kind, "*"), strings.Count(b.kind, "*")))
	})
	return all
}

func (c *call) accepts() []clause {
	return parseAccept(strings.Join(c.request.Header.Values("Accept"), ","))
}

// encodingOf is the encoding that a clause means; what it leaves open is JSON.
func (a clause) encodingOf() (encoding, bool) {
	switch a.kind {
	case typeJSON, "application/*", "*/*":
		return inJSON, true
	case typeProtobuf:
		return inProtobuf, true
	}
	return inJSON, false
}

// strange tells whether a clause asks for a stream of an unknown schema.
func (a clause) strange() bool {
	stream := a.params["stream"]
	return stream != "" && stream != "watch"
}

const (
	servedTypes  = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
	servedFrames = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
)

// negotiate picks the form of an answer from the Accept header.
func (c *call) negotiate() (form, *StatusError) {
	if c.request.Header.Get("Accept") == "" {
		return form{}, nil
	}
	if refusal := c.routed(); refusal != nil {
		return form{}, refusal
	}
	for _, a := range c.accepts() {
		if f, ok := c.fulfil(a); ok {
			return f, nil
		}
	}
	return form{}, notAcceptable("only the following media types are accepted: " + servedTypes)
}

// routed is the look that the API server has at the header before the request
// comes to the resource: parameters do not count, and application/* is not
// known. Custom resources are not looked at in this way (both seen on v1.37).
func (c *call) routed() *StatusError {
	if mode := c.server.options.Protobuf; mode == ProtobufUnsupported && strings.Contains(c.request.Header.Get("Accept"), typeProtobuf) {
		return &StatusError{Code: http.StatusUnsupportedMediaType, Reason: "UnsupportedMediaType", Message: "415: Unsupported Media Type", Details: &StatusDetails{}}
	}
	if !c.collection.resource.builtin {
		return nil
	}
	for _, a := range c.accepts() {
		if a.kind == typeJSON || a.kind == typeProtobuf || a.kind == "*/*" {
			return nil
		}
	}
	served := servedTypes
	if c.verb == "list" || c.verb == "watch" {
		served += ", " + servedFrames
	}
	e := notAcceptable("406: Not Acceptable\n\nAvailable representations: " + served)
	e.Details = &StatusDetails{}
	return e
}

// fulfil tells whether the server can do what a clause asks, and how.
func (c *call) fulfil(a clause) (form, bool) {
	var f form
	var ok bool
	if f.encoding, ok = a.encodingOf(); !ok {
		return f, false
	}
	if a.strange() {
		return f, false
	}
	if f.encoding == inProtobuf && c.server.options.Protobuf == ProtobufOff {
		return f, false
	}
	if !c.server.options.MetadataOnly.fulfil(a, &f) {
		return f, false
	}
	if f.view == tabular && f.encoding != inJSON || f.view == whole && f.encoding == inProtobuf && !c.collection.resource.hasProtobuf() {
		return f, false
	}
	if c.server.options.Protobuf == ProtobufIgnored {
		f.encoding = inJSON
	}
	return f, true
}

// fulfil reads the view that a clause asks for.
func (mode MetadataOnlyMode) fulfil(a clause, f *form) bool {
	as, group, version := a.params["as"], a.params["g"], a.params["v"]
	if as == "" && group == "" && version == "" {
		return true
	}
	v, known := views[as]
	if !known || group != "meta.k8s.io" || version != "v1" && version != "v1beta1" {
		return false
	}
	if v != tabular {
		switch mode {
		case MetadataOnlyOff:
			return false
		case MetadataOnlyIgnored:
			return true
		}
	}
	f.view, f.meta = v, group+"/"+version
	return true
}

// errorEncoding is how a Status is sent: in the first encoding that the client
// accepts without a view, whatever the resource has; ok is false when there is
// none.
func (c *call) errorEncoding() (e encoding, ok bool) {
	if c.request.Header.Get("Accept") == "" {
		return inJSON, true
	}
	for _, a := range c.accepts() {
		e, ok := a.encodingOf()
		if !ok || a.strange() || a.params["as"] != "" || a.params["g"] != "" || a.params["v"] != "" {
			continue
		}
		switch mode := c.server.options.Protobuf; {
		case e == inProtobuf && (mode == ProtobufOff || mode == ProtobufUnsupported):
			continue
		case mode == ProtobufIgnored:
			e = inJSON
		}
		return e, true
	}
	return inJSON, false
}

func notAcceptable(message string) *StatusError {
	return &StatusError{Code: http.StatusNotAcceptable, Reason: "NotAcceptable", Message: message}
}
