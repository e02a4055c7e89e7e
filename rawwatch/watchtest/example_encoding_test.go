package watchtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// askFor sends a request with an Accept header.
func askFor(client *http.Client, url, accept string) (*http.Response, []byte) {
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Accept", accept)
	resp, err := client.Do(r)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(err)
	}
	return resp, body
}

// The client asks for protobuf first; a server that has none falls back to
// what comes next.
func ExampleProtobufMode() {
	for _, mode := range []watchtest.ProtobufMode{watchtest.ProtobufOn, watchtest.ProtobufOff, watchtest.ProtobufUnsupported} {
		s := watchtest.NewServer(watchtest.Options{Protobuf: mode})
		client := s.Client()
		resp, _ := askFor(client, s.URL()+"/api/v1/pods", "application/vnd.kubernetes.protobuf, application/json")
		fmt.Println(resp.StatusCode, resp.Header.Get("Content-Type"))
		client.CloseIdleConnections()
		s.Close()
	}
	// Output:
	// 200 application/vnd.kubernetes.protobuf
	// 200 application/json
	// 415 application/json
}

// A list that never ends: each page is the first one.
func ExampleLie() {
	s := watchtest.NewServer(watchtest.Options{})
	defer s.Close()
	s.Create(watchtest.Pods, pod("a"))
	s.Inject(watchtest.Fault{Verb: "list", Count: -1, Lie: watchtest.SamePage})
	client := s.Client()
	defer client.CloseIdleConnections()
	token := ""
	for range 3 {
		_, body := askFor(client, s.URL()+"/api/v1/pods?limit=500&continue="+token, "application/json")
		var list struct {
			Metadata struct{ Continue string }
			Items    []struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal(body, &list); err != nil {
			panic(err)
		}
		token = list.Metadata.Continue
		fmt.Println(list.Items[0].Metadata.Name, token)
	}
	// Output:
	// a dGhlIHNhbWUgcGFnZQ
	// a dGhlIHNhbWUgcGFnZQ
	// a dGhlIHNhbWUgcGFnZQ
}
