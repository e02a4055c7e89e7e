package workqueue

import (
	"cmp"
	"slices"
	"time"
)

// model is the queue as one would explain it: a slice of keys, looked through
// from end to end for each question. It shares no code with the queue.
type model struct {
	now      time.Duration
	keys     map[int]*modelKey
	arrivals int
	patience int
	passed   int
	closed   bool
	retries  int
}

type modelKey struct {
	key      int
	waits    string // "", "ready", "delayed", "behind"
	due      time.Duration
	arrival  int
	priority int
	work     bool
	workPrio int
	failures int
}

func (m *model) obtain(key int) *modelKey {
	k := m.keys[key]
	if k == nil {
		k = &modelKey{key: key}
		m.keys[key] = k
	}
	return k
}

func (m *model) tidy() {
	for key, k := range m.keys {
		if k.waits == "" && !k.work && k.failures == 0 {
			delete(m.keys, key)
		}
	}
}

// add returns false when the queue refuses.
func (m *model) add(key, priority int, after time.Duration) bool {
	if m.closed {
		return false
	}
	m.want(m.obtain(key), priority, after)
	return true
}

func (m *model) want(k *modelKey, priority int, after time.Duration) {
	if k.waits == "" {
		k.priority = priority
		m.settle(k, after)
		return
	}
	k.priority = max(k.priority, priority)
	if k.waits == "delayed" && (after <= 0 || m.now+after < k.due) {
		m.settle(k, after)
	}
}

func (m *model) settle(k *modelKey, after time.Duration) {
	m.arrivals++
	k.arrival = m.arrivals
	switch {
	case after > 0:
		k.waits, k.due = "delayed", m.now+after
	case k.work:
		k.waits = "behind"
	default:
		k.waits = "ready"
	}
}

func (m *model) those(waits string) (all []*modelKey) {
	for _, k := range m.keys {
		if k.waits == waits {
			all = append(all, k)
		}
	}
	return all
}

func (m *model) advance(d time.Duration) {
	m.now += d
	late := m.those("delayed")
	slices.SortFunc(late, func(a, b *modelKey) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.arrival, b.arrival))
	})
	for _, k := range late {
		if k.due <= m.now {
			m.settle(k, 0)
		}
	}
}

// get is the key that must come now; false when none may.
func (m *model) get() (int, bool) {
	ready := m.those("ready")
	if len(ready) == 0 {
		return 0, false
	}
	oldest := slices.MinFunc(ready, func(a, b *modelKey) int { return cmp.Compare(a.arrival, b.arrival) })
	first := slices.MinFunc(ready, func(a, b *modelKey) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.arrival, b.arrival))
	})
	if m.patience >= 0 && m.passed >= m.patience {
		first = oldest
	}
	if first == oldest {
		m.passed = 0
	} else {
		m.passed++
	}
	first.waits, first.work, first.workPrio = "", true, first.priority
	return first.key, true
}

// done returns false when no worker has the key.
func (m *model) done(key int) bool {
	k := m.keys[key]
	if k == nil || !k.work {
		return false
	}
	k.work = false
	if k.waits == "behind" {
		m.settle(k, 0)
	}
	m.tidy()
	return true
}

// retry is the wait, and whether the key is retried at all.
func (m *model) retry(key int, backoff func(failures int) time.Duration) (time.Duration, bool) {
	k := m.obtain(key)
	defer m.tidy()
	k.failures++
	if m.retries > 0 && k.failures > m.retries {
		k.failures = 0
		return 0, false
	}
	if k.waits == "ready" || k.waits == "behind" {
		m.want(k, k.workPrio, 0)
		return 0, true
	}
	m.want(k, k.workPrio, backoff(k.failures))
	return k.due - m.now, true
}

func (m *model) forget(key int) {
	if k := m.keys[key]; k != nil {
		k.failures = 0
	}
	m.tidy()
}

func (m *model) shutDown() {
	m.closed = true
	for _, k := range m.those("delayed") {
		k.waits = ""
	}
	m.tidy()
}

// nextDue is when the next delayed key becomes ready; a far day if none does.
func (m *model) nextDue() time.Duration {
	due := time.Duration(1<<63 - 1)
	for _, k := range m.those("delayed") {
		due = min(due, k.due)
	}
	return due
}
