package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// TestInformerBesideClientGo: through churn, a cut network and a lost history,
// informers of rawwatch and client-go's SharedIndexInformer hold the same
// objects and the same indexes, and their handlers, late ones too, are told the
// same; while the stream lasts, word for word.
func TestInformerBesideClientGo(t *testing.T) {
	s := &suite{t: t, seed: seed(t), history: newHistory(t), cluster: realapi.Start(t, realapi.Options{})}
	s.random = rand.New(rand.NewPCG(s.seed, 7))
	mustWrite(t, s.cluster.Direct(), "POST", "/api/v1/namespaces", named("elsewhere", nil))
	installWidgets(t, s.cluster.Direct())
	s.write(150, func() {})
	client := newClient(t, s.cluster.Config(), rawwatch.ClientOptions{DialContext: s.network.DialContext})
	group := rawwatch.NewGroup(client, rawwatch.GroupOptions{ListWatch: rawwatch.ListWatchOptions{PageLimit: 7, Backoff: eager.Backoff}})
	t.Cleanup(func() {
		if err := group.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var pairs []*pair
	for _, k := range kinds {
		pairs = append(pairs, newPair(t, s.cluster, group, k.resource.Query()))
	}
	pairs = append(pairs, newPair(t, s.cluster, group, rawwatch.ConfigMaps.InNamespace("elsewhere").WithLabel("color=red")))
	level := func(what string) {
		t.Helper()
		for _, p := range pairs {
			p.level(t, s, what)
		}
	}
	level("the beginning")
	for round, disturb := range []struct {
		name   string
		do     func()
		unseen bool // not every change is seen
	}{
		{"churn", func() {}, false},
		{"the network is cut", s.network.Cut, false},
		{"cut off, compacted, restarted", s.cutOff, true},
		{"churn after all", func() {}, false},
	} {
		for _, p := range pairs {
			p.begin(t)
		}
		s.write(300, disturb.do)
		level(disturb.name)
		for _, p := range pairs {
			p.sameStory(t, fmt.Sprint(round, ": ", disturb.name), disturb.unseen)
		}
	}
	relists := 0
	for _, status := range group.Statuses() {
		relists += status.Lists - 1
	}
	if relists == 0 {
		t.Error("no relist was provoked")
	}
	t.Logf("%d relists", relists)
}

// lean is a second T of each query: of metadata alone.
type lean struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
}

// pair is one query, as both have it.
type pair struct {
	query rawwatch.Query
	raw   *rawwatch.Informer[rawwatch.RawObject]
	lean  *rawwatch.Informer[lean]
	start func() *running // client-go's
	now   *running

	narrators []*narrator // of ours; the last one is client-go's
	cutShort  bool        // client-go's was restarted in this round
}

const byColor = "color"

func newPair(t *testing.T, c *realapi.Cluster, g *rawwatch.Group, q rawwatch.Query) *pair {
	t.Helper()
	p := &pair{query: q}
	var err error
	p.raw, _, err = rawwatch.Shared(g, q, rawwatch.InformerOptions[rawwatch.RawObject]{StoreOptions: rawwatch.StoreOptions[rawwatch.RawObject]{
		Keep: keepJSON, KeepLabels: true,
		Indexers: rawwatch.Indexers[rawwatch.RawObject]{byColor: rawwatch.IndexByLabel[rawwatch.RawObject]("color")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.lean, _, err = rawwatch.Shared(g, q, rawwatch.InformerOptions[lean]{StoreOptions: rawwatch.StoreOptions[lean]{
		Indexers: rawwatch.Indexers[lean]{byColor: rawwatch.IndexByLabel[lean]("color")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	config := c.Config()
	client, err := dynamic.NewForConfig(&rest.Config{
		Host: config.Server, BearerToken: config.BearerToken, TLSClientConfig: rest.TLSClientConfig{CAFile: config.CAFile}, QPS: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.start = func() *running {
		indexers := cache.Indexers{byColor: func(o any) ([]string, error) {
			if color, ok := o.(*unstructured.Unstructured).GetLabels()["color"]; ok {
				return []string{color}, nil
			}
			return nil, nil
		}}
		selected := func(o *metav1.ListOptions) { o.LabelSelector = q.LabelSelector }
		return run(t, dynamicinformer.NewFilteredDynamicInformer(client, gvr(q.Resource), q.Namespace, 0, indexers, selected).Informer(), new(Beat))
	}
	p.now = p.start()
	t.Cleanup(func() { p.now.stop() })
	return p
}

// keepJSON keeps a whole object as JSON, whatever it came in.
func keepJSON(o rawwatch.Object, into *rawwatch.RawObject) error {
	text, err := o.JSON()
	*into = rawwatch.RawObject{APIVersion: o.APIVersion, Kind: o.Kind, Raw: text}
	return err
}

// begin lets new subscribers listen: late ones, all but in the first round.
func (p *pair) begin(t *testing.T) {
	t.Helper()
	p.narrators, p.cutShort = nil, false
	for _, d := range []rawwatch.Delivery{rawwatch.PushBack, rawwatch.Coalesce} {
		p.narrators = append(p.narrators, subscribe(t, p.raw, d), subscribe(t, p.lean, d))
	}
	n := newNarrator("client-go", rawwatch.PushBack)
	registration, err := p.now.informer.AddEventHandler(n.callbacks())
	if err != nil {
		t.Fatal(err)
	}
	p.narrators = append(p.narrators, n)
	eventually(t, "all subscribers have their first state", func(context.Context) error {
		if !registration.HasSynced() {
			return errors.New("client-go's handler is not synced")
		}
		for _, n := range p.narrators[:4] {
			if !n.isSynced() {
				return fmt.Errorf("%s is not synced", n.name)
			}
		}
		return nil
	})
	for _, n := range p.narrators {
		n.newChapter()
	}
}

// level waits until all stores, indexes and handlers have the server's state.
func (p *pair) level(t *testing.T, s *suite, what string) {
	t.Helper()
	patience := time.Now().Add(oraclePatience)
	eventually(t, what+": "+p.query.String()+": all agree", func(ctx context.Context) error {
		want, err := serverState(ctx, s.cluster.Direct(), p.query)
		if err != nil {
			return err
		}
		if diff := Diff(want, theirState(t, p.now.informer)); diff != "" {
			if time.Now().After(patience) {
				p.now.stop()
				p.now, p.cutShort = p.start(), true
				patience = time.Now().Add(oraclePatience)
			}
			return errors.New("client-go's store: " + diff)
		}
		if diff := Diff(want, ourState(t, p.raw)); diff != "" {
			return errors.New("the store: " + diff)
		}
		theirs := p.now.informer.GetIndexer()
		if a, b := theirColors(t, theirs), ourColors(t, p.raw); a != b {
			return fmt.Errorf("the index: %s, want %s", b, a)
		}
		if a, b := theirColors(t, theirs), ourColors(t, p.lean); a != b {
			return fmt.Errorf("the index of the second type: %s, want %s", b, a)
		}
		versions := versionsOf(p.raw)
		for _, n := range p.narrators {
			if n.name == "client-go" && p.cutShort {
				continue
			}
			if told := n.versions(); told != versions {
				return fmt.Errorf("%s was told %s, want %s", n.name, told, versions)
			}
		}
		return nil
	})
}

// sameStory compares what handlers were told since they began, per object.
func (p *pair) sameStory(t *testing.T, what string, unseen bool) {
	t.Helper()
	theirs := p.narrators[len(p.narrators)-1]
	for _, n := range p.narrators {
		for _, problem := range n.problems() {
			t.Errorf("%s: %s: %s: %s", what, p.query, n.name, problem)
		}
		if unseen || p.cutShort || n.delivery == rawwatch.Coalesce {
			continue
		}
		if a, b := theirs.story(), n.story(); a != b {
			t.Errorf("%s: %s: %s was told\n%s\nclient-go\n%s", what, p.query, n.name, b, a)
		}
	}
}

func theirState(t *testing.T, i cache.SharedIndexInformer) State {
	t.Helper()
	return (&oracle{now: &running{informer: i}}).state(t)
}

func ourState(t *testing.T, i *rawwatch.Informer[rawwatch.RawObject]) State {
	t.Helper()
	s := State{}
	for key, item := range i.Store().All() {
		_, canonical, err := typed(item.Value.Raw, item.Value.APIVersion, item.Value.Kind)
		if err != nil {
			t.Fatal(err)
		}
		s[key.String()] = canonical
	}
	return s
}

func theirColors(t *testing.T, i cache.Indexer) string {
	t.Helper()
	var lines []string
	for _, color := range i.ListIndexFuncValues(byColor) {
		keys, err := i.IndexKeys(byColor, color)
		if err != nil {
			t.Fatal(err)
		}
		if len(keys) > 0 {
			slices.Sort(keys)
			lines = append(lines, color+": "+strings.Join(keys, " "))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func ourColors[T any](t *testing.T, i *rawwatch.Informer[T]) string {
	t.Helper()
	view := i.Store().Snapshot()
	values, err := view.IndexValues(byColor)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for color := range values {
		items, err := view.ByIndex(byColor, color)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for key := range items {
			keys = append(keys, key.String())
		}
		slices.Sort(keys)
		lines = append(lines, color+": "+strings.Join(keys, " "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func versionsOf[T any](i *rawwatch.Informer[T]) string {
	var lines []string
	for key, item := range i.Store().All() {
		lines = append(lines, key.String()+"@"+item.ResourceVersion)
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}
