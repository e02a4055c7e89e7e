package rawwatch_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// known is an object as a subscriber knows it.
type known struct{ key, uid, version, node string }

func knownAs(i *rawwatch.Item[pod]) known {
	return known{i.Key().String(), i.UID, i.ResourceVersion, i.Value.Spec.NodeName}
}

// view is what a subscriber keeps over all its lives, and what must not happen to it.
type view struct {
	traits
	life int

	mu     sync.Mutex
	byUID  map[string]known
	byName map[string]known // of a subscriber that asks for nothing but names

	acked   map[string]int64              // the newest version of each uid
	last    map[string]rawwatch.EventType // acknowledged of it
	waiting map[string]told               // the newest told of it that is not acknowledged

	log, wrong []string
}

// told is a delivery. Sequences begin anew with each life.
type told struct {
	life     int
	sequence uint64
}

func newView(like traits) *view {
	return &view{
		traits: like, byUID: map[string]known{}, byName: map[string]known{},
		acked: map[string]int64{}, last: map[string]rawwatch.EventType{}, waiting: map[string]told{},
	}
}

func (v *view) say(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.note(format, args...)
}

func (v *view) note(format string, args ...any) {
	v.log = append(v.log, strconv.Itoa(v.life)+": "+fmt.Sprintf(format, args...))
}

// fault is of the change, which is the newest in the log.
func (v *view) fault(what string) {
	v.wrong = append(v.wrong, what+": "+v.log[len(v.log)-1])
}

// hear takes in one change.
func (v *view) hear(c *rawwatch.Change[pod]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := knownAs(c.Item)
	v.note("%s %s %s %.4s v%s on %s #%d", c.Type, c.Cause, now.key, now.uid, now.version, now.node, c.Sequence)
	v.check(c)
	if recreated(c) {
		delete(v.byUID, c.Old.UID)
	}
	v.waiting[now.uid] = told{v.life, c.Sequence}
	if c.Type == rawwatch.Deleted {
		delete(v.byUID, now.uid)
		delete(v.byName, now.key)
		return
	}
	v.byUID[now.uid], v.byName[now.key] = now, now
}

// check is of what is told again, or as what it is not.
func (v *view) check(c *rawwatch.Change[pod]) {
	if v.has(rolledBack) {
		return // a new history: all of it is told, whatever was acknowledged of the old one
	}
	uid := c.Item.UID
	_, knows := v.byUID[uid]
	_, waits := v.waiting[uid]
	took := knows && v.last[uid] != "" && v.last[uid] != rawwatch.Deleted
	lost := !knows && (v.last[uid] == "" || v.last[uid] == rawwatch.Deleted)
	switch {
	case c.Type == rawwatch.Deleted:
		if !knows && !waits && v.last[uid] == rawwatch.Deleted {
			v.fault("gone again")
		}
	case version(c.Item) <= v.acked[uid]:
		v.fault("told again")
	case waits && v.goesBack():
	case c.Type == rawwatch.Modified && lost && !recreated(c):
		v.fault("Modified, and not known")
	case c.Type == rawwatch.Added && took && !v.has(coalesces) && !fromList(c.Cause):
		// One that coalesces gets a cause that is newer than the Added from a list.
		v.fault("Added, and known")
	}
}

// goesBack says that of one object several changes may be in hand at once: its coming
// and going, which are told again from the first on, when what it knows is the last.
func (v *view) goesBack() bool {
	return v.has(fails) || v.has(filters|selects) && v.has(acksByHand|inBatches)
}

// recreated says that it is Deleted and Added in one: see MergeRecreated.
func recreated(c *rawwatch.Change[pod]) bool { return c.Old != nil && c.Old.UID != c.Item.UID }

// fromList says that it comes from a list, which does not say what was before: what may
// have been gone in between is Added.
func fromList(c rawwatch.Cause) bool { return c == rawwatch.CauseList || c == rawwatch.CauseRelist }

func version(i *rawwatch.Item[pod]) int64 {
	n, _ := strconv.ParseInt(i.ResourceVersion, 10, 64) // 0 where only the name is known
	return n
}

func (v *view) acknowledge(c *rawwatch.Change[pod]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	uid := c.Item.UID
	v.note("acknowledged %s %.4s #%d", c.Item.Key(), uid, c.Sequence)
	v.acked[uid] = max(v.acked[uid], version(c.Item))
	v.last[uid] = c.Type
	if v.waiting[uid] == (told{v.life, c.Sequence}) {
		delete(v.waiting, uid)
	}
}

// compare is for when nothing more is to come.
func (v *view) compare(objects map[string]known, store *rawwatch.Store[pod]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	stored := map[string]known{}
	for key, i := range store.All() {
		stored[key.String()] = knownAs(i)
	}
	v.same("the store", stored, objects)
	if v.has(filters) {
		maps.DeleteFunc(objects, func(_ string, o known) bool { return !strings.HasPrefix(o.node, "x") })
	}
	v.same("the subscriber by name", v.byName, objects)
	uids := map[string]known{}
	for _, o := range objects {
		uids[o.uid] = o
	}
	v.same("the subscriber by uid", v.byUID, uids)
}

func (v *view) same(who string, got, want map[string]known) {
	if !maps.Equal(got, want) {
		v.wrong = append(v.wrong, fmt.Sprintf("%s has\n\t\t%v, not\n\t\t%v", who, got, want))
	}
}
