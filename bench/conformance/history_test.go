package conformance

import (
	"os"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// newHistory begins a history that is saved when the test fails.
func newHistory(t *testing.T) *History {
	h := NewHistory()
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		path, err := h.Save(strings.ReplaceAll(t.Name(), "/", "-"))
		t.Logf("history saved in %s (%v)", path, err)
	})
	return h
}

func TestHistoryIsSavedInOrder(t *testing.T) {
	t.Setenv(ArtifactsVariable, t.TempDir())
	h := NewHistory()
	h.note("chaos", "killed")
	h.event("pods", event(rawwatch.Added, rawwatch.CauseStream, "a", "1", "10"))
	path, err := h.Save("x")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"killed"`) || !strings.Contains(lines[1], `"rv":"10"`) {
		t.Errorf("saved %q", lines)
	}
}
