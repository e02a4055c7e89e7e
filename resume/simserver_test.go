package resume

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// simObject is one object's state on the simulated server.
type simObject struct {
	key decode.Key
	uid string
	rv  int
}

func (o simObject) identity() decode.Identity {
	return decode.Identity{Namespace: o.key.Namespace, Name: o.key.Name, UID: o.uid, ResourceVersion: strconv.Itoa(o.rv)}
}

// simEvent is one line of its history.
type simEvent struct {
	kind   decode.EventType
	object simObject // of a deletion: with the deletion's version
	at     time.Duration
}

// simServer is an API server of one resource, on a clock that is a number.
type simServer struct {
	rand      *rand.Rand
	now       time.Duration
	nextWrite time.Duration
	writing   bool

	revision  int
	objects   map[decode.Key]simObject
	history   []simEvent
	compacted int           // versions up to this one are gone
	keeps     time.Duration // how long history lasts; 0 is for ever
	uids      int
	snapshots map[string][]simObject // what continue tokens lead to
	last      map[string]string      // the last key before them
	tokens    int
	states    map[int][]simObject // by version, if they are kept
}

func newSimServer(r *rand.Rand) *simServer {
	s := &simServer{rand: r, revision: 1000, compacted: 1000, objects: map[decode.Key]simObject{}, snapshots: map[string][]simObject{}, last: map[string]string{}, writing: true}
	for range 40 {
		s.write()
	}
	return s
}

// write changes something at random.
func (s *simServer) write() {
	s.revision++
	key := decode.Key{Namespace: fmt.Sprint("ns", s.rand.IntN(3)), Name: fmt.Sprint("name", s.rand.IntN(20))}
	old, there := s.objects[key]
	e := simEvent{at: s.now, object: simObject{key: key, uid: old.uid, rv: s.revision}}
	switch {
	case !there:
		s.uids++
		e.kind, e.object.uid = decode.Added, fmt.Sprintf("00000000-0000-4000-8000-%012d", s.uids)
		s.objects[key] = e.object
	case s.rand.IntN(3) == 0:
		e.kind = decode.Deleted
		delete(s.objects, key)
	default:
		e.kind = decode.Modified
		s.objects[key] = e.object
	}
	s.history = append(s.history, e)
	if s.states != nil {
		s.states[s.revision] = s.sorted()
	}
}

// until lets time pass, with writes in it every few seconds.
func (s *simServer) until(t time.Duration) {
	for s.writing && s.nextWrite <= t {
		s.write()
		s.nextWrite += time.Duration(s.rand.Int64N(int64(6 * time.Second)))
	}
	s.now = max(s.now, t)
	for s.keeps > 0 && len(s.history) > 0 && s.history[0].at < s.now-s.keeps {
		s.compacted, s.history = s.history[0].object.rv, s.history[1:]
	}
}

// compact forgets the history.
func (s *simServer) compact() { s.compacted, s.history = s.revision, nil }

// saved is a backup of the server's store.
type saved struct {
	revision int
	objects  []simObject
}

func (s *simServer) save() saved { return saved{s.revision, s.sorted()} }

// restore brings a backup back: the history since is gone, and its versions
// will be given again.
func (s *simServer) restore(b saved) {
	s.revision, s.objects = b.revision, map[decode.Key]simObject{}
	for _, o := range b.objects {
		s.objects[o.key] = o
	}
	s.uids += 1000
	s.compact()
}

func (s *simServer) sorted() []simObject {
	var all []simObject
	for _, o := range s.objects {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b simObject) int {
		if a.key.String() < b.key.String() {
			return -1
		}
		return 1
	})
	return all
}

// list answers one page, or a failure.
func (s *simServer) list(a Action) (items []simObject, o Outcome) {
	o = Outcome{Kind: PageListed, ResourceVersion: strconv.Itoa(s.revision)}
	rest := s.sorted()
	if a.Beside == AuditBeside && a.Continue == "" {
		version, _ := strconv.Atoi(a.ResourceVersion)
		var ok bool
		if rest, ok = s.states[version]; !ok {
			return nil, failure(Expired)
		}
		o.ResourceVersion = a.ResourceVersion
	}
	if a.Continue != "" {
		var ok bool
		o.ResourceVersion, _, _ = cutToken(a.Continue)
		version, _ := strconv.Atoi(o.ResourceVersion)
		if rest, ok = s.snapshots[a.Continue]; !ok || s.keeps > 0 && version < s.compacted {
			return nil, s.expiredToken(a.Continue)
		}
	}
	if a.Limit == 0 || len(rest) <= int(a.Limit) {
		return rest, o
	}
	s.tokens++
	o.Continue = fmt.Sprintf("%s/%d", o.ResourceVersion, s.tokens)
	s.snapshots[o.Continue] = rest[a.Limit:]
	s.last[o.Continue] = rest[a.Limit-1].key.String()
	return rest[:a.Limit], o
}

// expiredToken is a 410 with another token: it leads to the rest of the keys as
// they are now.
func (s *simServer) expiredToken(token string) Outcome {
	o := failure(Expired)
	s.tokens++
	o.Failure.Continue = fmt.Sprintf("%d/%d", s.revision, s.tokens)
	rest := s.sorted()
	for len(rest) > 0 && rest[0].key.String() <= s.last[token] {
		rest = rest[1:]
	}
	s.snapshots[o.Failure.Continue] = rest
	s.last[o.Failure.Continue] = s.last[token]
	return o
}

func cutToken(token string) (version, number string, ok bool) {
	for i := range token {
		if token[i] == '/' {
			return token[:i], token[i+1:], true
		}
	}
	return token, "", false
}

// next is the first event after the version; ok is false when there is none.
func (s *simServer) next(version int) (e simEvent, ok bool) {
	i, _ := slices.BinarySearchFunc(s.history, version+1, func(e simEvent, v int) int { return e.object.rv - v })
	if i == len(s.history) {
		return simEvent{}, false
	}
	return s.history[i], true
}
