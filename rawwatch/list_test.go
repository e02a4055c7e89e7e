package rawwatch_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestList: one list, in pages, streamed.
func TestList(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range strings.Split("a b c d e", " ") {
			w.create(pods, "n", name)
		}
		var names []string
		var remaining []int64
		for o, err := range w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{
			PageLimit: 2, OnPage: func(m decode.ListMeta) { remaining = append(remaining, m.RemainingItemCount) },
		}) {
			if err != nil {
				w.Fatal(err)
			}
			names = append(names, o.Name)
			if o.Kind != "Pod" || o.APIVersion != "v1" {
				w.Errorf("%s is a %q of %q", o.Name, o.Kind, o.APIVersion)
			}
		}
		if strings.Join(names, "") != "abcde" || len(remaining) != 3 || remaining[0] != 3 || remaining[1] != 1 {
			w.Errorf("names %v, remaining %v", names, remaining)
		}
	})
}

// TestListAtLeisure: the bound on list data counts while the server is waited
// for, not while the consumer is at work.
func TestListAtLeisure(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for i := range 40 {
			w.create(pods, "n", "a"+strconv.Itoa(i), `"spec":{"text":"`+strings.Repeat("x", 20<<10)+`"}`)
		}
		n := 0
		for _, err := range w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
			if err != nil {
				w.Fatalf("after %d objects: %v", n, err)
			}
			n++
			w.pass(2 * rawwatch.DefaultDataTimeout)
		}
		if n != 40 {
			w.Errorf("%d objects", n)
		}
	})
}

// TestCompressedList: lists are asked for compressed, unless the configuration
// forbids it, and decoded while they arrive; watches are not.
func TestCompressedList(t *testing.T) {
	for _, plain := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory, Protobuf: watchtest.ProtobufOff, GzipThreshold: 1000})
			defer server.Close()
			config := server.Config()
			config.DisableCompression = plain
			var encodings []string
			client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{
				DialContext: server.DialContext,
				Header:      http.Header{"Accept-Encoding": {"deflate"}},
				WrapTransport: func(next http.RoundTripper) http.RoundTripper {
					return tripper(func(r *http.Request) (*http.Response, error) {
						resp, err := next.RoundTrip(r)
						if err == nil {
							encodings = append(encodings, r.Header.Get("Accept-Encoding")+">"+resp.Header.Get("Content-Encoding"))
						}
						return resp, err
					})
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			w := &world{T: t, server: server, client: client}
			var want []watchtest.Object
			for i := range 50 {
				want = append(want, w.create(pods, "n", "a"+strconv.Itoa(i), `"spec":{"text":"`+strings.Repeat("x", 20<<10)+`"}`))
			}
			f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 30})
			w.settle()
			f.expectState(want...)
			f.stop()
			list := "gzip>gzip"
			if plain {
				list = ">"
			}
			if got := strings.Join(encodings, " "); got != list+" "+list+" >" {
				t.Errorf("plain %v: encodings %s", plain, got)
			}
		})
	}
}

// TestDamagedCompression: what does not inflate is a stream that broke.
func TestDamagedCompression(t *testing.T) {
	damaged := tripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}},
			Body: io.NopCloser(strings.NewReader("no gzip at all")),
		}, nil
	})
	client := newClient(t, &kubeconfig.Config{Server: "http://localhost"}, rawwatch.ClientOptions{
		WrapTransport: func(http.RoundTripper) http.RoundTripper { return damaged },
	})
	for _, err := range client.List(t.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
		if !errors.Is(err, gzip.ErrHeader) {
			t.Errorf("got %v", err)
		}
	}
}

// TestListThatNeverEnds: continue tokens that take turns are noticed.
func TestListThatNeverEnds(t *testing.T) {
	circle := tripper(func(r *http.Request) (*http.Response, error) {
		next := "a"
		if r.URL.Query().Get("continue") == "a" {
			next = "b"
		}
		return &http.Response{
			StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(`{"metadata":{"resourceVersion":"1","continue":"` + next + `"},"items":[]}`)),
		}, nil
	})
	client := newClient(t, &kubeconfig.Config{Server: "http://localhost"}, rawwatch.ClientOptions{
		WrapTransport: func(http.RoundTripper) http.RoundTripper { return circle },
	})
	var last error
	for _, err := range client.List(t.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
		last = err
	}
	var paging *rawwatch.PagingError
	if !errors.As(last, &paging) {
		t.Errorf("got %v", last)
	}
}

func TestListThatExpires(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range strings.Split("a b c", " ") {
			w.create(pods, "n", name)
		}
		w.server.Inject(watchtest.Fault{Verb: "list", Skip: 1, Answer: watchtest.StatusAnswer(watchtest.Expired())})
		var expired *rawwatch.ListExpiredError
		n := 0
		for _, err := range w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{PageLimit: 2}) {
			if err == nil {
				n++
			} else if !errors.As(err, &expired) {
				w.Errorf("got %v", err)
			}
		}
		if expired == nil || expired.Delivered != 2 || n != 2 {
			w.Errorf("%d delivered, then %+v", n, expired)
		}
	})
}
