package rawwatch

import (
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// StatusSource is one watch or several that can be asked how they are: a
// [*Reflector], an [*Informer], or what runs some. Statuses must be safe for
// concurrent use, and name each watch by its Query.
type StatusSource interface {
	Statuses() []Status
}

// HealthHandler answers health checks about any number of watches. It goes by
// the last element of the path, so that it can be mounted anywhere:
//
//   - readyz is well when every watch is synced and none has ended. A synced
//     watch stays synced while its connection is lost: what it knows may then be
//     old, and is still the best there is. Without any watch it is not ready.
//   - livez is well when no watch has been silent for longer than the staleness
//     bound, and none has ended. Silence is the time since the last frame, page
//     or opening of a watch (see [Status.Heard]); a quiet watch is not silent,
//     for servers send a bookmark about once a minute. A consumer that is stuck
//     is silent, too: it does not come back for the next frame.
//
// All else is 404. The answer is 200 when all is well, else 503; its body names
// every watch and what is wrong with it, in plain text, or in JSON (a
// [HealthReport]) for requests that accept application/json or ask with
// ?format=json. It holds addresses, selectors and errors, and never a
// credential, the content of an object, or what a proxy wrote. GET and HEAD are
// answered, other methods get 405.
//
// It is safe for concurrent use, sends no request and waits for nothing.
type HealthHandler struct {
	maxStale time.Duration

	mu      sync.Mutex // guards sources
	sources []*checkedSource
}

// checkedSource is what a [HealthHandler] answers for, from since on.
type checkedSource struct {
	source StatusSource
	since  time.Time
}

// NewHealthHandler returns a handler that answers for the sources. maxStale is
// the staleness bound of livez; zero or less is no bound. Whoever lets
// Kubernetes restart a pod by livez takes minutes rather than seconds, since a
// restart does not mend a server that is away; a quarter of an hour is longer than
// any watch lives, and right also for servers that send no bookmarks.
func NewHealthHandler(maxStale time.Duration, sources ...StatusSource) *HealthHandler {
	h := &HealthHandler{maxStale: maxStale}
	for _, s := range sources {
		h.Add(s)
	}
	return h
}

// Add makes the handler answer for one more source. A watch that has not heard
// anything yet counts as silent from here on. remove takes it out again, for
// watches that end as they should; it may be called more than once. A nil source,
// such as the informer that a constructor did not return beside its error, is a
// mistake that no health check could tell of: Add panics with an [*OptionError].
func (h *HealthHandler) Add(s StatusSource) (remove func()) {
	if isNil(s) {
		panic(&OptionError{Option: "HealthHandler.Add", Problem: "is given a nil source; look at the error of what made it"})
	}
	c := &checkedSource{source: s, since: time.Now()}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sources = append(h.sources, c)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sources = slices.DeleteFunc(h.sources, func(other *checkedSource) bool { return other == c })
	}
}

// isNil also knows a nil pointer in the interface.
func isNil(s StatusSource) bool {
	v := reflect.ValueOf(s)
	return s == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Ready is what readyz answers with.
func (h *HealthHandler) Ready() HealthReport {
	report := h.report("readyz", (*WatchHealth).checkReady)
	if len(report.Watches) == 0 {
		report.OK = false
	}
	return report
}

// Live is what livez answers with.
func (h *HealthHandler) Live() HealthReport {
	return h.report("livez", func(w *WatchHealth, s *Status) { w.checkLive(s, h.maxStale) })
}

func (h *HealthHandler) report(check string, judge func(*WatchHealth, *Status)) HealthReport {
	h.mu.Lock()
	sources := slices.Clone(h.sources)
	h.mu.Unlock()
	report := HealthReport{Check: check, OK: true, Watches: make([]WatchHealth, 0, len(sources))}
	for _, c := range sources {
		for _, status := range c.source.Statuses() {
			found := healthOf(&status, c.since)
			judge(&found, &status)
			report.OK = report.OK && found.OK
			report.Watches = append(report.Watches, found)
		}
	}
	return report
}

// ServeHTTP implements http.Handler.
func (h *HealthHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "health checks are asked for with GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	var report HealthReport
	switch path.Base(r.URL.Path) {
	case "readyz":
		report = h.Ready()
	case "livez":
		report = h.Live()
	default:
		http.Error(w, "ask for readyz or livez", http.StatusNotFound)
		return
	}
	report.answer(w, wantsJSON(r))
}

func wantsJSON(r *http.Request) bool {
	return r.URL.Query().Get("format") == "json" || strings.Contains(r.Header.Get("Accept"), "application/json")
}

// answer writes the report. The server leaves out the body for HEAD.
func (r *HealthReport) answer(w http.ResponseWriter, asJSON bool) {
	body, contentType := []byte(r.String()), "text/plain; charset=utf-8"
	if asJSON {
		body, _ = json.Marshal(r) // strings, numbers and times: it cannot fail
		body, contentType = append(body, '\n'), "application/json"
	}
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	code := http.StatusOK
	if !r.OK {
		code = http.StatusServiceUnavailable
	}
	w.WriteHeader(code)
	_, _ = w.Write(body) // nobody is left to tell when it fails
}
