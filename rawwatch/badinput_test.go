package rawwatch_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/internal/encode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// badPod is a pod whose annotation holds text as it is.
func badPod(name string, text string) []byte {
	return fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":%q,"uid":"bad","resourceVersion":"80001","annotations":{"secret":"%s"}}}`, name, text)
}

// wirePod is a pod in protobuf, of which meta is the metadata.
func wirePod(meta []byte) []byte {
	return encode.Wrap(nil, "v1", "Pod", encode.AppendField(nil, 1, meta))
}

// field is one that holds a text.
func field(number int, text string) []byte { return encode.AppendField(nil, number, []byte(text)) }

// wireMeta is an ObjectMeta with a name that can be told.
func wireMeta(more ...[]byte) []byte {
	return bytes.Join(append([][]byte{field(1, "bad"), field(3, "n"), field(5, "bad"), field(6, "80001")}, more...), nil)
}

// zipped is the body compressed.
func zipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

// corrupt is a compressed body whose first block is of a kind that does not exist.
func corrupt(z []byte) []byte {
	z = bytes.Clone(z)
	z[10] = 0xff
	return z
}

// unchecked is a compressed body whose checksum is another's.
func unchecked(z []byte) []byte {
	z = bytes.Clone(z)
	z[len(z)-6] ^= 0x55
	return z
}

// damage is one way in which the bytes of a list or a watch are bad, in one
// encoding.
type damage struct {
	name     string
	protobuf bool
	frame    []byte // stands first in a watch
	list     []byte // stands in place of a list
	gzip     bool   // they are said to be compressed
	// object says that only an object is lost: the stream goes on, and the
	// object comes with an error.
	object bool
	typed  func(error) bool // of what is reported; nil: nothing is lost
	where  string           // what the error says of the position
}

const (
	secret = "s3cret-value"
	// badLimit bounds frames and items: smaller than by default, so that tests
	// have less to send.
	badLimit = 512 << 10
)

func deep() string { return strings.Repeat(`{"x":`, 20_000) + "1" + strings.Repeat("}", 20_000) }

func jsonDamages() []damage {
	pod := badPod("bad", secret)
	nested := bytes.Replace(pod, []byte(`"annotations"`), []byte(`"x":`+deep()+`,"annotations"`), 1)
	large := badPod("bad", strings.Repeat(secret, 2*badLimit/len(secret)))
	syntax, limit, stream := isA[*decode.SyntaxError], isA[*decode.LimitError], isA[*decode.StreamError]
	page := func(item []byte) []byte {
		return fmt.Appendf(nil, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"80400"},"items":[%s]}`, item)
	}
	frame := func(object []byte) []byte { return watchtest.Frame("ADDED", object) }
	whole := zipped(append(frame(pod), bytes.Repeat([]byte(" "), 1<<16)...))
	wholeList := zipped(page(pod))
	return []damage{
		{name: "truncated", frame: frame(pod)[:90], list: page(pod)[:150], typed: stream, where: " bytes"},
		{name: "oversized", frame: frame(large), list: page(large), typed: limit, where: "offset"},
		{name: "nested too deep", frame: frame(nested), list: page(nested), typed: limit, where: "offset"},
		{name: "a wrong type", frame: frame([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"n","name":"bad","uid":{"x":"` + secret + `"},"resourceVersion":"80001"}}`)),
			list: page([]byte(`{"metadata":{"namespace":"n","name":"bad","uid":{"x":"` + secret + `"},"resourceVersion":"80001"}}`)), object: true, typed: isA[*decode.ObjectError], where: "offset"},
		{name: "no JSON", frame: []byte(`{"type":"ADDED","object":{"a":` + secret + `}}`), list: page([]byte(`{"a":` + secret + `}`)), typed: syntax, where: "offset"},
		{name: "invalid UTF-8", frame: frame(badPod("bad", "\xff\xfe"+secret)), list: page(badPod("bad", "\xff\xfe"+secret))},
		{name: "lone surrogates", frame: frame(badPod("bad", `\ud800`+secret)), list: page(badPod("bad", `\udc00\ud800`+secret))},
		{name: "HTML", frame: []byte("<html>" + secret + "</html>"), list: []byte("<html>" + secret + "</html>"), typed: syntax, where: "proxy"},
		{name: "gzip that is cut", gzip: true, frame: whole[:len(whole)/2], list: wholeList[:len(wholeList)/2], typed: func(err error) bool {
			return stream(err) || isA[*rawwatch.InflateError](err)
		}, where: " bytes"},
		{name: "gzip that is corrupt", gzip: true, frame: corrupt(whole), list: corrupt(wholeList), typed: isA[*rawwatch.InflateError], where: "before byte"},
		{name: "gzip of another checksum", gzip: true, frame: unchecked(whole), list: unchecked(wholeList), typed: isA[*rawwatch.InflateError], where: "before byte"},
		{name: "gzip that is none", gzip: true, frame: frame(pod), list: page(pod), typed: isA[*rawwatch.InflateError], where: "before byte"},
	}
}

func protobufDamages() []damage {
	syntax, limit, stream, object := isA[*decode.SyntaxError], isA[*decode.LimitError], isA[*decode.StreamError], isA[*decode.ObjectError]
	frame := func(object []byte) []byte { return encode.Frame(nil, "ADDED", object) }
	page := func(items ...[]byte) []byte {
		message := encode.AppendField(nil, 1, field(2, "80400"))
		for _, item := range items {
			message = encode.AppendField(message, 2, item)
		}
		return encode.Wrap(nil, "v1", "PodList", message)
	}
	item := func(meta []byte) []byte { return encode.AppendField(nil, 1, meta) }
	note := func(text string) []byte {
		return wireMeta(encode.AppendField(nil, 12, append(field(1, "x"), field(2, text)...)))
	}
	good := wireMeta()
	large := note(strings.Repeat(secret, 2*badLimit/len(secret)))
	number := bytes.Join([][]byte{field(1, "bad"), field(3, "n"), field(6, "80001"), {5 << 3, 7}}, nil)
	beyond := append(bytes.Clone(good), 12<<3|2, 0x7f)
	whole, wholeList := zipped(frame(wirePod(note(secret)))), zipped(page(item(note(secret))))
	return []damage{
		{name: "truncated", frame: frame(wirePod(note(secret)))[:40], list: page(item(note(secret)))[:50], typed: stream, where: " bytes"},
		{name: "oversized", frame: binary.BigEndian.AppendUint32(nil, badLimit+1), list: page(item(large)), typed: limit, where: "offset"},
		{name: "a wrong wire type", frame: frame(wirePod(number)), list: page(item(number)), object: true, typed: object, where: "offset"},
		{name: "a length beyond the object", frame: frame(wirePod(beyond)), list: page(item(beyond)), object: true, typed: object, where: "offset"},
		{name: "a length beyond the frame", frame: []byte{0, 0, 0, 9, 0x0a, 0x7f, 'A', 'D', 'D', 'E', 'D', 0x12, 0}, list: append(page(), 0x12, 0x7f), typed: func(err error) bool {
			return syntax(err) || stream(err)
		}},
		{name: "invalid UTF-8", frame: frame(wirePod(note("\xff\xfe"))), list: page(item(note("\xff\xfe")))},
		{name: "JSON amid protobuf", frame: append(frame(wirePod(good)), watchtest.Frame("ADDED", badPod("bad", secret))...), list: []byte(`{"kind":"PodList","items":[{"x":` + strconv.Quote(secret) + `}]}`),
			typed: func(err error) bool { return syntax(err) || isA[*decode.NotListError](err) }},
		{name: "HTML", frame: []byte("<html>" + secret + "</html>"), list: []byte("<html>" + secret + "</html>"), typed: syntax, where: "proxy"},
		{name: "gzip that is cut", gzip: true, frame: whole[:len(whole)/2], list: wholeList[:len(wholeList)/2], typed: func(err error) bool {
			return stream(err) || isA[*rawwatch.InflateError](err)
		}, where: " bytes"},
		{name: "gzip that is corrupt", gzip: true, frame: corrupt(whole), list: corrupt(wholeList), typed: isA[*rawwatch.InflateError], where: "before byte"},
		{name: "gzip of another checksum", gzip: true, frame: unchecked(whole), list: unchecked(wholeList), typed: isA[*rawwatch.InflateError], where: "before byte"},
	}
}

// TestBadInput: whatever the bytes of a list or of a watch are, the error names
// the stream and the place and gives nothing away; one object or one stream is
// lost, requests are few, and all is well once the bytes are.
func TestBadInput(t *testing.T) {
	for _, protobuf := range []bool{false, true} {
		all, in := jsonDamages(), "JSON"
		if protobuf {
			all, in = protobufDamages(), "protobuf"
		}
		for _, d := range all {
			d.protobuf = protobuf
			t.Run(in+"/watch/"+d.name, func(t *testing.T) { d.strike(t, "watch", d.frame) })
			t.Run(in+"/list/"+d.name, func(t *testing.T) { d.strike(t, "list", d.list) })
		}
	}
}

// answer is the body with the header that it should have.
func (d *damage) answer(verb string, body []byte) *watchtest.Answer {
	kind := "application/json"
	if d.protobuf {
		kind = "application/vnd.kubernetes.protobuf"
	}
	if verb == "watch" {
		kind += ";stream=watch"
	}
	h := http.Header{"Content-Type": {kind}}
	if d.gzip {
		h.Set("Content-Encoding", "gzip")
	}
	return &watchtest.Answer{Header: h, Body: body}
}

func (d *damage) strike(t *testing.T, verb string, body []byte) {
	o := watchtest.Options{Journal: 100_000}
	if !d.protobuf {
		o.Protobuf = watchtest.ProtobufOff
	}
	encoding := rawwatch.EncodingJSON
	if d.protobuf {
		encoding = rawwatch.EncodingProtobuf
	}
	limits := decode.Options{FrameLimit: badLimit, ItemLimit: badLimit}
	inAnyWorld(t, o, rawwatch.ClientOptions{Decode: limits}, func(w *world) {
		w.create(pods, "n", "a")
		injected := w.server.Inject(watchtest.Fault{Verb: verb, Count: -1, Answer: d.answer(verb, body)})
		w.server.ClearJournal()
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{Encoding: encoding})
		w.pass(10 * time.Minute)
		f.going()
		if n := len(w.server.Journal()); n > 150 {
			w.Errorf("%d requests in ten minutes", n)
		}
		lines, failures := strings.Join(f.took(), "\n"), f.failed()
		d.judge(w, verb, lines, failures)
		if d.object != strings.Contains(lines, "error") {
			w.Errorf("events:\n%s", lines)
		}
		injected.Remove()
		f.newHistory()
		w.server.CutWatches(anyWatch, watchtest.Truncate)
		w.touch(pods, "n", "a", "1")
		w.pass(3 * time.Minute)
		if s := f.reflector.Status(); !s.Synced || !s.Connected || s.Failures != 0 {
			w.Errorf("status afterwards: %+v", s)
		}
	})
}

// judge looks at what was reported.
func (d *damage) judge(w *world, verb, lines string, failures []error) {
	w.Helper()
	var found error
	for _, err := range failures {
		var request *rawwatch.RequestError
		if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), watchtest.DefaultToken) {
			w.Errorf("an error gives away what it must not: %v", err)
		}
		if !errors.As(err, &request) || request.Verb != verb || !strings.Contains(request.URL, "/api/v1/pods") {
			continue
		}
		if d.typed != nil && d.typed(err) && strings.Contains(err.Error(), d.where) {
			found = err
		}
	}
	if d.typed != nil && !d.object && found == nil {
		w.Errorf("no such error among %d: %v", len(failures), failures[:min(2, len(failures))])
	}
}
