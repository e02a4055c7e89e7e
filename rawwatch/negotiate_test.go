package rawwatch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

var (
	gadgets       = watchtest.Resource{Group: "example.com", Version: "v1", Plural: "gadgets", Kind: "Gadget", Namespaced: true}
	customGadgets = rawwatch.Resource{Group: "example.com", Version: "v1", Name: "gadgets", Kind: "Gadget", Namespaced: true}
)

// asked is the Accept header of the first request of a verb.
func (w *world) asked(verb string) string {
	w.Helper()
	all := w.requests(verb)
	if len(all) == 0 {
		w.Fatalf("no %s was asked for", verb)
	}
	return all[0].Header.Get("Accept")
}

// TestWhatIsAskedFor: the cheapest encoding that both sides know, unless the
// options say otherwise; what comes, and why it is not better, is in the status.
func TestWhatIsAskedFor(t *testing.T) {
	const partial = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	for name, c := range map[string]struct {
		query    rawwatch.Query
		options  rawwatch.ListWatchOptions
		accept   string
		encoding decode.Encoding
		metadata bool
	}{
		"built-in":       {rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}, "application/vnd.kubernetes.protobuf,application/json", decode.Protobuf, false},
		"JSON is wanted": {rawwatch.Pods.Query(), rawwatch.ListWatchOptions{Encoding: rawwatch.EncodingJSON}, "application/json", decode.JSON, false},
		"custom":         {customGadgets.Query(), rawwatch.ListWatchOptions{}, "application/json", decode.JSON, false},
		"protobuf is wanted of a custom resource": {
			customGadgets.Query(), rawwatch.ListWatchOptions{Encoding: rawwatch.EncodingProtobuf},
			"application/vnd.kubernetes.protobuf,application/json", decode.JSON, false,
		},
		"metadata": {
			rawwatch.Pods.Query(), rawwatch.ListWatchOptions{MetadataOnly: true},
			"application/vnd.kubernetes.protobuf" + partial + ",application/json" + partial + ",application/json", decode.Protobuf, true,
		},
		"metadata of a custom resource": {
			customGadgets.Query(), rawwatch.ListWatchOptions{MetadataOnly: true},
			"application/vnd.kubernetes.protobuf" + partial + ",application/json" + partial + ",application/json", decode.Protobuf, true,
		},
		"metadata in JSON": {
			rawwatch.Pods.Query(), rawwatch.ListWatchOptions{MetadataOnly: true, Encoding: rawwatch.EncodingJSON},
			"application/json" + partial + ",application/json", decode.JSON, true,
		},
	} {
		for _, listed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inProtobufWorld(t, watchtest.Options{}, func(w *world) {
					w.server.Register(gadgets)
					w.create(gadgets, "n", "a", `"spec":{"size":3}`)
					w.create(pods, "n", "a", onNode("x"))
					c.options.ListFirst = listed
					f := w.followAsIs(c.query, c.options)
					w.pass(time.Second)
					f.expect("ADDED list n/a", "SYNCED list")
					if got := w.asked("watch"); got != c.accept {
						w.Errorf("a watch asks for %s\nwant %s", got, c.accept)
					}
					if list := strings.ReplaceAll(c.accept, "Metadata;", "MetadataList;"); listed && w.asked("list") != list {
						w.Errorf("a list asks for %s\nwant %s", w.asked("list"), list)
					}
					if s := f.reflector.Status(); s.Encoding != c.encoding || s.MetadataOnly != c.metadata || s.Plain != nil {
						w.Errorf("encoding %s, metadata only %v, plain %v", s.Encoding, s.MetadataOnly, s.Plain)
					}
				})
			})
		}
	}
}

// TestServersThatRefuseTheForm: whole objects in JSON are asked for at once,
// which is remembered for the resource and shown.
func TestServersThatRefuseTheForm(t *testing.T) {
	refusal := func(code int) *watchtest.Answer {
		return watchtest.StatusAnswer(&watchtest.StatusError{Code: code, Reason: "NotAcceptable", Message: "no"})
	}
	strange := &watchtest.Answer{Header: http.Header{"Content-Type": {"application/cbor"}}, Body: []byte("\xd9\xd9\xf7")}
	garbage := &watchtest.Answer{Header: http.Header{"Content-Type": {"application/vnd.kubernetes.protobuf"}}, Body: []byte("k8s\x00\xff\xff\xff garbage")}
	for name, answer := range map[string]*watchtest.Answer{
		"406": refusal(http.StatusNotAcceptable), "415": refusal(http.StatusUnsupportedMediaType),
		"another type": strange, "garbage": garbage,
	} {
		for _, metadata := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				inProtobufWorld(t, watchtest.Options{}, func(w *world) {
					a := w.create(pods, "n", "a", onNode("x"))
					w.server.Inject(watchtest.Fault{Count: -1, Answer: answer, Match: func(r *http.Request) bool {
						return strings.HasPrefix(r.Header.Get("Accept"), "application/vnd")
					}})
					f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{MetadataOnly: metadata})
					w.pass(time.Minute)
					f.expect("ADDED list n/a", "SYNCED list")
					f.expectState(a)
					if s := f.reflector.Status(); s.Plain == nil || s.Encoding != decode.JSON || s.MetadataOnly || !s.Connected {
						w.Errorf("status %+v", s)
					}
					w.server.ClearJournal()
					w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{MetadataOnly: metadata})
					w.counts(1, 1)
					if got := w.asked("list"); got != "application/json" {
						w.Errorf("the next watch asks for %s", got)
					}
					w.server.ClearJournal()
					w.follow(rawwatch.Nodes.Query(), rawwatch.ListWatchOptions{})
					if got := w.asked("list"); !strings.HasPrefix(got, "application/vnd") {
						w.Errorf("another resource is asked for as %s", got)
					}
				})
			})
		}
	}
}

// TestAProxysPageIsNoRefusal: it says nothing of the encoding, and protobuf is
// asked for again.
func TestAProxysPageIsNoRefusal(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a", onNode("x"))
		w.server.Inject(watchtest.Fault{Answer: watchtest.HTMLAnswer(200)})
		f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Minute)
		f.expect("ADDED list n/a", "SYNCED list")
		if s := f.reflector.Status(); s.Plain != nil || s.Encoding != decode.Protobuf {
			w.Errorf("status %+v", s)
		}
	})
}

// TestServersWithoutTheForm do what they can, and that is no failure.
func TestServersWithoutTheForm(t *testing.T) {
	for name, o := range map[string]watchtest.Options{
		"no protobuf":         {Protobuf: watchtest.ProtobufOff},
		"415 for its name":    {Protobuf: watchtest.ProtobufUnsupported},
		"JSON all the same":   {Protobuf: watchtest.ProtobufIgnored},
		"no metadata":         {MetadataOnly: watchtest.MetadataOnlyOff},
		"whole all the same":  {MetadataOnly: watchtest.MetadataOnlyIgnored},
		"neither one of them": {Protobuf: watchtest.ProtobufOff, MetadataOnly: watchtest.MetadataOnlyOff},
	} {
		t.Run(name, func(t *testing.T) {
			inProtobufWorld(t, o, func(w *world) {
				w.create(pods, "n", "a", onNode("x"))
				f := w.followAsIs(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{MetadataOnly: true})
				w.pass(time.Minute)
				f.expect("ADDED list n/a", "SYNCED list")
				if all := f.failed(); len(all) != 0 {
					w.Errorf("reported as failures: %v", all)
				}
				s := f.reflector.Status()
				if whole := o.MetadataOnly != watchtest.MetadataOnlyOn; whole && s.MetadataOnly {
					w.Errorf("status %+v", s)
				}
				if s.Encoding == decode.Protobuf && o.Protobuf != watchtest.ProtobufOn {
					w.Errorf("status %+v", s)
				}
			})
		})
	}
}

// TestErrorsInProtobuf: what the server says of an error is read in the
// encoding that it comes in.
func TestErrorsInProtobuf(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		for _, e := range []*watchtest.StatusError{
			{Code: 403, Reason: "Forbidden", Message: "no"}, watchtest.TooOld(300, 80402),
			watchtest.TooManyRequests(7), watchtest.TooLarge(99999999, 80407),
		} {
			w.server.Inject(watchtest.Fault{Verb: "list", Status: e})
			for _, err := range w.client.List(w.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
				var status *decode.StatusError
				if !errors.As(err, &status) || status.Status.Code != e.Code || status.Status.Reason != e.Reason {
					w.Errorf("got %v, want %d %s", err, e.Code, e.Reason)
				}
			}
		}
	})
}
