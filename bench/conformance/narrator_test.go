package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// narrator is a handler, of rawwatch's or client-go's informer, that remembers
// what it was told, and complains of what no handler may be told.
type narrator struct {
	name     string
	delivery rawwatch.Delivery

	mu     sync.Mutex // guards all below
	synced bool
	known  map[string]decode.Identity
	told   map[string][]string // by key, since the chapter began
	wrong  []string
}

func newNarrator(name string, d rawwatch.Delivery) *narrator {
	return &narrator{name: name, delivery: d, known: map[string]decode.Identity{}, told: map[string][]string{}}
}

func subscribe[T any](t *testing.T, i *rawwatch.Informer[T], d rawwatch.Delivery) *narrator {
	t.Helper()
	n := newNarrator(fmt.Sprintf("a %v subscriber of %T", d, *new(T)), d)
	_, err := i.Subscribe(func(_ context.Context, c rawwatch.Change[T]) error {
		if c.Type == rawwatch.Synced {
			n.mu.Lock()
			n.synced = true
			n.mu.Unlock()
			return nil
		}
		if c.Err != nil {
			t.Errorf("%v: %v", c.Item.Key(), c.Err)
		}
		n.hear(c.Type, c.Item.Identity)
		return nil
	}, rawwatch.SubscriptionOptions[T]{Delivery: d, QueueSize: 16})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// callbacks are the narrator as a handler of client-go's. An update without a
// change, as after a relist, is not one.
func (n *narrator) callbacks() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { n.hear(rawwatch.Added, identityOf(o)) },
		UpdateFunc: func(old, o any) {
			switch was, is := identityOf(old), identityOf(o); {
			case was == is:
			case was.UID != is.UID: // client-go tells of a relist so
				n.hear(rawwatch.Deleted, was)
				n.hear(rawwatch.Added, is)
			default:
				n.hear(rawwatch.Modified, is)
			}
		},
		DeleteFunc: func(o any) {
			if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = gone.Obj
			}
			n.hear(rawwatch.Deleted, identityOf(o))
		},
	}
}

func identityOf(o any) decode.Identity {
	u := o.(*unstructured.Unstructured)
	return decode.Identity{Namespace: u.GetNamespace(), Name: u.GetName(), UID: string(u.GetUID()), ResourceVersion: u.GetResourceVersion()}
}

func (n *narrator) hear(what rawwatch.EventType, id decode.Identity) {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := id.Key().String()
	known, ok := n.known[key]
	switch {
	case ok == (what == rawwatch.Added):
		n.wrong = append(n.wrong, fmt.Sprintf("%s of %s, known %v", what, key, ok))
	case ok && known.UID != id.UID:
		n.wrong = append(n.wrong, fmt.Sprintf("%s of %s with another uid", what, key))
	case ok && what == rawwatch.Modified && !newer(id.ResourceVersion, known.ResourceVersion):
		n.wrong = append(n.wrong, fmt.Sprintf("%s of %s goes from %s to %s", what, key, known.ResourceVersion, id.ResourceVersion))
	}
	if what == rawwatch.Deleted {
		delete(n.known, key)
	} else {
		n.known[key] = id
	}
	n.told[key] = append(n.told[key], string(what)+" "+id.ResourceVersion)
}

func (n *narrator) isSynced() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.synced
}

// newChapter forgets what was told, but not what is known.
func (n *narrator) newChapter() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = map[string][]string{}
}

func (n *narrator) versions() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []string
	for key, id := range n.known {
		lines = append(lines, key+"@"+id.ResourceVersion)
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

func (n *narrator) story() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(n.told)) {
		lines = append(lines, key+": "+strings.Join(n.told[key], ", "))
	}
	return strings.Join(lines, "\n")
}

func (n *narrator) problems() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.wrong)
}
