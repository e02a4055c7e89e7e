package watchtest

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// every runs a test in each mode.
func every(t *testing.T, test func(*testing.T, *rig)) {
	for name, mode := range map[string]Mode{"TLS": TLS, "Plain": Plain, "Unix": Unix, "Memory": Memory, "MemoryPlain": MemoryPlain} {
		t.Run(name, func(t *testing.T) { test(t, newRig(t, Options{Mode: mode})) })
	}
}

func TestModes(t *testing.T) {
	every(t, func(t *testing.T, r *rig) {
		first := r.pod("edge", "a")
		code, text := r.ask("GET", "/api/v1/namespaces/edge/pods/a", "")
		if code != 200 || text != string(first.JSON)+"\n" {
			t.Fatalf("get: %d %s", code, text)
		}
		w := r.watch("/api/v1/pods", "&resourceVersion="+first.ResourceVersion)
		r.pod("edge", "b")
		w.want("ADDED b")
		proto := "HTTP/1.1"
		if r.secure() {
			proto = "HTTP/2.0"
		}
		for _, entry := range r.Journal() {
			if entry.Proto != proto || entry.User != "admin" || entry.Connection == 0 || entry.Code != 200 {
				t.Errorf("journal: %+v", entry)
			}
		}
		r.Close() // with a watch open
		if _, err := w.read(); err == nil {
			t.Error("the watch outlived the server")
		}
		w.close()
	})
}
