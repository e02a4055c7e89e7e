package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

func TestUsageErrors(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string // a part of what stderr says
	}{
		{[]string{"list"}, "name a resource"},
		{[]string{"watch"}, "name a resource"},
		{[]string{"list", "pods", "-o", "yaml"}, "name, wide and json"},
		{[]string{"watch", "pods", "-o", "yaml"}, "name, wide and json"},
		{[]string{"list", "pods", "--chunk-size", "-1"}, "--chunk-size"},
		{[]string{"list", "pods", "--chunk-size", "many"}, "--chunk-size"},
		{[]string{"list", "pods", "--encoding", "xml"}, "auto, json, protobuf"},
		{[]string{"watch", "pods", "--link", "tin"}, "average, metered, lan"},
		{[]string{"list", "pods,nodes"}, "one resource"},
		{[]string{"list", "pods", ""}, "is empty"},
		{[]string{"watch", "pods", ""}, "is empty"},
		{[]string{"list", "pods", "--colour"}, "--colour"},
		{[]string{"list", "pods", "--request-timeout", "soon"}, "--request-timeout"},
		{[]string{"lsit", "pods"}, "did you mean list?"},
		{[]string{"demo", "fast"}, "no arguments"},
		{[]string{"demo", "--pause", "-1s"}, "--pause"},
		{[]string{"config", "veiw"}, "did you mean view?"},
		{[]string{"config", "view", "-o", "toml"}, "yaml and json"},
		{[]string{"version", "please"}, "no arguments"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got := invoke(t, test.args...)
			if got.code != exitUsage {
				t.Errorf("exit code %d, want %d", got.code, exitUsage)
			}
			if got.stdout != "" {
				t.Errorf("stdout has %q", got.stdout)
			}
			if !strings.Contains(strings.ToLower(got.stderr), test.want) || !strings.Contains(got.stderr, "--help") {
				t.Errorf("stderr is %q, want %q and where to find help", got.stderr, test.want)
			}
		})
	}
}

// foreign answers everything in one way.
func foreign(t *testing.T, code int, contentType, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		// What a careless proxy does.
		_, _ = fmt.Fprint(w, strings.ReplaceAll(body, "ECHO", r.Header.Get("Authorization")))
	}))
	t.Cleanup(server.Close)
	return writeConfig(t, &kubeconfig.Config{Server: server.URL, BearerToken: plantedToken})
}

// closedPort is an address at which nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestBadInput runs list and watch against everything that a person has to
// mend: one message that says what, where and what to do, exit code 1, and no
// credential.
func TestBadInput(t *testing.T) {
	server, good := startServer(t)
	otherCA := httptest.NewUnstartedServer(http.NotFoundHandler())
	otherCA.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of clients that do not trust it
	otherCA.StartTLS()
	t.Cleanup(otherCA.Close)
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("clusters: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	unreachable := "https://" + closedPort(t)
	status := func(code int, reason string) string {
		return foreign(t, code, "application/json", fmt.Sprintf(
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":%q,"code":%d}`, reason, code))
	}
	const page = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`
	huge := page + `{"metadata":{"name":"a","namespace":"shop","annotations":{"a":"` + strings.Repeat("x", 17<<20) + `"}}}]}`
	wrongCA := *server.Config()
	wrongCA.Server, wrongCA.BearerToken = otherCA.URL, plantedToken
	wrongToken := *server.Config()
	wrongToken.BearerToken = plantedToken + "-expired"

	for _, test := range []struct {
		name string
		args []string
		want []string // what, where, what to do
	}{
		{"broken kubeconfig", []string{"--kubeconfig", broken}, []string{broken}},
		{"missing kubeconfig", []string{"--kubeconfig", missing}, []string{missing}},
		{"unknown context", []string{"--kubeconfig", good, "--context", "nowhere"}, []string{"nowhere", good}},
		{"unreachable", []string{"--kubeconfig", good, "-s", unreachable}, []string{"refused", unreachable, "is the server running"}},
		{"wrong CA", []string{"--kubeconfig", writeConfig(t, &wrongCA)}, []string{"certificate", otherCA.URL, "certificate-authority"}},
		{"plain HTTP", []string{"--kubeconfig", good, "-s", strings.Replace(foreignURL(t), "http:", "https:", 1)}, []string{"https://", "http://?"}},
		{"wrong token", []string{"--kubeconfig", writeConfig(t, &wrongToken)}, []string{"401", server.Config().Server, "check the token"}},
		{"forbidden", []string{"--kubeconfig", status(403, "Forbidden")}, []string{"403", "/namespaces/shop/pods", "grant the verb ", " on pods in namespace shop"}},
		{"not served", []string{"--kubeconfig", status(404, "NotFound")}, []string{"404", "/pods", "does not serve pods"}},
		{"wrong selector", []string{"--kubeconfig", status(400, "BadRequest"), "-l", "a in"}, []string{"400", "/pods", "--field-selector"}},
		{"HTML", []string{"--kubeconfig", foreign(t, 200, "text/html", "<html>Please log in, ECHO</html>")}, []string{"text/html", "http://127.0.0.1", "check the address"}},
		{"no list", []string{"--kubeconfig", foreign(t, 200, "application/json", `{"hello":"world"}`)}, []string{"decode: ", "http://127.0.0.1"}},
		{"no JSON", []string{"--kubeconfig", foreign(t, 200, "application/json", `nonsense`)}, []string{"want", "http://127.0.0.1"}},
		{"over the limit", []string{"--kubeconfig", foreign(t, 200, "application/json", huge)}, []string{"larger than", "http://127.0.0.1", "narrow"}},
	} {
		for _, command := range []string{"list", "watch"} {
			t.Run(test.name+"/"+command, func(t *testing.T) {
				got := invoke(t, append([]string{command, "pods"}, test.args...)...)
				checkFailure(t, got, test.want)
			})
		}
	}
	t.Run("unknown resource", func(t *testing.T) {
		for _, command := range []string{"list", "watch"} {
			got := invoke(t, command, "widgets", "--kubeconfig", good)
			checkFailure(t, got, []string{`"widgets"`, "api-resources"})
		}
	})
}

func checkFailure(t *testing.T, got answer, want []string) {
	t.Helper()
	if got.code != exitFailure {
		t.Errorf("exit code %d, want %d", got.code, exitFailure)
	}
	if got.stdout != "" {
		t.Errorf("stdout has %q", got.stdout)
	}
	for _, part := range want {
		if !strings.Contains(got.stderr, part) {
			t.Errorf("stderr does not say %q:\n%s", part, got.stderr)
		}
	}
	if n := strings.Count(got.stderr, "error: "); n != 1 || strings.Contains(got.stderr, "goroutine ") {
		t.Errorf("%d messages, want one, without a stack:\n%s", n, got.stderr)
	}
}

func foreignURL(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	return server.URL
}
