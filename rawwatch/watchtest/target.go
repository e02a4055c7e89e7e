package watchtest

import (
	"net/http"
	"net/url"
	"strings"
)

// target is what a request is about (the API's own term is RequestInfo).
type target struct {
	verb        string // list, watch, get, create, update, patch, delete, deletecollection
	address            // of the resource; plural is "" for discovery and health
	namespace   string
	name        string
	subresource string
}

// aim reads method and URL. What is no path of a resource has an empty verb.
func aim(r *http.Request, query url.Values) target {
	var t target
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(segments) >= 3 && segments[0] == "api":
		t.version, segments = segments[1], segments[2:]
	case len(segments) >= 4 && segments[0] == "apis":
		t.group, t.version, segments = segments[1], segments[2], segments[3:]
	default:
		return t
	}
	t.locate(segments)
	t.verb = t.action(r.Method, query)
	if t.name == "" && (t.verb == "list" || t.verb == "watch" || t.verb == "deletecollection") {
		t.name = soleName(query.Get("fieldSelector"))
	}
	return t
}

// locate reads what follows the version.
func (t *target) locate(segments []string) {
	if segments[0] == "namespaces" && len(segments) >= 3 && segments[2] != "status" && segments[2] != "finalize" {
		t.namespace, segments = segments[1], segments[2:]
	}
	t.plural = segments[0]
	if len(segments) > 1 {
		t.name = segments[1]
	}
	if len(segments) > 2 {
		t.subresource = strings.Join(segments[2:], "/")
	}
}

func (t *target) action(method string, query url.Values) string {
	named := t.name != ""
	switch method {
	case http.MethodGet, http.MethodHead:
		switch {
		case named: // watch=1 means nothing here (seen on v1.37)
			return "get"
		case truth(query, "watch"):
			return "watch"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if named {
			return "delete"
		}
		return "deletecollection"
	}
	return strings.ToLower(method)
}

// soleName is the one name that a field selector allows, which authorization
// takes for the name of the request: it is what makes RBAC's resourceNames
// work for lists and watches.
func soleName(selector string) string {
	for _, part := range splitUnescaped(selector) {
		if t, err := parseFieldTerm(part); err == nil && t.path == "metadata.name" && !t.not {
			return t.value
		}
	}
	return ""
}

// truth is how the API reads a boolean parameter: whatever is neither "false"
// nor "0" is true, an empty value included.
func truth(query url.Values, name string) bool {
	values, ok := query[name]
	return ok && len(values) > 0 && !strings.EqualFold(values[0], "false") && values[0] != "0"
}
