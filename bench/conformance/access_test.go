package conformance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
)

const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"

// grant lets the user do what the verbs say with config maps, those of the
// given names if there are any.
func grant(t *testing.T, d *realapi.Direct, u realapi.User, verbs, names []string) {
	t.Helper()
	role := u.Name + "-" + strings.Join(verbs, "-")
	mustWrite(t, d, "POST", roles, named(role, object{"rules": []object{{
		"apiGroups": []string{""}, "resources": []string{"configmaps"}, "verbs": verbs, "resourceNames": names,
	}}}))
	mustWrite(t, d, "POST", roles[:len(roles)-1]+"bindings", named(role, object{
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		"subjects": []object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": u.Name}},
	}))
}

// refused reports whether the server refused the verb with the code.
func refused(verb string, code int) func(error) bool {
	return func(err error) bool {
		var request *rawwatch.RequestError
		var status *decode.StatusError
		return errors.As(err, &request) && request.Verb == verb && request.Code == code &&
			errors.As(err, &status) && status.Status.Code == code
	}
}

// What a server refuses, and what heals it.
func TestAccess(t *testing.T) {
	c, namespace := shared(t)
	mine := configMaps(namespace)
	mustWrite(t, c.Direct(), "POST", mine, named("mine", nil))
	mustWrite(t, c.Direct(), "POST", mine, named("not-mine", nil))
	query := rawwatch.ConfigMaps.InNamespace(namespace)

	// Nothing is allowed, then lists are, then watches too: each time it goes
	// on by itself, and until then the error says what is missing.
	t.Run("forbidden, then granted", func(t *testing.T) {
		t.Parallel()
		f := follow(t, newClient(t, c.As(slowly), rawwatch.ClientOptions{}), query, rawwatch.ListWatchOptions{ListFirst: true})
		err := f.untilFailure(t, "list forbidden", refused("list", 403))
		for _, part := range []string{"list", "configmaps", namespace} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("error %q does not name %s", err, part)
			}
		}
		if f.reflector.Status().Synced {
			t.Error("synced without a list")
		}
		grant(t, c.Direct(), slowly, []string{"list"}, nil)
		f.untilSynced(t, 1)
		f.untilFailure(t, "watch forbidden", refused("watch", 403))
		grant(t, c.Direct(), slowly, []string{"watch"}, nil)
		f.until(t, "an open watch", func() bool { return f.reflector.Status().Connected || f.Counts()["ADDED/stream"] > 0 })
		mustWrite(t, c.Direct(), "POST", mine, named("after-grant", nil))
		f.untilEqual(t, listed(c, query))
	})

	// A rule with resourceNames suffices for one object by name, and allows no
	// more.
	t.Run("one object by name", func(t *testing.T) {
		t.Parallel()
		grant(t, c.Direct(), byName, []string{"list", "watch"}, []string{"mine"})
		client := newClient(t, c.As(byName), rawwatch.ClientOptions{})
		f := follow(t, client, query.Named("mine"), rawwatch.ListWatchOptions{ListFirst: true})
		f.untilSynced(t, 1)
		mustWrite(t, c.Direct(), "PATCH", mine+"/not-mine", object{"data": object{"a": "1"}})
		mustWrite(t, c.Direct(), "PATCH", mine+"/mine", object{"data": object{"a": "1"}})
		f.until(t, "the change", func() bool { return f.Counts()["MODIFIED/stream"] == 1 })
		if s := f.State(); len(s) != 1 || s[namespace+"/mine"] == "" {
			t.Errorf("state %v, want the one object", s)
		}
		all := follow(t, client, query, rawwatch.ListWatchOptions{ListFirst: true})
		all.untilFailure(t, "list forbidden", refused("list", 403))
		f.until(t, "its own watch", func() bool { return f.reflector.Status().Connected })
	})

	t.Run("wrong token", func(t *testing.T) {
		t.Parallel()
		wrong := c.Config()
		wrong.BearerToken = "secret-but-wrong"
		f := follow(t, newClient(t, wrong, rawwatch.ClientOptions{}), query, rawwatch.ListWatchOptions{ListFirst: true})
		err := f.untilFailure(t, "unauthorized", refused("list", 401))
		if strings.Contains(err.Error(), wrong.BearerToken) {
			t.Errorf("the token is in the error: %v", err)
		}
	})

	t.Run("wrong CA", func(t *testing.T) {
		t.Parallel()
		wrong := c.Config()
		wrong.CAFile, wrong.CAData = "", otherCA(t)
		stop := errors.New("seen enough")
		f := follow(t, newClient(t, wrong, rawwatch.ClientOptions{}), query, rawwatch.ListWatchOptions{
			OnFailure: func(error) error { return stop },
		})
		if err := f.ended(); !errors.Is(err, stop) {
			t.Errorf("ended with %v, want what OnFailure returned", err)
		}
		var unknown x509.UnknownAuthorityError
		err := f.untilFailure(t, "unknown authority", func(err error) bool { return errors.As(err, &unknown) })
		if strings.Contains(err.Error(), wrong.BearerToken) {
			t.Errorf("the token is in the error: %v", err)
		}
	})

	// The definition is installed while ListWatch waits for it, and removed
	// under it: its objects are told as deleted, and the state stays visible.
	t.Run("resource that comes and goes", func(t *testing.T) {
		t.Parallel()
		f := follow(t, newClient(t, c.Config(), rawwatch.ClientOptions{}), widgets.Query(), rawwatch.ListWatchOptions{ListFirst: true})
		err := f.untilFailure(t, "not found", func(err error) bool {
			var request *rawwatch.RequestError
			return errors.As(err, &request) && request.Code == 404
		})
		if !strings.Contains(err.Error(), "CustomResourceDefinition") {
			t.Errorf("error %q gives no hint", err)
		}
		installWidgets(t, c.Direct())
		mustWrite(t, c.Direct(), "POST", collection(widgets, "default"), named("w", object{"apiVersion": widgets.Group + "/v1", "kind": "Widget"}))
		f.untilSynced(t, 1)
		f.untilEqual(t, listed(c, widgets.Query()))
		mustWrite(t, c.Direct(), "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets."+widgets.Group, nil)
		f.until(t, "the deletion", func() bool { return len(f.State()) == 0 })
	})

	// A selector that the server cannot parse never heals.
	t.Run("wrong selector", func(t *testing.T) {
		t.Parallel()
		f := follow(t, newClient(t, c.Config(), rawwatch.ClientOptions{}), query.WithField("no.such.field=x"), rawwatch.ListWatchOptions{ListFirst: true})
		if err := f.ended(); !refused("list", 400)(err) {
			t.Errorf("ended with %v, want the server's 400", err)
		}
	})
}

// A watch from the future is accepted by the server and silent; a list from
// the future is refused by a Status that the library recognises.
func TestVersionFromTheFuture(t *testing.T) {
	c, _ := shared(t)
	client := newClient(t, c.Config(), rawwatch.ClientOptions{})
	for e, err := range client.Watch(t.Context(), rawwatch.ConfigMaps.Query(), rawwatch.WatchOptions{ResourceVersion: "99999999", Timeout: 2 * time.Second}) {
		t.Errorf("a watch from the future said %v, %v", e, err)
	}
	_, err := c.Direct().Do(t.Context(), "GET", "/api/v1/configmaps?resourceVersion=99999999", nil)
	var answer *realapi.NotOKError
	if !errors.As(err, &answer) {
		t.Fatalf("a list from the future: %v", err)
	}
	status, ok := decode.ParseStatus(answer.Body)
	if !ok || !status.IsTooLargeResourceVersion() || status.IsExpired() {
		t.Errorf("not recognised: %s", answer.Body)
	}
}

// A kubeconfig file leads to the same server as the Config it was written
// from.
func TestKubeconfigFile(t *testing.T) {
	c, _ := shared(t)
	path, err := c.WriteKubeconfig("admin.kubeconfig", c.Config())
	if err != nil {
		t.Fatal(err)
	}
	config, err := kubeconfig.Load(kubeconfig.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	f := follow(t, newClient(t, config, rawwatch.ClientOptions{}), rawwatch.Namespaces.Query(), rawwatch.ListWatchOptions{ListFirst: true})
	f.untilSynced(t, 1)
	f.untilEqual(t, listed(c, f.query))
}

// otherCA is a certificate authority that has signed nothing.
func otherCA(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nobody's CA"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
