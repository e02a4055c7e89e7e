package watchtest

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	bubble(t, Options{Tokens: map[string]string{"t1": "ann", "t2": "bob"}}, func(t *testing.T, r *rig) {
		for header, want := range map[string]int{"Bearer t1": 200, "bearer t2": 200, "Bearer t3": 401, "Basic t1": 401, "t1": 401} {
			if code, text := r.ask("GET", pods, "", "Authorization", header); code != want {
				t.Errorf("%s: %d %s", header, code, text)
			}
		}
		_, text := r.ask("GET", pods, "", "Authorization", "Bearer t3")
		if text != `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`+"\n" {
			t.Errorf("%s", text)
		}
		r.SetToken("t3", "cleo")
		r.RevokeToken("t1")
		r.ClearJournal()
		r.ask("GET", pods, "", "Authorization", "Bearer t3")
		r.ask("GET", pods, "", "Authorization", "Bearer t1")
		j := r.Journal()
		if len(j) != 2 || j[0].User != "cleo" || j[0].Code != 200 || j[1].User != "" || j[1].Code != 401 {
			t.Errorf("%+v", j)
		}
	})
}

func TestAnonymous(t *testing.T) {
	for anonymous, want := range map[bool]int{false: 401, true: 200} {
		bubble(t, Options{Anonymous: anonymous, Tokens: map[string]string{}}, func(t *testing.T, r *rig) {
			if code, _ := r.ask("GET", "/version", ""); code != want {
				t.Errorf("anonymous %v: %d", anonymous, code)
			}
		})
	}
}

func TestDenials(t *testing.T) {
	bubble(t, Options{Tokens: map[string]string{"t1": "ann", "t2": "bob"}}, func(t *testing.T, r *rig) {
		r.pod("edge", "a")
		const edge = "/api/v1/namespaces/edge/pods"
		as := func(token, method, path string) string {
			code, text := r.ask(method, path, `{}`, "Authorization", "Bearer "+token)
			if code < 400 {
				return fmt.Sprint(code)
			}
			_, message, _ := strings.Cut(text, `"message":"`)
			message, _, _ = strings.Cut(message, `","reason"`)
			return fmt.Sprint(code, " ", strings.ReplaceAll(message, `\"`, `'`))
		}
		lift := r.Deny(Denial{User: "bob", Verb: "list", Resource: "pods"})
		r.Deny(Denial{User: "bob", Verb: "get", Resource: "pods", Namespace: "edge", ExceptName: "a"})
		r.Deny(Denial{User: "bob", Resource: "deployments", Group: "apps"})
		for _, c := range []struct{ token, method, path, want string }{
			{"t1", "GET", edge, "200"},
			{"t2", "GET", edge, "403 pods is forbidden: User 'bob' cannot list resource 'pods' in API group '' in the namespace 'edge'"},
			{"t2", "GET", pods, "403 pods is forbidden: User 'bob' cannot list resource 'pods' in API group '' at the cluster scope"},
			{"t2", "GET", edge + "/a", "200"},
			{"t2", "GET", edge + "/b", "403 pods 'b' is forbidden: User 'bob' cannot get resource 'pods' in API group '' in the namespace 'edge'"},
			{"t2", "PUT", "/apis/apps/v1/namespaces/edge/deployments/x/status", "403 deployments.apps 'x' is forbidden: User 'bob' cannot update resource 'deployments/status' in API group 'apps' in the namespace 'edge'"},
			{"t2", "GET", "/api/v1/nodes", "200"},
			{"t2", "GET", "/version", "200"},
		} {
			if got := as(c.token, c.method, c.path); got != c.want {
				t.Errorf("%s %s: %s, want %s", c.method, c.path, got, c.want)
			}
		}
		lift()
		if got := as("t2", "GET", pods); got != "200" {
			t.Errorf("lifted: %s", got)
		}
		r.Deny(Denial{Verb: "watch", ExceptName: "a"})
		if got := as("t2", "GET", pods+"?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da"); got != "200" {
			t.Errorf("watch of one object: %s", got)
		}
		if got := as("t2", "GET", pods+"?watch=1&timeoutSeconds=1"); !strings.HasPrefix(got, "403") {
			t.Errorf("watch of all: %s", got)
		}
	})
}

func TestClientCertificate(t *testing.T) {
	r := newRig(t, Options{Tokens: map[string]string{}})
	cert, key, err := r.ClientCertificate("node-7")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(r.CAData())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}}
	defer transport.CloseIdleConnections()
	r.client = &http.Client{Transport: transport}
	if code, text := r.ask("GET", pods, ""); code != 200 {
		t.Errorf("%d %s", code, text)
	}
	if user := r.Journal()[0].User; user != "node-7" {
		t.Errorf("user %q", user)
	}
	plain := newRig(t, Options{Mode: MemoryPlain})
	if _, _, err := plain.ClientCertificate("x"); err == nil || plain.CAData() != nil {
		t.Error("a certificate without TLS")
	}
}
