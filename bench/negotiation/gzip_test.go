package negotiation

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// compression is how an answer is compressed, and what it is in plain.
func compression(t *testing.T, to server, path, accept string) string {
	t.Helper()
	resp, err := to.open(t.Context(), "GET", path, http.Header{"Accept": {accept}, "Accept-Encoding": {"gzip"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	used := resp.Header.Get("Content-Encoding")
	if used == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(z); err != nil { // of all members
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%d %q %q %v", resp.StatusCode, used, resp.Header.Get("Vary"), bytes.Contains(raw, []byte(large)))
}

var large = strings.Repeat("large ", 1000)

// TestSameCompression: lists from a size on, and initial streams, in every
// encoding; nothing else.
func TestSameCompression(t *testing.T) {
	actual, fake := both(t)
	for _, to := range []server{actual, fake} {
		create(t, to, core+"configmaps", `{"metadata":{"name":"large"},"data":{"k":"`+strings.Repeat(large, 40)+`"}}`)
	}
	for _, path := range []string{
		core + "configmaps", core + "configmaps/large", core + "configmaps/c", core + "secrets",
		core + "configmaps" + marked, core + "secrets" + marked, core + "configmaps" + watch, core + "configmaps" + watch + "&resourceVersion=0", core + "configmaps" + watch + "&allowWatchBookmarks=true",
	} {
		for _, accept := range []string{text, protobuf, text + partials, protobuf + partials} {
			if strings.Contains(path, "watch") || strings.Contains(path, "configmaps/") {
				accept = strings.Replace(accept, partials, partial, 1)
			}
			want, got := compression(t, actual, path, accept), compression(t, fake, path, accept)
			if got != want {
				t.Errorf("%s\nAccept: %s\n%s\nthe real server: %s", path, accept, got, want)
			}
		}
	}
}
