package watchtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// rig is a server and a client for it.
type rig struct {
	*Server
	t      *testing.T
	client *http.Client
	accept string // sent where a test says nothing else
}

func newRig(t *testing.T, o Options) *rig {
	t.Helper()
	s := NewServer(o)
	client := s.Client()
	r := &rig{Server: s, t: t, client: client}
	t.Cleanup(func() {
		r.client.CloseIdleConnections()
		s.Close()
	})
	return r
}

// reconnect forgets the client's connections: after a restart it may take it
// a moment to see that they are broken.
func (r *rig) reconnect() {
	r.client.CloseIdleConnections()
	r.client = r.Client()
}

// do sends a request; headers are pairs.
func (r *rig) do(ctx context.Context, method, path, body string, header ...string) *http.Response {
	r.t.Helper()
	resp, err := r.try(ctx, method, path, body, header...)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

func (r *rig) try(ctx context.Context, method, path, body string, header ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.base()+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return r.client.Do(req)
}

// ask sends a request and reads the whole answer, as JSON.
func (r *rig) ask(method, path, body string, header ...string) (int, string) {
	r.t.Helper()
	resp := r.do(r.t.Context(), method, path, body, header...)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("%s %s: body: %v", method, path, err)
	}
	if resp.Header.Get("Content-Type") == typeProtobuf {
		if raw, err = decode.ToJSON(nil, raw); err != nil {
			r.t.Fatalf("%s %s: body: %v", method, path, err)
		}
	}
	return resp.StatusCode, string(raw)
}

// pass lets virtual time pass.
func (r *rig) pass(d time.Duration) { <-time.After(d) }

func (r *rig) pod(namespace, name string, more ...string) Object {
	r.t.Helper()
	o, err := r.Create(Pods, podText(namespace, name, more...))
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}

func podText(namespace, name string, more ...string) string {
	text := fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q,"labels":{"app":"web"}}`, namespace, name)
	return text + strings.Join(more, "") + "}"
}

// frameOf is what tests look at in a frame.
type frameOf struct {
	Type   string
	Object struct {
		Kind, APIVersion string
		Metadata         struct {
			Name, Namespace, UID, ResourceVersion string
			Annotations                           map[string]string
		}
		Code    int
		Reason  string
		Message string
	}
	raw string
}

func (f frameOf) String() string {
	if f.Type == "ERROR" {
		return fmt.Sprintf("ERROR %d", f.Object.Code)
	}
	return strings.TrimSpace(f.Type + " " + f.Object.Metadata.Name)
}

// feed reads the frames of a watch.
type feed struct {
	t    *testing.T
	resp *http.Response
	in   *bufio.Reader
	stop context.CancelFunc
}

// watch opens a watch; the query follows "watch=1".
func (r *rig) watch(path, query string, header ...string) *feed {
	r.t.Helper()
	ctx, stop := context.WithCancel(r.t.Context())
	resp := r.do(ctx, "GET", path+"?watch=1"+query, "", header...)
	if resp.StatusCode != 200 {
		raw, _ := io.ReadAll(resp.Body)
		r.t.Fatalf("watch %s%s: %d %s", path, query, resp.StatusCode, raw)
	}
	return &feed{r.t, resp, bufio.NewReader(resp.Body), stop}
}

func (f *feed) close() {
	f.stop()
	f.resp.Body.Close()
}

func (f *feed) read() (frameOf, error) {
	if f.resp.Header.Get("Content-Type") == typeProtobufStream {
		return f.readProtobuf()
	}
	line, err := f.in.ReadBytes('\n')
	if err != nil {
		return frameOf{raw: string(line)}, err
	}
	var frame frameOf
	if err := json.Unmarshal(bytes.TrimSpace(line), &frame); err != nil {
		return frame, fmt.Errorf("%w: %s", err, line)
	}
	frame.raw = string(line)
	return frame, nil
}

// readProtobuf reads a frame in protobuf; raw is what it would be in JSON.
func (f *feed) readProtobuf() (frameOf, error) {
	size, err := f.bytes(4)
	if err != nil {
		return frameOf{raw: string(size)}, err
	}
	event, err := f.bytes(int(binary.BigEndian.Uint32(size)))
	if err != nil {
		return frameOf{raw: string(size) + string(event)}, err
	}
	object, err := decode.ToJSON(nil, event[max(0, bytes.Index(event, []byte("k8s\x00"))):])
	if err != nil {
		return frameOf{raw: string(event)}, fmt.Errorf("%w: %q", err, event)
	}
	frame := frameOf{raw: `{"type":"` + string(event[2:2+event[1]]) + `","object":` + string(object) + "}\n"}
	return frame, json.Unmarshal([]byte(frame.raw), &frame)
}

// bytes reads n bytes; the error is what ended the body before.
func (f *feed) bytes(n int) ([]byte, error) {
	b := make([]byte, n)
	for at := 0; at < n; {
		k, err := f.in.Read(b[at:])
		if at += k; err != nil {
			return b[:at], err
		}
	}
	return b, nil
}

// next returns the next frame.
func (f *feed) next() frameOf {
	f.t.Helper()
	frame, err := f.read()
	if err != nil {
		f.t.Fatalf("next frame: %v", err)
	}
	return frame
}

// want checks the next frames by their String.
func (f *feed) want(frames ...string) {
	f.t.Helper()
	for _, want := range frames {
		if got := f.next().String(); got != want {
			f.t.Fatalf("frame %q, want %q", got, want)
		}
	}
}

// end checks that the stream ends cleanly now.
func (f *feed) end() {
	f.t.Helper()
	if frame, err := f.read(); err != io.EOF {
		f.t.Fatalf("after the end: %v, %v (%s)", frame, err, frame.raw)
	}
	f.close()
}
