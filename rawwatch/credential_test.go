package rawwatch_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// withTokenFile runs the test in a bubble with a client whose token is in a
// file.
func withTokenFile(t *testing.T, test func(w *world, file string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory, Protobuf: watchtest.ProtobufOff, Tokens: map[string]string{"first-s3cret": "agent"}})
		defer server.Close()
		file := filepath.Join(t.TempDir(), "token")
		writeToken(t, file, "first-s3cret\n")
		config := server.Config()
		config.BearerToken, config.BearerTokenFile = "", file
		client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{DialContext: server.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		test(&world{T: t, server: server, client: client}, file)
	})
}

func writeToken(t *testing.T, file, token string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRotatedToken: the token is replaced while a watch is open. The next
// request is refused, the file read again, and the same request sent once
// more, before anybody hears of it.
func TestRotatedToken(t *testing.T) {
	withTokenFile(t, func(w *world, file string) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		var once sync.Once
		w.server.Inject(watchtest.Fault{Verb: "watch", Count: -1, Match: func(*http.Request) bool {
			// The request is under way with the old token when the new one comes.
			once.Do(func() { writeToken(w.T, file, "second-s3cret") })
			return false
		}})
		w.server.SetToken("second-s3cret", "agent")
		w.server.RevokeToken("first-s3cret")
		w.server.ClearJournal()
		w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
		a := w.create(pods, "n", "a")
		w.pass(10 * time.Second)
		f.expectState(a)
		if all := f.failed(); len(all) != 0 {
			w.Errorf("failures were reported: %v", all)
		}
		codes := ""
		for _, r := range w.server.Journal() {
			codes += r.Verb + map[int]string{200: " ok, ", 401: " refused, "}[r.Code]
		}
		if codes != "watch refused, watch ok, " {
			w.Errorf("requests: %s", codes)
		}
	})
}

// TestTokenThatStaysWrong: one more attempt, then backoff, with an error that
// says what to do and not what the token is.
func TestTokenThatStaysWrong(t *testing.T) {
	withTokenFile(t, func(w *world, file string) {
		w.server.RevokeToken("first-s3cret")
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(5 * time.Minute)
		if n := len(w.server.Journal()); n > 40 {
			w.Errorf("%d requests in five minutes", n)
		}
		e := failure[*rawwatch.RequestError](f)
		if e.Code != 401 || !strings.Contains(e.Error(), "check the token") || strings.Contains(e.Error(), "s3cret") {
			w.Errorf("reported %v", e)
		}
		w.server.SetToken("first-s3cret", "agent")
		w.pass(time.Minute)
		f.expect("SYNCED list")
	})
}

// TestSlowPlugin: the time that a person takes to log in is not the server's.
func TestSlowPlugin(t *testing.T) {
	server := watchtest.NewServer(watchtest.Options{Mode: watchtest.TLS, Tokens: map[string]string{"first-s3cret": "agent"}})
	defer server.Close()
	const v1 = "client.authentication.k8s.io/v1"
	config := *server.Config()
	config.BearerToken = ""
	config.Exec = &kubeconfig.ExecConfig{APIVersion: v1, InteractiveMode: "Never", Command: "sh", Args: []string{"-c",
		`sleep 1; echo '{"kind":"ExecCredential","apiVersion":"` + v1 + `","status":{"token":"first-s3cret"}}'`}}
	client := newClient(t, config.WithProviders(), rawwatch.ClientOptions{HeaderTimeout: 500 * time.Millisecond})
	for _, err := range client.List(t.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
		t.Error(err)
	}
	// With the credential at hand, the server has its bound.
	server.Inject(watchtest.Fault{Hold: true})
	var late *rawwatch.TimeoutError
	for _, err := range client.List(t.Context(), rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
		if !errors.As(err, &late) {
			t.Error(err)
		}
	}
	if late == nil {
		t.Error("the wait for headers has no bound")
	}
}
