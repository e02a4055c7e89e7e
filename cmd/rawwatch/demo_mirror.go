package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// mirror is the state that a watch tells, folded from its events and nothing
// else.
type mirror struct {
	mu      sync.Mutex // guards the fields below
	objects map[decode.Key]string
	// told holds each state that was delivered, to find any that comes twice.
	told    map[state]bool
	synced  bool
	twice   int
	events  int
	relists int
	lost    int
	changed chan struct{} // closed at the next change
}

// state is one state of one object.
type state struct{ uid, resourceVersion string }

func newMirror() *mirror {
	return &mirror{objects: map[decode.Key]string{}, told: map[state]bool{}, changed: make(chan struct{})}
}

// apply folds one event.
func (m *mirror) apply(e rawwatch.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.changed)
	m.changed = make(chan struct{})
	switch e.Type {
	case rawwatch.Synced:
		m.synced = true
		if e.Cause == rawwatch.CauseRelist {
			m.relists++
		}
		return nil
	case rawwatch.Added, rawwatch.Modified:
		text, err := plain(e.Object.Raw)
		if err != nil {
			return err
		}
		m.objects[e.Object.Key()] = text
	case rawwatch.Deleted:
		delete(m.objects, e.Object.Key())
	default:
		return nil
	}
	m.events++
	if e.Type != rawwatch.Deleted {
		s := state{e.Object.UID, e.Object.ResourceVersion}
		if m.told[s] {
			m.twice++
		}
		m.told[s] = true
	}
	return nil
}

// failed counts a failure that the watch will come back from.
func (m *mirror) failed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost++
	close(m.changed)
	m.changed = make(chan struct{})
}

// mirrored is a copy of what the mirror holds at one moment.
type mirrored struct {
	objects                      map[decode.Key]string
	synced                       bool
	events, twice, relists, lost int
	// changed is closed when the copy is out of date.
	changed <-chan struct{}
}

func (m *mirror) look() mirrored {
	m.mu.Lock()
	defer m.mu.Unlock()
	return mirrored{
		objects: maps.Clone(m.objects), changed: m.changed, synced: m.synced,
		events: m.events, twice: m.twice, relists: m.relists, lost: m.lost,
	}
}

// plain is the object's JSON with its members in order, without kind and
// apiVersion, which items of a list do not carry.
func plain(object []byte) (string, error) {
	var v map[string]any
	if err := json.Unmarshal(object, &v); err != nil {
		return "", err
	}
	delete(v, "kind")
	delete(v, "apiVersion")
	text, err := json.Marshal(v)
	return string(text), err
}

// verdict compares two states object for object.
type verdict struct {
	server, watch             int // objects
	same                      int
	missing, extra, different []decode.Key
}

func compare(server, watch map[decode.Key]string) verdict {
	v := verdict{server: len(server), watch: len(watch)}
	for key, text := range server {
		switch got, ok := watch[key]; {
		case !ok:
			v.missing = append(v.missing, key)
		case got != text:
			v.different = append(v.different, key)
		default:
			v.same++
		}
	}
	for key := range watch {
		if _, ok := server[key]; !ok {
			v.extra = append(v.extra, key)
		}
	}
	return v
}

// equal reports whether the states are the same.
func (v verdict) equal() bool { return v.same == v.server && v.server == v.watch }

func (v verdict) String() string {
	return fmt.Sprintf("server %d objects, watch %d: %d identical, %d different, %d missing, %d too many",
		v.server, v.watch, v.same, len(v.different), len(v.missing), len(v.extra))
}
