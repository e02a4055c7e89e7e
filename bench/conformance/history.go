package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// ArtifactsVariable names the environment variable with the folder in which
// histories of failed tests are saved; unset, a temporary folder.
const ArtifactsVariable = "RAWWATCH_ARTIFACTS"

// History is what happened in one test, in the order in which it was seen. It
// is kept in memory and written when the test has failed. It is safe for
// concurrent use.
type History struct {
	mu    sync.Mutex // guards lines
	begun time.Time
	lines []line // the last maxLines to twice that
}

// maxLines bounds what is kept of a run that may last for hours.
const maxLines = 200_000

type line struct {
	At    string `json:"at"`
	What  string `json:"what"`
	Text  string `json:"text,omitempty"`
	Type  string `json:"type,omitempty"`
	Cause string `json:"cause,omitempty"`
	Key   string `json:"key,omitempty"`
	UID   string `json:"uid,omitempty"`
	RV    string `json:"rv,omitempty"`
}

// NewHistory begins a history.
func NewHistory() *History { return &History{begun: time.Now()} }

func (h *History) add(l line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.At = time.Since(h.begun).String()
	if len(h.lines) >= 2*maxLines {
		h.lines = append(h.lines[:0], h.lines[maxLines:]...)
	}
	h.lines = append(h.lines, l)
}

func (h *History) note(what, text string) { h.add(line{What: what, Text: text}) }

func (h *History) event(who string, e rawwatch.Event) {
	rv := e.Object.ResourceVersion
	if rv == "" {
		rv = e.ResourceVersion
	}
	h.add(line{What: "event", Text: who, Type: string(e.Type), Cause: string(e.Cause), Key: e.Object.Key().String(), UID: e.Object.UID, RV: rv})
}

// Save writes the history as lines of JSON and returns where.
func (h *History) Save(name string) (path string, err error) {
	folder := os.Getenv(ArtifactsVariable)
	if folder == "" {
		folder = filepath.Join(os.TempDir(), "rawwatch-conformance")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, filepath.Base(name)+"-*.jsonl")
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(f)
	encoder := json.NewEncoder(w)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.lines {
		err = errors.Join(err, encoder.Encode(l))
	}
	return f.Name(), errors.Join(err, w.Flush(), f.Close())
}
