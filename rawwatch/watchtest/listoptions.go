package watchtest

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch/selector"
)

// listOptions are the parameters of LIST and WATCH (API concepts, "Resource
// versions in list and watch").
type listOptions struct {
	labels selector.Selector
	fields fieldSelector

	version  string // as given
	revision uint64 // version as a number; 0 for "" and "0"
	match    string // resourceVersionMatch

	limit int
	token string // continue

	bookmarks bool
	initial   *bool // sendInitialEvents
	timeout   time.Duration
}

// options reads and checks the parameters of a LIST or WATCH.
func (c *call) options() (listOptions, *StatusError) {
	q := c.query
	o := listOptions{
		version: q.Get("resourceVersion"), match: q.Get("resourceVersionMatch"), token: q.Get("continue"),
		bookmarks: truth(q, "allowWatchBookmarks"),
	}
	if q.Has("sendInitialEvents") && c.server.options.WatchList != WatchListIgnored {
		initial := truth(q, "sendInitialEvents")
		o.initial = &initial
	}
	if err := o.numbers(q); err != nil {
		return o, err
	}
	if err := o.parseVersion(c.verb); err != nil {
		return o, err
	}
	if causes := c.misused(&o); len(causes) > 0 {
		return o, invalid("ListOptions", "meta.k8s.io", "", causes...)
	}
	var err error
	if o.labels, err = selector.Parse(q.Get("labelSelector")); err != nil {
		return o, badRequest("unable to parse requirement: %s", err)
	}
	if o.fields, err = parseFieldSelector(q.Get("fieldSelector"), c.collection.resource); err != nil {
		return o, badRequest("%s", err)
	}
	return o, nil
}

func (o *listOptions) numbers(q url.Values) *StatusError {
	number := func(name string) (int64, *StatusError) { // as wide as the API's, also where int is not
		text := q.Get(name)
		if text == "" {
			return 0, nil
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, badRequest("%s", err)
		}
		return n, nil
	}
	limit, err := number("limit")
	if err != nil {
		return err
	}
	o.limit = int(max(min(limit, math.MaxInt), math.MinInt))
	seconds, err := number("timeoutSeconds")
	if err != nil {
		return err
	}
	o.timeout = time.Duration(min(max(seconds, 0), math.MaxInt64/int64(time.Second))) * time.Second
	return nil
}

// parseVersion reads the resourceVersion as a number. A bad one is refused
// with 400 by LIST and with 500 by WATCH (both seen on v1.37).
func (o *listOptions) parseVersion(verb string) *StatusError {
	if o.version == "" {
		return nil
	}
	revision, err := strconv.ParseUint(o.version, 10, 64)
	if err == nil {
		o.revision = revision
		return nil
	}
	message := fmt.Sprintf("resourceVersion: Invalid value: %q: %v", o.version, err)
	if verb == "watch" {
		return &StatusError{Code: http.StatusInternalServerError, Message: message}
	}
	return badRequest("invalid resource version: %s", message)
}

const (
	exact        = "Exact"
	notOlderThan = "NotOlderThan"
)

// misused lists the combinations of parameters that the API refuses with
// 422.
func (c *call) misused(o *listOptions) []StatusCause {
	if c.verb == "watch" {
		return c.misusedByWatch(o)
	}
	var causes []StatusCause
	if o.match != "" {
		if o.version == "" {
			causes = append(causes, misuse("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if o.token != "" {
			causes = append(causes, misuse("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"))
		}
		if o.match != exact && o.match != notOlderThan {
			causes = append(causes, unsupported(o.match, exact, notOlderThan, ""))
		}
		if o.match == exact && o.version == "0" {
			causes = append(causes, misuse("resourceVersionMatch", `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if o.initial != nil {
		causes = append(causes, misuse("sendInitialEvents", "sendInitialEvents is forbidden for list"))
	}
	return causes
}

func (c *call) misusedByWatch(o *listOptions) []StatusCause {
	var causes []StatusCause
	if o.initial != nil {
		if o.match != notOlderThan {
			causes = append(causes, misuse("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
		}
		if c.server.options.WatchList == WatchListOff {
			causes = append(causes, misuse("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"))
		}
	}
	if o.match != "" && c.server.options.WatchList != WatchListIgnored {
		if o.initial == nil {
			causes = append(causes, misuse("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
		}
		if o.match != notOlderThan {
			causes = append(causes, unsupported(o.match, notOlderThan))
		}
		if o.token != "" {
			causes = append(causes, misuse("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"))
		}
	}
	return causes
}

func misuse(field, why string) StatusCause {
	return StatusCause{Type: "FieldValueForbidden", Field: field, Message: "Forbidden: " + why}
}

func unsupported(value string, allowed ...string) StatusCause {
	for i, a := range allowed {
		allowed[i] = strconv.Quote(a)
	}
	return StatusCause{Type: "FieldValueNotSupported", Field: "resourceVersionMatch", Message: "Unsupported value: " + strconv.Quote(value) + ": supported values: " + strings.Join(allowed, ", ")}
}

func (o *listOptions) selects(obj *object) bool {
	return obj != nil && o.labels.MatchesMap(obj.labels) && (len(o.fields) == 0 || o.fields.matches(obj))
}
