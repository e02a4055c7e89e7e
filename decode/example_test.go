package decode_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rawwatch/rawwatch/decode"
)

// A watch's body: frames, as they come, until it ends.
func ExampleEventReader() {
	body := strings.NewReader(`
{"type":"ADDED","object":{"metadata":{"namespace":"edge","name":"a","uid":"u1","resourceVersion":"5"}}}
{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}
`)
	events := decode.NewEventReader(body, decode.Options{})
	defer events.Close()
	for {
		ev, err := events.Next()
		if err == io.EOF {
			fmt.Println("the watch has ended; go on from the last version")
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		id := ev.Meta.Identity() // owned: may be kept
		fmt.Println(ev.Type, id.Key(), id.ResourceVersion)
	}
	// Output:
	// ADDED edge/a 5
	// BOOKMARK  9
	// the watch has ended; go on from the last version
}

// An ERROR frame ends a watch although HTTP said 200.
func ExampleEventReader_expired() {
	body := strings.NewReader(`{"type":"ERROR","object":{"kind":"Status","status":"Failure","message":"too old resource version: 300 (80402)","reason":"Expired","code":410}}`)
	events := decode.NewEventReader(body, decode.Options{})
	defer events.Close()
	ev, err := events.Next()
	if err != nil {
		fmt.Println(err)
		return
	}
	if ev.Type == decode.Error && ev.Status.IsExpired() {
		fmt.Println("list again:", ev.Status)
	}
	// Output: list again: the API server answered Expired (code 410): too old resource version: 300 (80402)
}

// One object that cannot be understood does not stop the others.
func ExampleEventReader_badObject() {
	body := strings.NewReader(`{"type":"ADDED","object":{"metadata":{"namespace":"edge","name":"a","uid":7}}}
{"type":"ADDED","object":{"metadata":{"namespace":"edge","name":"b","uid":"u2"}}}`)
	events := decode.NewEventReader(body, decode.Options{})
	defer events.Close()
	for {
		ev, err := events.Next()
		if err != nil {
			return
		}
		var bad *decode.ObjectError
		if errors.As(ev.Err, &bad) {
			fmt.Println("bad:", bad.Key, bad.Path, "is", bad.Token)
			continue
		}
		fmt.Println("good:", ev.Meta.Identity().Key())
	}
	// Output:
	// bad: edge/a metadata.uid is a number
	// good: edge/b
}

// A connection that breaks inside a frame is told apart from a clean end.
func ExampleStreamError() {
	events := decode.NewEventReader(strings.NewReader(`{"type":"ADDED","obj`), decode.Options{})
	defer events.Close()
	_, err := events.Next()
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	var torn *decode.StreamError
	fmt.Println(errors.As(err, &torn) && torn.Partial == 20)
	// Output:
	// true
	// true
}

// A frame over the limit is an error, found without reading all of it.
func ExampleLimitError() {
	body := io.MultiReader(strings.NewReader(`{"type":"ADDED","object":{"data":"`), strings.NewReader(strings.Repeat("x", 1<<20)))
	events := decode.NewEventReader(body, decode.Options{FrameLimit: 64 << 10})
	defer events.Close()
	_, err := events.Next()
	fmt.Println(err)
	// Output: decode: the frame at offset 0 is larger than 65536 bytes; raise Options.FrameLimit if such objects are meant to be
}

// A list's body, one item at a time. Items of typed lists do not say their
// kind; the reader takes it from the list.
func ExampleListReader() {
	body := strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"80407","continue":"next"},"items":[
		{"metadata":{"namespace":"edge","name":"a"}},
		{"metadata":{"namespace":"edge","name":"b"}}]}`)
	list := decode.NewListReader(body, decode.Options{})
	defer list.Close()
	for {
		item, err := list.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %s %s\n", item.Meta.APIVersion, item.Meta.Kind, item.Meta.Identity().Key())
	}
	fmt.Println("watch from", list.Meta().ResourceVersion, "after page", list.Meta().Continue)
	// Output:
	// v1 Pod edge/a
	// v1 Pod edge/b
	// watch from 80407 after page next
}

// Where a Status comes instead of a list, Next says so.
func ExampleListReader_status() {
	body := strings.NewReader(`{"kind":"Status","status":"Failure","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":5}}`)
	list := decode.NewListReader(body, decode.Options{})
	defer list.Close()
	_, err := list.Next()
	var status *decode.StatusError
	if errors.As(err, &status) && status.IsTooManyRequests() {
		fmt.Println("wait", status.RetryAfter())
	}
	// Output: wait 5s
}

// A single object, without decoding it.
func ExampleScanMeta() {
	var m decode.Meta
	err := decode.ScanMeta([]byte(`{"spec":{"containers":[]},"kind":"Pod","metadata":{"name":"a","resourceVersion":"5"}}`), &m)
	fmt.Printf("%s %s %s %v\n", m.Kind, m.Name, m.ResourceVersion, err)
	// Output: Pod a 5 <nil>
}

// What identifies an object can be kept; the rest of a Meta is borrowed.
func ExampleMeta_Identity() {
	events := decode.NewEventReader(strings.NewReader(`{"type":"ADDED","object":{"metadata":{"name":"a","uid":"u"}}}`), decode.Options{Poison: true})
	ev, err := events.Next()
	if err != nil {
		fmt.Println(err)
		return
	}
	id, name := ev.Meta.Identity(), ev.Meta.Name
	events.Close()
	fmt.Printf("%s %x\n", id.Name, name)
	// Output: a db
}

// An error's body that may be a Status, or a proxy's page.
func ExampleParseStatus() {
	for _, body := range []string{`{"kind":"Status","reason":"Forbidden","code":403}`, `<html>502</html>`} {
		status, ok := decode.ParseStatus([]byte(body))
		if !ok {
			fmt.Println("no Status")
			continue
		}
		fmt.Println(status, status.IsForbidden())
	}
	// Output:
	// the API server answered Forbidden (code 403) true
	// no Status
}

func ExampleKey_String() {
	fmt.Println(decode.Key{Namespace: "edge", Name: "web-1"})
	fmt.Println(decode.Key{Name: "node-7"})
	// Output:
	// edge/web-1
	// node-7
}
