package watchtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestFaultAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer *Answer
		code   int
		body   string
		header [2]string
	}{
		{"410", StatusAnswer(Expired()), 410, `"reason":"Expired"`, [2]string{"Content-Type", "application/json"}},
		{"429", StatusAnswer(TooManyRequests(5)), 429, `"retryAfterSeconds":5`, [2]string{"Retry-After", "5"}},
		{"500", StatusAnswer(Failure(500)), 500, "InternalError", [2]string{"Content-Type", "application/json"}},
		{"503", StatusAnswer(Failure(503)), 503, "ServiceUnavailable", [2]string{}},
		{"504", StatusAnswer(Failure(504)), 504, "Timeout", [2]string{}},
		{"html", HTMLAnswer(502), 502, "<h1>Bad Gateway</h1>", [2]string{"Content-Type", "text/html; charset=utf-8"}},
		{"html 200", HTMLAnswer(200), 200, "<h1>OK</h1>", [2]string{}},
		{"redirect", RedirectAnswer("https://elsewhere.invalid/"), 302, "", [2]string{"Location", "https://elsewhere.invalid/"}},
		{"malformed", JSONAnswer(`{"kind":"PodList","items":[{]}`), 200, `"items":[{]}`, [2]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBoth(t, Options{}, func(t *testing.T, r *rig) {
				r.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
				r.Inject(Fault{Answer: c.answer, Count: 2})
				for range 2 {
					resp := r.do(t.Context(), "GET", pods, "")
					raw, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					if resp.StatusCode != c.code || !strings.Contains(string(raw), c.body) || resp.Header.Get(c.header[0]) != c.header[1] {
						t.Errorf("%d %s %v", resp.StatusCode, raw, resp.Header)
					}
				}
				if code, _ := r.ask("GET", pods, ""); code != 200 {
					t.Errorf("after the count: %d", code)
				}
			})
		})
	}
}

func TestFaultMatching(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		broken := StatusAnswer(Failure(503))
		odd := r.Inject(Fault{Verb: "list", Resource: "pods", Namespace: "edge", Skip: 1, Count: 2, Answer: broken})
		named := r.Inject(Fault{Verb: "get", Name: "a", Count: -1, Answer: broken})
		own := r.Inject(Fault{Match: func(q *http.Request) bool { return q.Header.Get("X-Odd") == "1" }, Answer: broken})
		ask := func(path string, want int, header ...string) {
			t.Helper()
			if code, _ := r.ask("GET", path, "", header...); code != want {
				t.Errorf("%s: %d, want %d", path, code, want)
			}
		}
		const edge, one = "/api/v1/namespaces/edge/pods", "/api/v1/namespaces/edge/pods/a"
		for _, want := range []int{200, 503, 503, 200} {
			ask(pods, 200)
			ask(edge, want)
		}
		ask(one, 503)
		ask(one, 503)
		ask(edge, 503, "X-Odd", "1")
		named.Remove()
		named.Remove()
		ask(one, 200)
		if odd.Hits() != 2 || named.Hits() != 2 || own.Hits() != 1 {
			t.Errorf("hits %d %d %d", odd.Hits(), named.Hits(), own.Hits())
		}
		if len(r.faults.active) != 0 {
			t.Errorf("%d spent faults are kept", len(r.faults.active))
		}
	})
}

// readAll reads an answer to its end, in whatever way it ends.
func readAll(t *testing.T, resp *http.Response) (string, error) {
	t.Helper()
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return string(raw), err
}

func TestFaultCutsList(t *testing.T) {
	for _, mode := range []Mode{Memory, MemoryPlain} {
		for _, c := range []struct {
			cut    Cut
			bytes  int
			failed bool
		}{{Truncate, 0, false}, {Truncate, 30, false}, {Truncate, 9999, false}, {Abort, 0, true}, {Abort, 30, true}} {
			inBoth(t, Options{Mode: mode}, func(t *testing.T, r *rig) {
				five(r)
				complete, _ := readAll(t, r.do(t.Context(), "GET", pods, ""))
				r.Inject(Fault{Cut: c.cut, AfterBytes: c.bytes})
				text, err := readAll(t, r.do(t.Context(), "GET", pods, ""))
				if want := complete[:min(c.bytes, len(complete))]; text != want || (err != nil) != c.failed {
					t.Errorf("mode %d cut %d after %d: %q %v", mode, c.cut, c.bytes, text, err)
				}
			})
		}
	}
}

func TestFaultCutsWatch(t *testing.T) {
	for _, mode := range []Mode{Memory, MemoryPlain} {
		for _, c := range []struct {
			cut           Cut
			frames, bytes int
			failed        bool
		}{{Truncate, 2, 0, false}, {Truncate, 2, 12, false}, {Abort, 1, 0, true}, {Abort, 1, 12, true}, {Abort, 0, 0, true}} {
			inBoth(t, Options{Mode: mode}, func(t *testing.T, r *rig) {
				r.Inject(Fault{Verb: "watch", Cut: c.cut, AfterFrames: c.frames, AfterBytes: c.bytes})
				w := r.watch(pods, "&resourceVersion=80400")
				for i := range 3 {
					r.pod("edge", fmt.Sprint("p", i))
				}
				for i := range c.frames {
					w.want(fmt.Sprint("ADDED p", i))
				}
				f, err := w.read()
				if len(f.raw) != c.bytes || (err != io.EOF) != c.failed {
					t.Errorf("mode %d cut %d after %d+%d: %q %v", mode, c.cut, c.frames, c.bytes, f.raw, err)
				}
				w.close()
			})
		}
	}
}

func TestFaultResets(t *testing.T) {
	for _, mode := range []Mode{Memory, MemoryPlain} {
		inBoth(t, Options{Mode: mode}, func(t *testing.T, r *rig) {
			r.Inject(Fault{Verb: "list", Drop: true})
			if _, err := r.try(t.Context(), "GET", pods, ""); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("drop: %v", err)
			}
			r.Inject(Fault{Verb: "watch", Cut: Reset, AfterFrames: 1})
			w := r.watch(pods, "&resourceVersion=80400")
			r.pod("edge", "a")
			_, err := w.read()
			if err == nil {
				_, err = w.read()
			}
			if !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("mode %d: reset: %v", mode, err)
			}
			w.close()
		})
	}
}

func TestFaultSilence(t *testing.T) {
	for name, f := range map[string]Fault{
		"nothing at all": {Hold: true},
		"headers only":   {Cut: Stall},
		"after a frame":  {Cut: Stall, AfterFrames: 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, Options{BookmarkInterval: time.Second}, func(t *testing.T, r *rig) {
				in := r.Inject(f)
				r.pod("edge", "a")
				ended := make(chan error, 1)
				var got string
				go func() {
					resp, err := r.try(t.Context(), "GET", pods+"?watch=1&allowWatchBookmarks=1&timeoutSeconds=60", "")
					if err == nil {
						got, err = readAll(t, resp)
					}
					ended <- err
				}()
				r.pass(time.Hour)
				synctest.Wait()
				select {
				case err := <-ended:
					t.Errorf("ended by itself: %v", err)
				default:
				}
				in.Remove()
				if err := <-ended; err == nil {
					t.Error("a clean end")
				}
				if n := strings.Count(got, "\n"); n != f.AfterFrames {
					t.Errorf("%d frames", n)
				}
			})
		})
	}
}

func TestFaultHeldClientGivesUp(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.Inject(Fault{Hold: true, Count: -1})
		r.client.Timeout = time.Minute
		if _, err := r.try(t.Context(), "GET", pods, ""); err == nil {
			t.Error("an answer")
		}
	})
}

func TestFaultAwait(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		in := r.Inject(Fault{Count: 2, Answer: StatusAnswer(Failure(500))})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		go func() {
			for range 2 {
				r.pass(time.Second)
				if resp, err := r.try(ctx, "GET", pods, ""); err == nil {
					resp.Body.Close()
				}
			}
		}()
		begun := time.Now()
		if err := in.Await(ctx, 2); err != nil || time.Since(begun) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := in.Await(ctx, 3); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestFaultDelay(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.Inject(Fault{Delay: 7 * time.Second})
		begun := time.Now()
		if code, _ := r.ask("GET", pods, ""); code != 200 || time.Since(begun) != 7*time.Second {
			t.Errorf("%d after %v", code, time.Since(begun))
		}
	})
}

// reads returns the sizes of the single reads of a body.
func reads(r io.Reader) (sizes []int) {
	p := make([]byte, 4096)
	for {
		n, err := r.Read(p)
		if n > 0 {
			sizes = append(sizes, n)
		}
		if err != nil {
			return sizes
		}
	}
}

func TestFaultChunks(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.Inject(Fault{Verb: "watch", ChunkSize: 1, ChunkDelay: time.Millisecond})
		w := r.watch(pods, "&timeoutSeconds=2")
		r.pod("edge", "a")
		sizes := reads(w.resp.Body)
		w.close()
		for _, n := range sizes {
			if n != 1 {
				t.Fatalf("chunks of %v bytes", sizes)
			}
		}
		r.Inject(Fault{Verb: "watch", FramesPerChunk: 3})
		w = r.watch(pods, "&timeoutSeconds=2")
		all := make(chan []int)
		go func() { all <- reads(w.resp.Body) }()
		for i := range 5 {
			r.pod("edge", fmt.Sprint(i))
			r.pass(time.Millisecond)
		}
		if got := <-all; len(got) != 2 || got[0] != got[1] {
			t.Errorf("six frames in reads of %v bytes", got)
		}
		w.close()
	})
}

func TestFaultFrames(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		r.Inject(Fault{Verb: "watch", Frames: [][]byte{ErrorFrame(TooManyRequests(3))}})
		w := r.watch(pods, "")
		w.want("ERROR 429")
		w.end()
		r.Inject(Fault{Verb: "watch", GoOn: true, Frames: [][]byte{Frame("BOOKMARK", []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{}}`))}})
		w = r.watch(pods, "")
		w.want("BOOKMARK", "ADDED a")
		w.close()
	})
}

func TestFaultRewrite(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		odd := func(p []byte) []byte { return []byte(strings.ReplaceAll(string(p), `"a"`, `"z"`)) }
		r.Inject(Fault{Verb: "list", Rewrite: odd})
		if l := r.list(pods); l.names() != "z" {
			t.Errorf("%+v", l)
		}
		r.Inject(Fault{Verb: "list", Rewrite: odd, Cut: Truncate, AfterBytes: 5})
		if text, err := readAll(t, r.do(t.Context(), "GET", pods, "")); text != `{"kin` || err != nil {
			t.Errorf("%s %v", text, err)
		}
		r.Inject(Fault{Verb: "watch", Rewrite: odd})
		w := r.watch(pods, "")
		w.want("ADDED z")
		w.close()
	})
}

func TestFaultGoaway(t *testing.T) {
	for _, mode := range []Mode{Memory, MemoryPlain} {
		inBoth(t, Options{Mode: mode}, func(t *testing.T, r *rig) {
			live := r.watch(pods, "&resourceVersion=80400")
			r.ask("GET", pods, "")
			r.Inject(Fault{Goaway: true})
			r.ask("GET", pods, "")
			r.pass(time.Second)
			r.ask("GET", pods, "")
			r.pod("edge", "a")
			live.want("ADDED a") // a stream under way goes on
			live.close()
			j := r.Journal()
			if before, after := j[len(j)-2].Connection, j[len(j)-1].Connection; before == after {
				t.Errorf("mode %d: connections %d, then %d", mode, before, after)
			}
		})
	}
}

func TestGoawayAfter(t *testing.T) {
	inBoth(t, Options{GoawayAfter: 3}, func(t *testing.T, r *rig) {
		for range 9 {
			r.ask("GET", pods, "")
			r.pass(2 * time.Second)
		}
		var used []int
		for _, q := range r.Journal() {
			used = append(used, q.Connection)
		}
		if fmt.Sprint(used) != "[1 1 1 2 2 2 3 3 3]" {
			t.Errorf("connections %v", used)
		}
	})
}

func TestFaultAtAccept(t *testing.T) {
	inBoth(t, Options{}, func(t *testing.T, r *rig) {
		r.Inject(Fault{Accept: AcceptReset})
		if _, err := r.try(t.Context(), "GET", pods, ""); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("refused: %v", err)
		}
		r.Inject(Fault{Accept: AcceptSilence})
		r.client.Timeout = time.Minute
		begun := time.Now()
		if _, err := r.try(t.Context(), "GET", pods, ""); err == nil || time.Since(begun) < 10*time.Second {
			t.Errorf("silent: %v after %v", err, time.Since(begun))
		}
		if code, _ := r.ask("GET", pods, ""); code != 200 {
			t.Errorf("afterwards: %d", code)
		}
	})
	r := newRig(t, Options{Mode: Plain})
	r.Inject(Fault{Accept: AcceptReset})
	if _, err := r.try(t.Context(), "GET", pods, ""); err == nil {
		t.Error("a reset socket answers")
	}
}
