package rawwatch_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// TestChunksCarryNoMeaning: however the bytes are cut up or laid out, the
// events are the same.
func TestChunksCarryNoMeaning(t *testing.T) {
	pretty := func(b []byte) []byte {
		var out bytes.Buffer
		if json.Indent(&out, b, "", "  ") != nil {
			return b
		}
		return append([]byte("\n\n"), append(out.Bytes(), "\n\n"...)...)
	}
	for _, c := range []struct {
		name  string
		fault watchtest.Fault
	}{
		{"one byte a chunk", watchtest.Fault{ChunkSize: 1}},
		{"seven bytes a chunk, slowly", watchtest.Fault{ChunkSize: 7, ChunkDelay: 10 * time.Millisecond}},
		{"three frames in a chunk", watchtest.Fault{Verb: "watch", FramesPerChunk: 3}},
		{"no newline between frames", watchtest.Fault{Verb: "watch", Rewrite: bytes.TrimSpace}},
		{"over many lines, with blank ones between", watchtest.Fault{Rewrite: pretty}},
		{"object before type", watchtest.Fault{Verb: "watch", Rewrite: objectFirst}},
	} {
		for _, http1 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP1 %v", c.name, http1), func(t *testing.T) {
				inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{HTTP1: http1}, func(w *world) {
					c.fault.Count = -1
					w.server.Inject(c.fault)
					w.create(pods, "n", "a")
					f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
					w.pass(time.Minute)
					a := w.touch(pods, "n", "a", "ü \\ \" \U0001F600")
					b := w.create(pods, "n", "b", `"spec":{"text":"{[\"]}"}`)
					w.create(pods, "n", "c")
					w.delete(pods, "n", "c")
					w.create(pods, "n", "d")
					w.delete(pods, "n", "d")
					w.pass(2 * time.Minute)
					f.expect("ADDED list n/a", "SYNCED list", "MODIFIED stream n/a", "ADDED stream n/b",
						"ADDED stream n/c", "DELETED stream n/c", "ADDED stream n/d", "DELETED stream n/d")
					f.expectState(a, b)
					if all := f.failed(); len(all) != 0 {
						w.Errorf("failures: %v", all)
					}
				})
			})
		}
	}
}

// objectFirst writes a frame with its members in the other order.
func objectFirst(frame []byte) []byte {
	var f struct {
		Type   string
		Object json.RawMessage
	}
	if json.Unmarshal(frame, &f) != nil || f.Type == "" {
		return frame
	}
	return fmt.Appendf(nil, `{"object":%s,"type":%q}`+"\n", f.Object, f.Type)
}

func TestLargeFrames(t *testing.T) {
	inWorldWith(t, watchtest.Options{BodyLimit: 64 << 20}, rawwatch.ClientOptions{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		legal := w.create(pods, "n", "legal", fmt.Sprintf(`"spec":{"text":%q}`, strings.Repeat("x", 2<<20)))
		w.pass(time.Second)
		f.expect("SYNCED list", "ADDED stream n/legal")
		f.expectState(legal)

		w.server.SendFrame(watchtest.Selector{}, watchtest.Frame("ADDED", fmt.Appendf(nil, `{"metadata":{"name":"big"},"x":%q}`, strings.Repeat("x", 17<<20))))
		w.pass(time.Minute)
		if e := failure[*decode.LimitError](f); !strings.Contains(e.Error(), "16777216") && !strings.Contains(e.Error(), "16 MiB") {
			w.Errorf("the error does not name the limit: %v", e)
		}
		f.going()
		after := w.create(pods, "n", "after")
		w.pass(time.Minute)
		f.expectState(legal, after)
	})
}

// TestOneBadObjectAmongGoodOnes: it comes with its bytes and an error, and the
// others flow.
func TestOneBadObjectAmongGoodOnes(t *testing.T) {
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{}, func(w *world) {
		w.server.Advance(10)
		version := w.server.Revision()
		frame := func(kind, object string) []byte { return watchtest.Frame(kind, []byte(object)) }
		w.server.Inject(watchtest.Fault{Verb: "watch", GoOn: true, Frames: [][]byte{
			frame("ADDED", fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":"a","uid":"1","resourceVersion":"%d"}}`, version-9)),
			frame("ADDED", fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":"bad","uid":7,"resourceVersion":"%d"}}`, version-8)),
			frame("ADDED", fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":"b","uid":"2","resourceVersion":"%d"}}`, version-7)),
		}})
		var bad []rawwatch.Event
		var names []string
		for event, err := range w.client.ListWatch(w.Context(), rawwatch.Pods.Query(), rawwatch.ListWatchOptions{ListFirst: true}) {
			if err != nil {
				w.Fatal(err)
			}
			if event.Err != nil {
				event.Object = event.Object.Clone()
				bad = append(bad, event)
			}
			names = append(names, event.Object.Name)
			if event.Object.Name == "b" {
				break
			}
		}
		if got := strings.Join(names, " "); got != " a bad b" {
			w.Errorf("events of %q", got)
		}
		if len(bad) != 1 || !strings.Contains(string(bad[0].Object.Raw), `"uid":7`) || strings.Contains(bad[0].Err.Error(), "7,") {
			w.Errorf("bad ones %+v", bad)
		}
	})
}

func TestBadAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  watchtest.Fault
		class  resume.FailureClass
		says   []string
		secret string
	}{
		{
			"HTML with 200", watchtest.Fault{Verb: "list", Answer: watchtest.HTMLAnswer(200)},
			resume.BadResponse, []string{"/api/v1/pods", "text/html", "not from a Kubernetes API server"}, "",
		},
		{
			"HTML with 502", watchtest.Fault{Verb: "list", Answer: watchtest.HTMLAnswer(502)},
			resume.Unavailable, []string{"HTTP 502", "text/html"}, "",
		},
		{
			"a line of text", watchtest.Fault{Verb: "watch", Answer: &watchtest.Answer{Body: []byte("try again\n")}},
			resume.BadResponse, []string{"text/plain", "try again"}, "",
		},
		{
			"a redirect", watchtest.Fault{Verb: "list", Answer: watchtest.RedirectAnswer("https://login.example.com/?token=s3cret")},
			resume.BadResponse, []string{"HTTP 302", "https://login.example.com/"}, "s3cret",
		},
		{
			"a Status over many lines", watchtest.Fault{Verb: "watch", Answer: &watchtest.Answer{
				Code: 403, Body: []byte("{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"status\": \"Failure\",\n  \"message\": \"pods is forbidden\",\n  \"reason\": \"Forbidden\",\n  \"code\": 403\n}\n"),
				Header: map[string][]string{"Content-Type": {"application/json"}},
			}},
			resume.Forbidden, []string{"HTTP 403", "pods is forbidden", "grant the verb watch on pods"}, "",
		},
		{
			"an object in place of a list", watchtest.Fault{Verb: "list", Answer: watchtest.JSONAnswer(`{"kind":"Secret","apiVersion":"v1","data":{"x":"s3cret"}}`)},
			resume.BadResponse, []string{"/api/v1/pods"}, "s3cret",
		},
		{
			"broken JSON in a list", watchtest.Fault{Verb: "list", Answer: watchtest.JSONAnswer(`{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"data":{"x":"s3cret"} "y"}]}`)},
			resume.BadResponse, []string{"/api/v1/pods"}, "s3cret",
		},
		{
			"an object without a name", watchtest.Fault{Verb: "list", Answer: watchtest.JSONAnswer(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"spec":{"x":"s3cret"}}]}`)},
			resume.BadResponse, []string{"metadata.name"}, "s3cret",
		},
		{
			"an unknown frame type", watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.Frame("SURPRISE", []byte(`{"metadata":{"name":"a"},"x":"s3cret"}`))}},
			resume.BadResponse, []string{"SURPRISE"}, "s3cret",
		},
		{
			"a body that ends inside a frame", watchtest.Fault{Verb: "watch", Frames: [][]byte{[]byte(`{"type":"ADDED","object":{"metadata":{"name":"s3cret"`)}},
			resume.Unavailable, []string{"/api/v1/pods"}, "s3cret",
		},
		{
			"a name that is empty in a frame", watchtest.Fault{Verb: "watch", Frames: [][]byte{watchtest.Frame("ADDED", []byte(`{"metadata":null,"x":"s3cret"}`))}},
			resume.BadResponse, []string{"metadata.name"}, "s3cret",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{}, func(w *world) {
				w.server.Inject(c.fault)
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
				w.pass(2 * time.Minute)
				e := failure[*rawwatch.RequestError](f)
				for _, part := range c.says {
					if !strings.Contains(e.Error(), part) {
						w.Errorf("%q does not say %q", e, part)
					}
				}
				if c.secret != "" && strings.Contains(e.Error(), c.secret) {
					w.Errorf("%q gives away %q", e, c.secret)
				}
				if strings.Contains(e.Error(), watchtest.DefaultToken) {
					w.Errorf("%q gives away the token", e)
				}
				if s := f.reflector.Status(); s.LastErrorClass != c.class || !s.Connected || s.Failures != 0 {
					w.Errorf("status after it healed: %+v, want class %v", s, c.class)
				}
				a := w.create(pods, "n", "a")
				w.settle()
				f.expectState(a)
			})
		})
	}
}

// TestEmptyLists: null in every place where a list may hold one.
func TestEmptyLists(t *testing.T) {
	for _, body := range []string{
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"80400"},"items":null}`,
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"80400"}}`,
		`{"items":[],"metadata":{"resourceVersion":"80400"},"kind":"PodList","apiVersion":"v1"}`,
	} {
		inWorld(t, watchtest.Options{}, func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "list", Answer: watchtest.JSONAnswer(body)})
			f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
			f.expect("SYNCED list")
			w.counts(1, 1)
		})
	}
}

// TestPartialFrameKeepsTheVersion: a frame that was cut is neither delivered
// nor passed over.
func TestPartialFrameKeepsTheVersion(t *testing.T) {
	for bytes := 0; bytes < 400; bytes += 13 {
		inWorld(t, watchtest.Options{}, func(w *world) {
			w.server.Inject(watchtest.Fault{Verb: "watch", Cut: watchtest.Truncate, AfterFrames: 1, AfterBytes: bytes})
			f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
			a, b := w.create(pods, "n", "a"), w.create(pods, "n", "b")
			w.pass(time.Minute)
			f.expect("SYNCED list", "ADDED stream n/a", "ADDED stream n/b")
			f.expectState(a, b)
		})
	}
}
