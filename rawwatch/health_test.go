package rawwatch_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// ask sends a health check.
func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// check asks in plain text and compares the code and parts of the body.
func (w *world) check(h http.Handler, target string, code int, parts ...string) {
	w.Helper()
	answer := ask(h, "GET", target)
	if answer.Code != code {
		w.Errorf("%s: %d, want %d:\n%s", target, answer.Code, code, answer.Body)
	}
	for _, part := range parts {
		if !strings.Contains(answer.Body.String(), part) {
			w.Errorf("%s: no %q in\n%s", target, part, answer.Body)
		}
	}
}

// TestHealthOfSeveralWatches: one that cannot be synced makes the whole not
// ready, and is named; after a cut, all stay ready, and are not live for ever.
func TestHealthOfSeveralWatches(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		h := rawwatch.NewHealthHandler(5 * time.Minute)
		w.check(h, "/readyz", 503, "readyz failed: no watch has been added\n")
		w.check(h, "/livez", 200, "ok\n")
		refusal := w.server.Inject(watchtest.Fault{Resource: "configmaps", Count: -1, Answer: &watchtest.Answer{Code: http.StatusServiceUnavailable}})
		good := w.follow(rawwatch.Pods.InNamespace("n"), rawwatch.ListWatchOptions{})
		bad := w.follow(rawwatch.ConfigMaps.Query(), rawwatch.ListWatchOptions{})
		h.Add(good.reflector)
		h.Add(bad.reflector)
		w.pass(10 * time.Second)
		w.check(h, "/readyz", 503, "readyz failed\n[+] pods in n: Watching, synced, 0 objects at the last list, connected for 10s, heard ",
			"[-] configmaps: not synced; Waiting, nothing heard yet, ", " failures in a row, last error Unavailable ", "HTTP 503")
		w.check(h, "/livez", 200, "ok\n")
		w.pass(5 * time.Minute)
		w.check(h, "/livez", 503, "[+] pods in n: ", "[-] configmaps: silent for 5m10s, longer than 5m0s; ")
		refusal.Remove()
		w.pass(time.Minute)
		w.check(h, "/prefix/readyz", 200, "ok\n[+] pods", "[+] configmaps: Watching")
		w.check(h, "/livez", 200)

		w.server.Inject(watchtest.Fault{Count: -1, Answer: &watchtest.Answer{Code: http.StatusServiceUnavailable}})
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(4 * time.Minute)
		w.check(h, "/readyz", 200, ", disconnected for 4m0s, heard ")
		w.check(h, "/livez", 200)
		w.pass(2 * time.Minute)
		w.check(h, "/readyz", 200)
		w.check(h, "/livez", 503, "[-] pods in n: silent for 6m")
	})
}

// TestHealthOfNothing: a source that is nil is the program's mistake, and is said
// at once, not at each health check.
func TestHealthOfNothing(t *testing.T) {
	for name, source := range map[string]rawwatch.StatusSource{
		"nil": nil, "a nil reflector": (*rawwatch.Reflector)(nil), "a nil informer": (*rawwatch.Informer[struct{}])(nil),
	} {
		t.Run(name, func(t *testing.T) {
			h := rawwatch.NewHealthHandler(time.Minute)
			defer func() {
				wrong, ok := recover().(*rawwatch.OptionError)
				if !ok || wrong.Option != "HealthHandler.Add" {
					t.Errorf("panicked with %v", wrong)
				}
				if n := len(h.Live().Watches); n != 0 {
					t.Errorf("%d watches", n)
				}
			}()
			h.Add(source)
		})
	}
}

// TestHealthOfAStuckConsumer: the connection is fine, and yet nothing gets
// through.
func TestHealthOfAStuckConsumer(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		stuck := make(chan struct{})
		r := rawwatch.NewReflector(w.client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		h := rawwatch.NewHealthHandler(5*time.Minute, r)
		var ended sync.WaitGroup
		ended.Go(func() {
			for e, err := range r.Events(w.Context()) {
				if err != nil || e.Type == rawwatch.Added {
					<-stuck
					return
				}
			}
		})
		w.pass(time.Hour)
		w.check(h, "/livez", 200)
		w.create(pods, "n", "a")
		w.pass(6 * time.Minute)
		w.check(h, "/livez", 503, "[-] pods: silent for 6m0s")
		w.check(h, "/readyz", 200)
		close(stuck)
		ended.Wait()
		w.check(h, "/livez", 503, "[-] pods: has ended; ")
		w.check(h, "/readyz", 503, "[-] pods: has ended; ")
	})
}

// TestHealthOfAnInformer: each of its watches has a line.
func TestHealthOfAnInformer(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		informer, err := rawwatch.NewInformer(w.client, rawwatch.Pods.Query(), rawwatch.InformerOptions[struct{}]{Namespaces: []string{"a", "b"}})
		if err != nil {
			t.Fatal(err)
		}
		h := rawwatch.NewHealthHandler(time.Hour, informer)
		w.check(h, "/readyz", 503, "[-] pods in a: not synced; Idle", "[-] pods in b: not synced; Idle")
		ctx, cancel := context.WithCancel(w.Context())
		var ended sync.WaitGroup
		ended.Go(func() { _ = informer.Run(ctx) })
		w.settle()
		w.check(h, "/readyz", 200, "[+] pods in a: Watching", "[+] pods in b: Watching")
		cancel()
		ended.Wait()
		w.check(h, "/readyz", 503, "[-] pods in a: has ended", "[-] pods in b: has ended")
	})
}

// TestHealthWithoutABound: silence is no matter then; and what was taken out is
// not asked.
func TestHealthWithoutABound(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		never := rawwatch.NewReflector(w.client, rawwatch.Nodes.Query(), rawwatch.ListWatchOptions{})
		h := rawwatch.NewHealthHandler(0)
		remove := h.Add(never)
		h.Add(w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}).reflector)
		w.pass(24 * time.Hour)
		w.check(h, "/livez", 200)
		w.check(h, "/readyz", 503, "[-] nodes: not synced; Idle, nothing heard yet\n[+] pods")
		remove()
		remove()
		w.check(h, "/readyz", 200)
	})
}

func TestHealthSpeaksHTTP(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		h := rawwatch.NewHealthHandler(time.Hour, f.reflector)
		for _, c := range []struct {
			method, target string
			code           int
		}{
			{"GET", "/livez", 200}, {"HEAD", "/livez", 200}, {"POST", "/livez", 405}, {"GET", "/", 404}, {"GET", "/livez/x", 404}, {"GET", "/a/livez/", 200},
		} {
			if answer := ask(h, c.method, c.target); answer.Code != c.code {
				t.Errorf("%s %s: %d, want %d", c.method, c.target, answer.Code, c.code)
			}
		}
		if allow := ask(h, "DELETE", "/livez").Header().Get("Allow"); allow != "GET, HEAD" {
			t.Errorf("Allow: %q", allow)
		}
		for _, answer := range []*httptest.ResponseRecorder{
			ask(h, "GET", "/readyz?format=json"), ask(h, "GET", "/readyz", "Accept", "text/html, application/json;q=0.9"),
		} {
			var report rawwatch.HealthReport
			if err := json.Unmarshal(answer.Body.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			if answer.Header().Get("Content-Type") != "application/json" || answer.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("header: %v", answer.Header())
			}
			if !report.OK || report.Check != "readyz" || len(report.Watches) != 1 || report.Watches[0].Watch != "pods" ||
				!report.Watches[0].Synced || report.Watches[0].Phase != "Watching" || !report.Watches[0].Since.Equal(time.Now()) {
				t.Errorf("%s", answer.Body)
			}
			if strings.Contains(answer.Body.String(), "lastError") {
				t.Errorf("an error that never was: %s", answer.Body)
			}
		}
	})
}

// TestHealthHeadHasNoBody: over a connection, as a probe sends it.
func TestHealthHeadHasNoBody(t *testing.T) {
	server := httptest.NewServer(rawwatch.NewHealthHandler(0))
	defer server.Close()
	resp, err := http.Head(server.URL + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 503 || resp.ContentLength <= 0 {
		t.Errorf("%s, %d bytes", resp.Status, resp.ContentLength)
	}
}

// TestHealthTellsNoSecret: a proxy that throws back what it was sent.
func TestHealthTellsNoSecret(t *testing.T) {
	withTokenFile(t, func(w *world, _ string) {
		w.server.Inject(watchtest.Fault{Count: -1, Answer: &watchtest.Answer{
			Code: http.StatusBadGateway, Header: http.Header{"Content-Type": {"text/plain"}},
			Body: []byte("cannot reach upstream\nAuthorization: \"Bearer first-s3cret\"\n"),
		}})
		h := rawwatch.NewHealthHandler(time.Second, w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}).reflector)
		w.pass(10 * time.Second)
		for _, target := range []string{"/readyz", "/livez", "/readyz?format=json"} {
			body := ask(h, "GET", target).Body.String()
			if !strings.Contains(body, "HTTP 502") || !strings.Contains(body, "Unavailable") {
				t.Errorf("%s does not say why: %s", target, body)
			}
			if strings.Contains(body, "s3cret") {
				t.Errorf("%s tells the token: %s", target, body)
			}
		}
	})
}

// scripted is a source that says what the test wants.
type scripted rawwatch.Status

func (s scripted) Statuses() []rawwatch.Status { return []rawwatch.Status{rawwatch.Status(s)} }

type wildError string

func (e wildError) Error() string { return string(e) }

// TestHealthKeepsItsLines: a server has a word in errors, and no line of its own.
func TestHealthKeepsItsLines(t *testing.T) {
	long := scripted{Query: rawwatch.Pods.Query(), LastErrorClass: resume.BadResponse, LastError: wildError("a\n[+] nodes: ok\x1b[2J\xff" + strings.Repeat("ü", 400))}
	h := rawwatch.NewHealthHandler(time.Minute, long)
	body := ask(h, "GET", "/readyz").Body.String()
	if strings.Count(body, "\n") != 2 || strings.Contains(body, "\x1b") || !utf8.ValidString(body) || !strings.HasSuffix(body, "ü…\n") || len(body) > 500 {
		t.Errorf("%q", body)
	}
}

func TestHealthIsConcurrent(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		h := rawwatch.NewHealthHandler(time.Hour, w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}).reflector)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				remove := h.Add(scripted{Query: rawwatch.Nodes.Query(), Synced: true})
				defer remove()
				if answer := ask(h, "GET", "/readyz?format=json"); answer.Code != 200 {
					t.Errorf("%d: %s", answer.Code, answer.Body)
				}
			})
		}
		for i := range 50 {
			w.touch(pods, "n", w.create(pods, "n", "p"+strings.Repeat("x", i)).Name, "1")
		}
		all.Wait()
	})
}
