package rawwatch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

func TestDiscover(t *testing.T) {
	deployments := rawwatch.Deployments
	widgets := rawwatch.Resource{Group: "example.com", Version: "v1alpha1", Name: "widgets", Kind: "Widget"}
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Register(watchtest.Resource{Group: "example.com", Version: "v1alpha1", Plural: "widgets", Kind: "Widget", ShortNames: []string{"wd"}})
		for name, want := range map[string]rawwatch.Resource{
			"pods": rawwatch.Pods, "po": rawwatch.Pods, "pod": rawwatch.Pods, "Pod": rawwatch.Pods, "pods.v1": rawwatch.Pods,
			"deploy": deployments, "deployments.apps": deployments, "deployments.v1.apps": deployments, "deploy.apps": deployments,
			"wd": widgets, "widgets.example.com": widgets, "widgets.v1alpha1.example.com": widgets, "nodes": rawwatch.Nodes,
		} {
			got, err := w.client.Discover(w.Context(), name)
			if err != nil || got != want {
				w.Errorf("%s is %+v, %v; want %+v", name, got, err, want)
			}
		}
		for _, name := range []string{"nonsense", "pods.apps", "deployments.v2.apps", "", ".", "deployments.v1"} {
			var unknown *rawwatch.UnknownResourceError
			if got, err := w.client.Discover(w.Context(), name); !errors.As(err, &unknown) || unknown.Name != name {
				w.Errorf("%q is %+v, %v", name, got, err)
			}
		}
	})
}

// TestDiscoverRetries: a server that is starting is asked again, one that
// refuses is not.
func TestDiscoverRetries(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Inject(watchtest.Fault{Count: 2, Answer: watchtest.StatusAnswer(watchtest.Failure(503))})
		if got, err := w.client.Discover(w.Context(), "pods"); err != nil || got != rawwatch.Pods {
			w.Errorf("got %+v, %v", got, err)
		}
		w.server.ClearJournal()
		in := w.server.Inject(watchtest.Fault{Count: -1, Answer: watchtest.StatusAnswer(&watchtest.StatusError{Code: 403, Reason: "Forbidden", Message: "no"})})
		var refused *rawwatch.RequestError
		if _, err := w.client.Discover(w.Context(), "pods"); !errors.As(err, &refused) || refused.Code != 403 || len(w.server.Journal()) != 1 {
			w.Errorf("%v after %d requests", err, len(w.server.Journal()))
		}
		in.Remove()
		w.server.Inject(watchtest.Fault{Count: -1, Answer: watchtest.StatusAnswer(watchtest.Failure(503))})
		w.server.ClearJournal()
		if _, err := w.client.Discover(w.Context(), "pods"); !errors.As(err, &refused) || refused.Code != 503 || len(w.server.Journal()) != 4 || !strings.Contains(err.Error(), "/api") {
			w.Errorf("%v after %d requests", err, len(w.server.Journal()))
		}
	})
}
