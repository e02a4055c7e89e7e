package rawwatch

import (
	"slices"
	"sort"

	"github.com/rawwatch/rawwatch/decode"
)

// missing are objects of which the store knows nothing, and somebody may: by key,
// which has more than one uid where a name was used again.
type missing map[decode.Key][]string

func (m missing) add(key decode.Key, uid string) {
	if !slices.Contains(m[key], uid) {
		m[key] = append(m[key], uid)
	}
}

// drop forgets an object, whose deletion the store tells from now on or has told.
func (m missing) drop(key decode.Key, uid string) (was bool) {
	if !slices.Contains(m[key], uid) {
		return false
	}
	m[key] = slices.DeleteFunc(m[key], func(u string) bool { return u == uid })
	if len(m[key]) == 0 {
		delete(m, key)
	}
	return true
}

// sorted are the keys in the order in which subscribers are told of them.
func (m missing) sorted() []decode.Key {
	keys := make([]decode.Key, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Sort(inOrder{
		len(keys),
		func(i, j int) bool {
			return namesInOrder(keys[i].Namespace, keys[i].Name, keys[j].Namespace, keys[j].Name)
		},
		func(i, j int) { keys[i], keys[j] = keys[j], keys[i] },
	})
	return keys
}

// missingTaker takes in a part's events, and tells which of the missing are gone:
// all that are left when the list is complete; and one whose name is used again in
// the list, before the new one is told. A stream may tell of objects that are older
// than the missing, and tells by itself which are gone.
type missingTaker[T any] struct {
	*part[T]
	all *checkpoints[T]
}

func (t missingTaker[T]) Apply(e Event, deliver func(Change[T]) bool) bool {
	told := e.Type != Synced
	to := &t.all.informer.subscribers.publication
	more := t.part.Apply(e, func(c Change[T]) bool {
		switch c.Type {
		case Added:
			key := c.Item.Key()
			former := t.drop(key, c.Item.UID)
			if cause, before := t.tellsBefore(&c); before && !t.tell(key, cause, deliver) {
				return false
			}
			to.former = former
			defer func() { to.former = false }()
		case Deleted:
			t.drop(c.Item.Key(), c.Item.UID)
		case Synced:
			told = true
			return t.settle(CauseRelist, deliver) && deliver(c)
		}
		return deliver(c)
	})
	return more && (told || t.settle(CauseRelist, deliver))
}

func (t missingTaker[T]) drop(key decode.Key, uid string) (former bool) {
	t.all.orphans.drop(key, uid)
	return t.part.saved.former.drop(key, uid)
}

// forget drops all of a key.
func (t missingTaker[T]) forget(key decode.Key) {
	delete(t.part.saved.former, key)
	delete(t.all.orphans, key)
}

// tellAll tells which of the missing are gone, now that the part is complete.
func (t missingTaker[T]) tellAll(cause Cause, deliver func(Change[T]) bool) bool {
	for _, m := range [...]missing{t.part.saved.former, t.all.orphans} {
		for _, key := range m.sorted() {
			if !t.part.selects(key.Namespace) {
				continue
			}
			if now := t.own.held(key); now != nil {
				t.drop(key, now.UID)
			}
			if !t.tell(key, cause, deliver) {
				return false
			}
		}
	}
	return true
}

// tell tells that the missing of a key are gone. What only subscriptions know is
// told to those alone, and is not in what is saved.
func (t missingTaker[T]) tell(key decode.Key, cause Cause, deliver func(Change[T]) bool) bool {
	former, orphans := t.part.saved.former[key], t.all.orphans[key]
	t.forget(key)
	to := &t.all.informer.subscribers.publication
	defer func() { to.former, to.recalls, t.all.restoring = false, false, false }()
	for i, uid := range slices.Concat(former, orphans) {
		to.former = i < len(former)
		if !to.former {
			to.recalls, t.all.restoring = true, true
			if slices.Contains(former, uid) {
				continue
			}
		}
		if !deliver(goneChange[T](key, uid, cause)) {
			return false
		}
	}
	return true
}

func goneChange[T any](key decode.Key, uid string, cause Cause) Change[T] {
	item := &Item[T]{Identity: decode.Identity{Namespace: key.Namespace, Name: key.Name, UID: uid}}
	return Change[T]{Type: Deleted, Cause: cause, Item: item, Old: item}
}

// tellsBefore says that before a new object is told all others of its name have to be
// told as gone. A stream tells that by itself, unless they are of another history.
func (t missingTaker[T]) tellsBefore(c *Change[T]) (cause Cause, before bool) {
	if c.listed() {
		return CauseRelist, true
	}
	return CauseCheckpoint, t.all.deliveries != nil && t.all.deliveries.doubted
}

// completion is the end of a part's going on from its checkpoint. What is left to tell
// by then is of a history that was rewritten: otherwise the stream has told it.
type completion[T any] struct{ missingTaker[T] }

func (t completion[T]) Apply(_ Event, deliver func(Change[T]) bool) bool {
	return t.settle(CauseCheckpoint, deliver)
}

// settle tells what nothing else has told, now that the part is complete.
func (t missingTaker[T]) settle(cause Cause, deliver func(Change[T]) bool) bool {
	return t.tellAll(cause, deliver) && t.tellAgain(cause, deliver)
}

// tellAgain tells those who remember them which objects are there, in the state of
// the new history, if it is another.
func (t missingTaker[T]) tellAgain(cause Cause, deliver func(Change[T]) bool) bool {
	if t.all.deliveries == nil || !t.all.deliveries.doubted {
		return true
	}
	there := missing{}
	for _, past := range t.all.deliveries.pasts {
		for uid, n := range past.notes {
			key := n.of.Key()
			if now := t.own.held(key); t.part.selects(key.Namespace) && now != nil && now.UID == uid {
				there.add(key, uid)
			}
		}
	}
	to := &t.all.informer.subscribers.publication
	to.recalls, t.all.restoring = true, true
	defer func() { to.recalls, t.all.restoring = false, false }()
	for _, key := range there.sorted() {
		item := t.own.held(key)
		if !deliver(Change[T]{Type: Added, Cause: cause, Item: item, Err: item.Err()}) {
			return false
		}
	}
	return true
}

func (completion[T]) syncs(Event) bool { return false }
