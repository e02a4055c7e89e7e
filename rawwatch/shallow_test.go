package rawwatch_test

import (
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// depthBody notes by which way its reader came, each time that it is read.
type depthBody struct {
	io.ReadCloser
	ways *[][]string
}

func (b depthBody) Read(p []byte) (int, error) {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	var way []string
	for {
		frame, more := frames.Next()
		way = append(way, frame.Function[strings.LastIndex(frame.Function, "/")+1:])
		if !more || strings.HasSuffix(frame.Function, "(*Reflector).run") {
			break
		}
	}
	*b.ways = append(*b.ways, way)
	return b.ReadCloser.Read(p)
}

// TestWaitsNearTheTop: a watch waits for its next event a few calls below the
// consumer's loop, not inside the decoder: what its stack costs depends on it.
func TestWaitsNearTheTop(t *testing.T) {
	var ways [][]string
	wrap := func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && r.URL.Query().Get("watch") != "" {
				resp.Body = depthBody{resp.Body, &ways}
			}
			return resp, err
		})
	}
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{WrapTransport: wrap}, func(w *world) {
		events := 0
		for event, err := range w.client.ListWatch(w.Context(), rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}) {
			if err != nil {
				w.Fatal(err)
			}
			if event.Type != rawwatch.Synced {
				events++
			}
			if events == 2 {
				break
			}
			w.create(pods, "n", string(rune('a'+events)))
		}
	})
	const most = 5
	if len(ways) == 0 {
		t.Fatal("the watch was never read")
	}
	if way := ways[0]; len(way) > most || !slices.ContainsFunc(way, func(f string) bool { return strings.HasSuffix(f, ").await") }) {
		t.Errorf("the first byte is waited for in %q", way)
	}
	if way := ways[len(ways)-1]; slices.ContainsFunc(way, func(f string) bool { return strings.HasSuffix(f, ").await") }) {
		t.Errorf("the rest of a frame is waited for in %q: the test sees nothing", way)
	}
}
