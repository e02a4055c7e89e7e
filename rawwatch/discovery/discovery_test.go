package discovery_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/discovery"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a server and a client of it in one bubble of virtual time.
type world struct {
	*testing.T
	server *watchtest.Server
	client *rawwatch.Client
}

func inWorld(t *testing.T, test func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory})
		defer server.Close()
		client, err := rawwatch.NewClient(server.Config(), rawwatch.ClientOptions{DialContext: server.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		test(&world{t, server, client})
	})
}

func TestFind(t *testing.T) {
	deployments := rawwatch.Deployments
	widgets := rawwatch.Resource{Group: "example.com", Version: "v1alpha1", Name: "widgets", Kind: "Widget"}
	inWorld(t, func(w *world) {
		w.server.Register(watchtest.Resource{Group: "example.com", Version: "v1alpha1", Plural: "widgets", Kind: "Widget", ShortNames: []string{"wd"}})
		for name, want := range map[string]rawwatch.Resource{
			"pods": rawwatch.Pods, "po": rawwatch.Pods, "pod": rawwatch.Pods, "Pod": rawwatch.Pods, "pods.v1": rawwatch.Pods,
			"deploy": deployments, "deployments.apps": deployments, "deployments.v1.apps": deployments, "deploy.apps": deployments,
			"wd": widgets, "widgets.example.com": widgets, "widgets.v1alpha1.example.com": widgets, "nodes": rawwatch.Nodes,
		} {
			got, err := discovery.Find(w.Context(), w.client, name)
			if err != nil || got != want {
				w.Errorf("%s is %+v, %v; want %+v", name, got, err, want)
			}
		}
		for _, name := range []string{"nonsense", "pods.apps", "deployments.v2.apps", "", ".", "deployments.v1"} {
			var unknown *discovery.UnknownResourceError
			if got, err := discovery.Find(w.Context(), w.client, name); !errors.As(err, &unknown) || unknown.Name != name {
				w.Errorf("%q is %+v, %v", name, got, err)
			}
		}
	})
}

// TestFindRetries: a server that is starting is asked again, one that
// refuses is not.
func TestFindRetries(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.Inject(watchtest.Fault{Count: 2, Answer: watchtest.StatusAnswer(watchtest.Failure(503))})
		if got, err := discovery.Find(w.Context(), w.client, "pods"); err != nil || got != rawwatch.Pods {
			w.Errorf("got %+v, %v", got, err)
		}
		w.server.ClearJournal()
		in := w.server.Inject(watchtest.Fault{Count: -1, Answer: watchtest.StatusAnswer(&watchtest.StatusError{Code: 403, Reason: "Forbidden", Message: "no"})})
		var refused *rawwatch.RequestError
		if _, err := discovery.Find(w.Context(), w.client, "pods"); !errors.As(err, &refused) || refused.Code != 403 || len(w.server.Journal()) != 1 {
			w.Errorf("%v after %d requests", err, len(w.server.Journal()))
		}
		in.Remove()
		w.server.Inject(watchtest.Fault{Count: -1, Answer: watchtest.StatusAnswer(watchtest.Failure(503))})
		w.server.ClearJournal()
		if _, err := discovery.Find(w.Context(), w.client, "pods"); !errors.As(err, &refused) || refused.Code != 503 || len(w.server.Journal()) != 4 || !strings.Contains(err.Error(), "/api") {
			w.Errorf("%v after %d requests", err, len(w.server.Journal()))
		}
	})
}

// TestFindWaitsWithinBounds: a server may ask for any patience, and gets what
// is reasonable.
func TestFindWaitsWithinBounds(t *testing.T) {
	for _, asked := range []string{"9223372036854775807", "9223372037", "86400", "-1", "soon"} {
		inWorld(t, func(w *world) {
			answer := watchtest.StatusAnswer(watchtest.Failure(503))
			answer.Header.Set("Retry-After", asked)
			w.server.Inject(watchtest.Fault{Count: 1, Answer: answer})
			begun := time.Now()
			if got, err := discovery.Find(w.Context(), w.client, "pods"); err != nil || got != rawwatch.Pods {
				w.Errorf("asked for %s: got %+v, %v", asked, got, err)
			}
			if waited := time.Since(begun); waited > 12*time.Second {
				w.Errorf("asked for %s: waited %v", asked, waited)
			}
		})
	}
}
