package watchtest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// open sends a GET, for the examples that do not need rawwatch's client.
func open(c *http.Client, url string) io.ReadCloser {
	resp, err := c.Get(url)
	if err != nil {
		panic(err)
	}
	return resp.Body
}

// print writes the type and name of each frame of a watch.
func print(frames io.Reader) {
	lines := bufio.NewScanner(frames)
	for lines.Scan() {
		var frame struct {
			Type   string
			Object struct {
				Metadata struct{ Name, ResourceVersion string }
				Message  string
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &frame); err != nil {
			fmt.Println("not a frame:", lines.Text())
			continue
		}
		what := []string{frame.Type, frame.Object.Metadata.Name, frame.Object.Metadata.ResourceVersion, frame.Object.Message}
		fmt.Println(strings.Join(slices.DeleteFunc(what, func(s string) bool { return s == "" }), " "))
	}
}

func pod(name string) string {
	return `{"metadata":{"namespace":"edge","name":"` + name + `"}}`
}

// A server, an object, and a client of net/http. Package rawwatch's client
// takes s.Config() in its place.
func Example() {
	s := watchtest.NewServer(watchtest.Options{})
	defer s.Close()
	s.Create(watchtest.Pods, pod("a"))

	client := s.Client()
	defer client.CloseIdleConnections()
	body := open(client, s.URL()+"/api/v1/namespaces/edge/pods/a")
	defer body.Close()
	var object struct {
		Kind     string
		Metadata struct{ Name, ResourceVersion string }
	}
	json.NewDecoder(body).Decode(&object)
	fmt.Println(object.Kind, object.Metadata.Name, object.Metadata.ResourceVersion)
	// Output: Pod a 80401
}

func ExampleNewServer_memory() {
	// No sockets: inside synctest.Test this runs on virtual time.
	s := watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory, BookmarkInterval: 700 * time.Millisecond})
	defer s.Close()
	client := s.Client() // dials with s.DialContext
	defer client.CloseIdleConnections()
	body := open(client, s.URL()+"/api/v1/pods?watch=1&allowWatchBookmarks=1&timeoutSeconds=1&resourceVersion=80400")
	defer body.Close()
	print(body)
	// Output: BOOKMARK 80400
}

func ExampleServer_Patch() {
	s := watchtest.NewServer(watchtest.Options{Mode: watchtest.MemoryPlain})
	defer s.Close()
	s.Create(watchtest.Pods, pod("a"))
	o, err := s.Patch(watchtest.Pods, "edge", "a", `{"status":{"phase":"Running"}}`)
	fmt.Println(o.ResourceVersion, strings.Contains(string(o.JSON), `"phase":"Running"`), err)
	_, err = s.Patch(watchtest.Pods, "edge", "b", `{}`)
	fmt.Println(err)
	// Output:
	// 80402 true <nil>
	// watchtest: 404 NotFound: pods "b" not found
}

func ExampleServer_Register() {
	s := watchtest.NewServer(watchtest.Options{Mode: watchtest.MemoryPlain})
	defer s.Close()
	sites := watchtest.Resource{Group: "edge.example.com", Version: "v1", Plural: "sites", Kind: "Site", Fields: []string{"spec.region"}}
	s.Register(sites)
	o, err := s.Create(sites, map[string]any{"metadata": map[string]string{"name": "north"}})
	fmt.Println(o.Name, err, sites.Path(""))
	// Output: north <nil> /apis/edge.example.com/v1/sites
}

// Compaction: a watch from before it is too old, and learns that in its
// first frame.
func ExampleServer_Compact() {
	s := watchtest.NewServer(watchtest.Options{Mode: watchtest.MemoryPlain})
	defer s.Close()
	s.Create(watchtest.Pods, pod("a"))
	s.Create(watchtest.Pods, pod("b"))
	s.Compact(s.Revision())

	client := s.Client()
	defer client.CloseIdleConnections()
	body := open(client, s.URL()+"/api/v1/pods?watch=1&resourceVersion=80401")
	defer body.Close()
	print(body)
	// Output: ERROR too old resource version: 80401 (80402)
}

// A fault: the first list is throttled.
func ExampleServer_Inject() {
	s := watchtest.NewServer(watchtest.Options{})
	defer s.Close()
	s.Inject(watchtest.Fault{Verb: "list", Answer: watchtest.StatusAnswer(watchtest.TooManyRequests(5))})

	client := s.Client()
	defer client.CloseIdleConnections()
	for range 2 {
		resp, err := client.Get(s.URL() + "/api/v1/pods")
		if err != nil {
			panic(err)
		}
		resp.Body.Close()
		fmt.Println(resp.StatusCode, resp.Header.Get("Retry-After"))
	}
	// Output:
	// 429 5
	// 200
}

// A watch that is cut in the middle of its second frame.
func ExampleServer_Inject_cut() {
	s := watchtest.NewServer(watchtest.Options{})
	defer s.Close()
	s.Create(watchtest.Pods, pod("a"))
	s.Create(watchtest.Pods, pod("b"))
	s.Inject(watchtest.Fault{Verb: "watch", Cut: watchtest.Truncate, AfterFrames: 1, AfterBytes: 20})

	client := s.Client()
	defer client.CloseIdleConnections()
	body := open(client, s.URL()+"/api/v1/pods?watch=1")
	defer body.Close()
	print(body)
	// Output:
	// ADDED a 80401
	// not a frame: {"type":"ADDED","obj
}

// A frame that no API server would send, in a live watch.
func ExampleServer_SendFrame() {
	s := watchtest.NewServer(watchtest.Options{})
	defer s.Close()
	client := s.Client()
	defer client.CloseIdleConnections()
	body := open(client, s.URL()+"/api/v1/pods?watch=1&resourceVersion=80400")
	defer body.Close()

	live := watchtest.Selector{Resource: "pods"}
	if err := s.AwaitWatches(context.Background(), live, 1); err != nil {
		panic(err)
	}
	s.SendFrame(live, watchtest.Frame("BOOKMARK", []byte(`{"kind":"Pod","metadata":{}}`)))
	s.Create(watchtest.Pods, pod("a"))
	s.CutWatches(live, watchtest.Truncate)
	print(body)
	// Output:
	// BOOKMARK
	// ADDED a 80401
}

func ExampleServer_Journal() {
	s := watchtest.NewServer(watchtest.Options{Tokens: map[string]string{"secret": "ann"}})
	defer s.Close()
	client := s.Client()
	defer client.CloseIdleConnections()
	open(client, s.URL()+"/api/v1/namespaces/edge/pods?limit=500").Close()
	for _, r := range s.Journal() {
		fmt.Println(r.User, r.Verb, r.Resource, r.Namespace, r.Query.Get("limit"), r.Proto, r.Code)
	}
	// Output: ann list pods edge 500 HTTP/2.0 200
}

// What a user with too few rights sees.
func ExampleServer_Deny() {
	s := watchtest.NewServer(watchtest.Options{})
	defer s.Close()
	lift := s.Deny(watchtest.Denial{Verb: "list", Resource: "secrets"})
	client := s.Client()
	defer client.CloseIdleConnections()
	for range 2 {
		body := open(client, s.URL()+"/api/v1/secrets")
		var answer struct{ Kind, Message string }
		json.NewDecoder(body).Decode(&answer)
		body.Close()
		fmt.Println(answer.Kind, answer.Message)
		lift()
	}
	// Output:
	// Status secrets is forbidden: User "admin" cannot list resource "secrets" in API group "" at the cluster scope
	// SecretList
}

// After a restart the objects are there, but no history.
func ExampleServer_Restart() {
	s := watchtest.NewServer(watchtest.Options{Mode: watchtest.MemoryPlain})
	defer s.Close()
	s.Create(watchtest.Pods, pod("a"))
	s.Create(watchtest.Pods, pod("b"))
	s.Restart()
	client := s.Client()
	defer client.CloseIdleConnections()
	body := open(client, s.URL()+"/api/v1/pods?watch=1&resourceVersion=80401")
	defer body.Close()
	print(body)
	// Output: ERROR too old resource version: 80401 (80402)
}
