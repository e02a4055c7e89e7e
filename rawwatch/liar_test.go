package rawwatch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// isA reports whether an error of the type is in the chain.
func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func podFrame(kind, meta string) []byte {
	return watchtest.Frame(kind, []byte(`{"kind":"Pod","apiVersion":"v1","metadata":`+meta+`}`))
}

// pageOf is an empty page whose list metadata is this.
func pageOf(meta string) *watchtest.Answer {
	return watchtest.JSONAnswer(`{"kind":"PodList","apiVersion":"v1","metadata":{` + meta + `},"items":[]}`)
}

// lies are servers that say what no server should, each for an hour, in protobuf
// as in JSON.
var lies = []struct {
	name  string
	fault watchtest.Fault
	typed func(error) bool
	class resume.FailureClass
}{
	{"versions of one object go backwards", watchtest.Fault{Verb: "watch", Frames: [][]byte{
		podFrame("ADDED", `{"namespace":"n","name":"x","uid":"u","resourceVersion":"90000000"}`),
		podFrame("MODIFIED", `{"namespace":"n","name":"x","uid":"u","resourceVersion":"80000000"}`),
	}, GoOn: true}, isA[*rawwatch.OrderError], resume.BadResponse},
	{"an object without metadata in a stream", watchtest.Fault{Verb: "watch", Frames: [][]byte{
		watchtest.Frame("ADDED", []byte(`{"kind":"Pod","apiVersion":"v1"}`)),
	}, GoOn: true}, isA[*rawwatch.UnnamedObjectError], resume.BadResponse},
	{"an object without metadata in a list", watchtest.Fault{Verb: "list", Lie: watchtest.NoMetadata}, isA[*rawwatch.UnnamedObjectError], resume.BadResponse},
	{"a bookmark without a version", watchtest.Fault{Verb: "watch", Frames: [][]byte{
		podFrame("BOOKMARK", `{}`),
	}, GoOn: true}, isA[*rawwatch.BookmarkError], resume.BadResponse},
	{"endless pages with the same continue token", watchtest.Fault{Verb: "list", Lie: watchtest.SamePage}, isA[*rawwatch.PagingError], resume.BadResponse},
	{"a continue token of 1 MB", watchtest.Fault{Verb: "list", Lie: watchtest.HugeToken}, func(err error) bool { return isA[*rawwatch.PagingError](err) || isA[*decode.LimitError](err) }, resume.BadResponse},
	{"endless redirects", watchtest.Fault{Lie: watchtest.RedirectLoop}, isA[*rawwatch.RequestError], resume.BadResponse},
	{"200 with nothing, on lists", watchtest.Fault{Verb: "list", Lie: watchtest.EmptyBody}, isA[*rawwatch.RequestError], resume.Unavailable},
	{"200 with nothing, on watches", watchtest.Fault{Verb: "watch", Lie: watchtest.EmptyBody}, nil, resume.Unavailable},
	{"a Status with code 200 in an ERROR frame", watchtest.Fault{Verb: "watch", Lie: watchtest.CodeOK}, isA[*decode.StatusError], resume.BadResponse},
	{"an ERROR frame without a Status", watchtest.Fault{Verb: "watch", Frames: [][]byte{
		watchtest.Frame("ERROR", []byte(`null`)),
	}}, isA[*rawwatch.RequestError], resume.BadResponse},
	{"a list without a version", watchtest.Fault{Verb: "list", Lie: watchtest.NoVersion}, isA[*rawwatch.PagingError], resume.BadResponse},
}

// TestServerThatLies: each lie ends in an error of a type, in a state that can
// be seen, in few requests; and it heals when the server tells the truth.
func TestServerThatLies(t *testing.T) {
	long := time.Hour
	if testing.Short() {
		long = 5 * time.Minute
	}
	for _, c := range lies {
		for _, beside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/beside=%v", c.name, beside), func(t *testing.T) {
				inWorld(t, watchtest.Options{Journal: 100_000}, func(w *world) {
					w.createAll("a b c d e f")
					c.fault.Count = -1
					lie := w.server.Inject(c.fault)
					f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 2, ListWhileWatching: beside})
					w.pass(long)
					f.going()
					if n := len(w.server.Journal()); n > 600 {
						w.Errorf("%d requests in %v", n, long)
					}
					s := f.reflector.Status()
					if c.typed != nil && (s.LastErrorClass != c.class || !c.typed(s.LastError)) {
						w.Errorf("last error %v (%T) of class %v, want class %v", s.LastError, s.LastError, s.LastErrorClass, c.class)
					}
					if s.LastError != nil && len(s.LastError.Error()) > 4096 {
						w.Errorf("an error of %d bytes", len(s.LastError.Error()))
					}
					lie.Remove()
					f.newHistory()
					w.server.CutWatches(anyWatch, watchtest.Truncate)
					w.touch(pods, "n", "a", "1")
					w.pass(3 * time.Minute)
					if s := f.reflector.Status(); !s.Synced || !s.Connected {
						w.Errorf("status after the lie: %+v", s)
					}
				})
			})
		}
	}
}

// TestOldStateOfAnUnknownObject: an object that was not known, in a state older
// than what the stream has told of others, is no lie: servers that show each user
// what he may see tell so of what he may see from now on.
func TestOldStateOfAnUnknownObject(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Inject(watchtest.Fault{Verb: "watch", Frames: [][]byte{
			podFrame("ADDED", `{"namespace":"n","name":"x","uid":"u","resourceVersion":"90000000"}`),
			podFrame("ADDED", `{"namespace":"n","name":"y","uid":"v","resourceVersion":"80000000"}`),
		}, GoOn: true})
		ctx, cancel := context.WithTimeout(w.Context(), time.Hour)
		defer cancel()
		for event, err := range w.client.ListWatch(ctx, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{ListFirst: true}) {
			if err != nil {
				w.Fatal(err)
			}
			if event.Type == rawwatch.Added && event.Object.Name == "y" {
				break
			}
		}
	})
}

// TestLyingPagesBeside: the further pages of a list, beside its watch.
func TestLyingPagesBeside(t *testing.T) {
	for name, answer := range map[string]*watchtest.Answer{
		"HTML":              watchtest.HTMLAnswer(200),
		"nothing":           watchtest.JSONAnswer(""),
		"an object":         watchtest.JSONAnswer(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`),
		"a page of 1":       pageOf(`"resourceVersion":"1"`),
		"without a version": pageOf(`"continue":"x"`),
		"an object without a name": watchtest.JSONAnswer(
			`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"99999999"},"items":[{"metadata":{}}]}`),
		"tokens that expire":      watchtest.StatusAnswer(&watchtest.StatusError{Code: 410, Reason: "Expired", Continue: "x"}),
		"tokens that are refused": watchtest.StatusAnswer(&watchtest.StatusError{Code: 400, Reason: "BadRequest"}),
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, watchtest.Options{Journal: 100_000}, func(w *world) {
				all := w.createAll("a b c d e f")
				lie := w.server.Inject(watchtest.Fault{Verb: "list", Count: -1, Match: func(r *http.Request) bool {
					return further(r)
				}, Answer: answer})
				f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 2, ListWhileWatching: true})
				w.pass(time.Hour)
				f.going()
				if n := len(w.server.Journal()); n > 900 {
					w.Errorf("%d requests in an hour", n)
				}
				lie.Remove()
				w.pass(10 * time.Minute)
				f.expectState(all...)
			})
		})
	}
}
