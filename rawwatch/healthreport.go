package rawwatch

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rawwatch/rawwatch/resume"
)

// HealthReport is the answer to a health check.
type HealthReport struct {
	// Check is "readyz" or "livez".
	Check string `json:"check"`
	// OK is set when all is well.
	OK bool `json:"ok"`
	// Watches are all that were asked, in the order in which they were added.
	Watches []WatchHealth `json:"watches"`
}

// WatchHealth is one watch in a [HealthReport]: the verdict, and what of its
// [Status] explains it. Times are zero, and left out of JSON, while there is
// nothing to tell.
type WatchHealth struct {
	// Watch names it: its query, as [Query.String] has it.
	Watch string `json:"watch"`
	OK    bool   `json:"ok"`
	// Problem says what is wrong, in words; "" when OK.
	Problem string `json:"problem,omitempty"`
	// Heard is when the server last gave a sign of life, SilentSeconds how long
	// ago that is, or how long the watch has been waited for.
	Heard         time.Time `json:"heard,omitzero"`
	SilentSeconds float64   `json:"silentSeconds"`
	// As in [Status].
	Phase           string                `json:"phase"`
	Synced          bool                  `json:"synced"`
	Connected       bool                  `json:"connected"`
	Since           time.Time             `json:"since,omitzero"`
	LastProgress    time.Time             `json:"lastProgress,omitzero"`
	ResourceVersion string                `json:"resourceVersion,omitempty"`
	Objects         int                   `json:"objects"`
	Reconnects      int                   `json:"reconnects"`
	Relists         map[resume.Reason]int `json:"relists,omitempty"`
	Failures        int                   `json:"failures"`
	// LastErrorClass, LastErrorText and LastErrorTime tell of the latest failure,
	// also after it has healed. The text is one line of at most 300 bytes.
	LastErrorClass string    `json:"lastErrorClass,omitempty"`
	LastErrorText  string    `json:"lastError,omitempty"`
	LastErrorTime  time.Time `json:"lastErrorTime,omitzero"`
}

// healthOf is a watch that was added at the given time, without a verdict.
func healthOf(s *Status, added time.Time) WatchHealth {
	w := WatchHealth{
		Watch: s.Query.String(), OK: true, Heard: s.Heard(),
		Phase: s.Phase.String(), Synced: s.Synced, Connected: s.Connected, Since: s.Since,
		LastProgress: s.LastProgress, ResourceVersion: s.ResourceVersion, Objects: s.Objects,
		Reconnects: s.Reconnects, Relists: s.Relists, Failures: s.Failures,
	}
	if s.LastError != nil {
		w.LastErrorText, w.LastErrorTime = publicText(s.LastError), s.LastErrorTime
		if s.LastErrorClass != 0 {
			w.LastErrorClass = s.LastErrorClass.String()
		}
	}
	latest := w.Heard
	if latest.Before(added) {
		latest = added
	}
	w.SilentSeconds = time.Since(latest).Seconds()
	return w
}

func (w *WatchHealth) silent() time.Duration {
	return time.Duration(w.SilentSeconds * float64(time.Second))
}

func (w *WatchHealth) checkReady(s *Status) {
	switch {
	case s.Stopped:
		w.fail("has ended")
	case !s.Synced:
		w.fail("not synced")
	}
}

func (w *WatchHealth) checkLive(s *Status, bound time.Duration) {
	switch {
	case s.Stopped:
		w.fail("has ended")
	case bound > 0 && w.silent() > bound:
		w.fail("silent for " + coarse(w.silent()) + ", longer than " + bound.String())
	}
}

func (w *WatchHealth) fail(problem string) { w.OK, w.Problem = false, problem }

// String is the report in words: "ok" or what failed, then a line for each
// watch, with [+] before those that are well and [-] before the others.
func (r *HealthReport) String() string {
	var b strings.Builder
	switch {
	case r.OK:
		b.WriteString("ok\n")
	case len(r.Watches) == 0:
		b.WriteString(r.Check + " failed: no watch has been added\n")
	default:
		b.WriteString(r.Check + " failed\n")
	}
	for i := range r.Watches {
		r.Watches[i].write(&b)
	}
	return b.String()
}

func (w *WatchHealth) write(b *strings.Builder) {
	sign := "[+] "
	if !w.OK {
		sign = "[-] "
	}
	b.WriteString(sign + oneLine(w.Watch) + ": ")
	if w.Problem != "" {
		b.WriteString(w.Problem + "; ")
	}
	b.WriteString(w.Phase)
	if w.Synced {
		b.WriteString(", synced, " + strconv.Itoa(w.Objects) + " objects at the last list")
	}
	switch {
	case w.Connected:
		b.WriteString(", connected for " + coarse(time.Since(w.Since)))
	case !w.Since.IsZero():
		b.WriteString(", disconnected for " + coarse(time.Since(w.Since)))
	}
	if w.Heard.IsZero() {
		b.WriteString(", nothing heard yet")
	} else {
		b.WriteString(", heard " + coarse(time.Since(w.Heard)) + " ago")
	}
	if w.LastErrorText != "" {
		b.WriteString(", " + strconv.Itoa(w.Failures) + " failures in a row, last error")
		if w.LastErrorClass != "" {
			b.WriteString(" " + w.LastErrorClass)
		}
		if !w.LastErrorTime.IsZero() {
			b.WriteString(" " + coarse(time.Since(w.LastErrorTime)) + " ago")
		}
		b.WriteString(": " + w.LastErrorText)
	}
	b.WriteString("\n")
}

func coarse(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// maxErrorText bounds an error in a report.
const maxErrorText = 300

// publicText is an error for readers who may be anybody: without what something
// in front of the server wrote, which may repeat what it was sent.
func publicText(err error) string {
	text := err.Error()
	var foreign *BodyError
	if errors.As(err, &foreign) && foreign.Excerpt != "" {
		text = strings.ReplaceAll(text, strconv.Quote(foreign.Excerpt), `"…"`)
	}
	return oneLine(text)
}

// oneLine replaces what would break the line, and cuts what is too long.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if len(s) <= maxErrorText {
		return s
	}
	end := maxErrorText - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
