package negotiation

import (
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

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// server is one of the two.
type server interface {
	open(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error)
}

type realServer struct{ *realapi.Direct }

func (s realServer) open(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	return s.Open(ctx, method, path, header, body)
}

type fakeServer struct {
	*watchtest.Server
	client *http.Client
}

func (s fakeServer) open(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.URL()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	return s.client.Do(r)
}

// both starts the two servers and fills them with the same objects.
func both(t *testing.T) (actual, fake server) {
	t.Helper()
	cluster := realapi.Start(t, realapi.Options{})
	direct := cluster.Direct()
	s := watchtest.NewServer(watchtest.Options{})
	t.Cleanup(s.Close)
	s.Register(widgets)
	actual, fake = realServer{direct}, fakeServer{s, s.Client()}
	for _, o := range objects {
		for _, to := range []server{actual, fake} {
			if to == fake && o.onlyReal {
				continue
			}
			create(t, to, o.path, o.text)
		}
	}
	return actual, fake
}

// create retries while a new CustomResourceDefinition is not served yet.
func create(t *testing.T, to server, path, text string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		resp, err := to.open(t.Context(), "POST", path, http.Header{"Content-Type": {"application/json"}}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == http.StatusCreated {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("POST %s: %d %s", path, resp.StatusCode, answer)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// answer is what the two must agree on.
type answer struct {
	code        int
	contentType string
	body        string // a summary
}

func ask(ctx context.Context, to server, path, accept string) (answer, error) {
	header := http.Header{}
	if accept != "" {
		header.Set("Accept", accept)
	}
	resp, err := to.open(ctx, "GET", path, header, nil)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{code: resp.StatusCode, contentType: resp.Header.Get("Content-Type")}
	if resp.StatusCode == http.StatusOK && strings.Contains(path, "watch=") {
		a.body, err = frames(raw, a.contentType)
	} else {
		a.body, err = summary(raw)
	}
	return a, err
}

// frames is a summary of each frame.
func frames(raw []byte, contentType string) (string, error) {
	var all []string
	for len(raw) > 0 {
		eventType, body := "", []byte(nil)
		if contentType == "application/json" {
			line, rest, _ := bytes.Cut(raw, []byte("\n"))
			var frame struct {
				Type   string
				Object json.RawMessage
			}
			if err := json.Unmarshal(line, &frame); err != nil {
				return "", fmt.Errorf("%w: %s", err, line)
			}
			eventType, body, raw = frame.Type, frame.Object, rest
		} else {
			end := 4 + int(binary.BigEndian.Uint32(raw))
			eventType, body = string(raw[6:6+raw[5]]), raw[bytes.Index(raw, []byte("k8s\x00")):end]
			raw = raw[end:]
		}
		object, err := summary(body)
		if err != nil {
			return "", err
		}
		if eventType == "BOOKMARK" && !strings.HasSuffix(object, "true") {
			continue // when these come is a matter of time
		}
		all = append(all, eventType+" "+object)
	}
	return strings.Join(all, "\n"), nil
}

// summary is what is in an object: its kind and names, a Status whole, a Table
// with its columns and cells. Ages and versions differ and are left out.
func summary(raw []byte) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	text, err := decode.ToJSON(nil, raw)
	if err != nil {
		return "", fmt.Errorf("%w: %q", err, raw)
	}
	form := ""
	switch {
	case raw[0] == 'k':
		form = "protobuf "
	case bytes.Contains(raw, []byte("\n  ")):
		form = "indented "
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		return string(raw), nil // plain text
	}
	switch o.Kind {
	case "Status":
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			return "", err
		}
		return form + compact.String(), nil
	case "Table":
		return form + o.table(), nil
	}
	names := o.Metadata.Name
	for _, item := range o.Items {
		names += " " + item.Kind + "/" + item.APIVersion + "/" + item.Metadata.Name
	}
	marked := o.Metadata.Annotations["k8s.io/initial-events-end"]
	return fmt.Sprintf("%s%s %s %s spec:%v %s", form, o.APIVersion, o.Kind, names, len(o.Spec) > 0, marked), nil
}

type object struct {
	Kind, APIVersion string
	Metadata         struct {
		Name        string
		Annotations map[string]string
	}
	Spec  map[string]any
	Items []object

	ColumnDefinitions []struct {
		Name, Type, Format string
		Priority           int
	}
	Rows []struct {
		Cells  []any
		Object *object
	}
}

func (o *object) table() string {
	text := o.APIVersion + " Table"
	age := -1
	for i, c := range o.ColumnDefinitions {
		text += fmt.Sprintf(" %s/%s/%s/%d", c.Name, c.Type, c.Format, c.Priority)
		if c.Name == "Age" {
			age = i
		}
	}
	for _, r := range o.Rows {
		for i, cell := range r.Cells {
			if s, ok := cell.(string); i == age || ok && (strings.HasSuffix(s, "s") && len(s) < 4) {
				cell = "age"
			}
			text += fmt.Sprintf(" [%v]", cell)
		}
		if r.Object != nil {
			text += " " + r.Object.APIVersion + " " + r.Object.Kind + " " + r.Object.Metadata.Name + r.Object.Metadata.Annotations["k8s.io/initial-events-end"]
		}
	}
	return text
}
