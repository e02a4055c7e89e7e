package rawwatch

import (
	"context"
	"errors"
	"sort"
	"strings"

	"github.com/rawwatch/rawwatch/resume"
)

// start restores all watches, one after another, and begins to save.
func (k *checkpoints[T]) start(ctx context.Context) error {
	k.ctx, k.cancel = context.WithCancel(ctx)
	for _, w := range k.watches {
		c := claim{k.store, w.id.Watch}
		if err := c.take(); err != nil {
			return err
		}
		k.claims = append(k.claims, c)
	}
	if err := k.remember(ctx); err != nil {
		k.cancel()
		return err
	}
	for _, w := range k.watches {
		if err := k.restore(ctx, w); err != nil {
			k.cancel()
			return err
		}
	}
	k.write(func(s *InformerCheckpoint) { s.Unconfirmed = k.unconfirmed() })
	k.running.Go(k.save)
	return nil
}

// restore puts into the store what is saved of a watch, and tells subscribers.
// What cannot be used is said, and gone on without; the error is ctx's cause.
func (k *checkpoints[T]) restore(ctx context.Context, w *savedWatch[T]) error {
	saved, err := k.store.Load(ctx, w.id.Watch)
	switch {
	case err == nil:
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case errors.Is(err, resume.ErrNothingSaved):
		return nil
	default:
		k.failed(err)
		return nil
	}
	if differences := foreignTo(saved.Identity, w.id); len(differences) > 0 {
		k.distrust(w, "it is of another "+strings.Join(differences, " and "))
		return k.recall(w, saved)
	}
	items, err := k.read(w, saved)
	if err != nil {
		k.distrust(w, "an object in it cannot be read: "+err.Error())
		return k.recall(w, saved)
	}
	w.version, w.id.Cluster, w.fresh = saved.ResourceVersion, saved.Identity.Cluster, false
	w.resuming, w.unconfirmed = true, true
	k.write(func(s *InformerCheckpoint) {
		s.Restored += len(items)
		if s.SavedAt.IsZero() || saved.SavedAt.Before(s.SavedAt) {
			s.SavedAt = saved.SavedAt
		}
	})
	k.current, k.restoring = w, true
	defer func() { k.restoring = false }()
	return k.informer.subscribers.restore(ctx, restoredTaker[T]{w.part, items})
}

// foreignTo is in what a saved state differs so that it cannot be gone on from.
// The cluster is compared when the server can be asked.
func foreignTo(saved, id resume.WatchIdentity) []string {
	saved.Cluster = id.Cluster
	return saved.Differences(id)
}

// read makes items of what is saved.
func (k *checkpoints[T]) read(w *savedWatch[T], saved *resume.Saved) ([]*Item[T], error) {
	var items []*Item[T]
	namespaces := map[string]string{}
	for r, err := range saved.Objects {
		if err != nil {
			return nil, err
		}
		item := &Item[T]{Identity: r.Meta.Identity()}
		shared, ok := namespaces[item.Namespace]
		if !ok {
			shared = strings.Clone(item.Namespace)
			namespaces[shared] = shared
		}
		item.Namespace = shared
		if err := k.codec.read(r.Object, item, w.part.own.labels.share); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	// In order they make better leaves, and subscribers are told in order.
	sort.Sort(inOrder{
		len(items),
		func(i, j int) bool {
			return namesInOrder(items[i].Namespace, items[i].Name, items[j].Namespace, items[j].Name)
		},
		func(i, j int) { items[i], items[j] = items[j], items[i] },
	})
	return items, nil
}

// inOrder sorts by functions. Package slices would make a sort of its own for
// each type, which is much code, and again for each T of a program.
type inOrder struct {
	n    int
	less func(i, j int) bool
	swap func(i, j int)
}

func (o inOrder) Len() int           { return o.n }
func (o inOrder) Less(i, j int) bool { return o.less(i, j) }
func (o inOrder) Swap(i, j int)      { o.swap(i, j) }

// namesInOrder is the order of namespaces and of names within them.
func namesInOrder(namespace, name, thanNamespace, thanName string) bool {
	if namespace != thanNamespace {
		return namespace < thanNamespace
	}
	return name < thanName
}

// share makes labels what an item refers to.
func (l labelSource[T]) share(set labelSet) *itemMore {
	if l.kept == nil {
		return &itemMore{labels: set}
	}
	return l.kept.share(set)
}

// recall remembers who was known, of a state that is of no more use otherwise.
// Where even that cannot be read, there is no telling what is gone.
func (k *checkpoints[T]) recall(w *savedWatch[T], saved *resume.Saved) error {
	if saved.Identity.Group != w.id.Group || saved.Identity.Resource != w.id.Resource {
		return nil
	}
	w.former = missing{}
	for r, err := range saved.Objects {
		if err != nil {
			k.failed(err)
			w.former = nil
			return nil
		}
		id := r.Meta.Identity()
		w.former.add(id.Key(), id.UID)
	}
	return nil
}

// restoredTaker puts restored items into a part's store.
type restoredTaker[T any] struct {
	part  *part[T]
	items []*Item[T]
}

func (t restoredTaker[T]) Apply(_ Event, deliver func(Change[T]) bool) bool {
	changes := make([]Change[T], len(t.items))
	for i, item := range t.items {
		changes[i] = Change[T]{Type: Added, Cause: CauseCheckpoint, Item: item, Err: item.Err()}
	}
	t.part.own.take(changes)
	if t.part.shared != nil {
		t.part.shared.take(changes)
	}
	for _, c := range changes {
		if !deliver(c) {
			return false
		}
	}
	return true
}

func (restoredTaker[T]) syncs(Event) bool { return false }
