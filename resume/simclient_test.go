package resume

import (
	"fmt"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// simFaults is what can be wrong with the simulated server. The zero value is
// a good one.
type simFaults struct {
	list   func() *Outcome       // answers lists and probes instead
	watch  func() *Outcome       // answers watches instead
	life   func() *streamEnd     // ends streams early
	page   func(Outcome) Outcome // alters a page
	mute   bool                  // streams send nothing at all
	noMark bool                  // initial streams never end their initial phase
	old    func() *saved         // lists come from here instead: a cache's answer
	slow   time.Duration         // a page takes so long; 0 is 20 ms
	lose   func(simEvent) bool   // frames that never come
}

// streamEnd ends a stream after a while.
type streamEnd struct {
	after   time.Duration
	outcome Outcome
	frames  bool // frames come until then
}

// simClient drives a machine and an index against the server, and folds the
// changes that it would deliver.
type simClient struct {
	*referee
	server  *simServer
	faults  simFaults
	epoch   time.Time
	index   Index[struct{}]
	state   map[decode.Key]decode.Identity
	stale   bool
	relists int
	streams int
	probes  int
	audits  int
	differs int
	err     error

	due      time.Duration // when what runs beside is done
	replaced bool          // what runs beside has ended what the watch was about
}

func newSimClient(s *simServer, o Options) *simClient {
	o.Rand = s.rand.Float64
	r, err := newReferee(o)
	if err != nil {
		panic(err)
	}
	c := &simClient{referee: r, server: s, epoch: r.now, state: map[decode.Key]decode.Identity{}}
	c.tell(start)
	return c
}

// tell steps the machine at the server's time.
func (c *simClient) tell(o Outcome) Action {
	c.now = c.epoch.Add(c.server.now)
	a, err := c.step(o)
	if err != nil && c.err == nil {
		c.err = err
	}
	if a.Synced {
		for gone := range c.index.EndRelist() {
			c.remove(gone)
		}
	}
	switch a.Beside {
	case ListBeside, AuditBeside:
		c.due = c.server.now + c.pageTime()
		if a.Beside == AuditBeside && a.Continue == "" {
			c.index.BeginAudit()
			c.audits, c.differs = c.audits+1, 0
		}
	case WaitBeside:
		c.due = c.server.now + a.Wait
	}
	c.replaced = c.replaced || o.Beside && a.Kind != GoOn
	return a
}

func (c *simClient) pageTime() time.Duration { return orDefault(c.faults.slow, 20*time.Millisecond) }

// pass lets time go by, and what runs beside the watch with it. It is false
// when that has put an end to what the watch was about.
func (c *simClient) pass(until time.Duration) bool {
	c.replaced = false
	for c.side.Beside != NothingBeside && c.due <= until && c.err == nil {
		c.server.until(c.due)
		if c.side.Beside == WaitBeside {
			c.tell(aside(over))
		} else {
			c.page(c.side)
		}
		if c.replaced {
			return false
		}
	}
	c.server.until(until)
	return true
}

// page is the answer to a page that was asked for beside the watch.
func (c *simClient) page(a Action) {
	if c.faults.list != nil {
		if o := c.faults.list(); o != nil {
			c.tell(aside(*o))
			return
		}
	}
	items, o := c.server.list(a)
	for _, item := range items {
		if a.Beside == ListBeside {
			c.observe(item)
		} else if c.index.Audit(metaOf(item.identity())) != NoDiscrepancy {
			c.differs++
		}
	}
	if a.Beside == AuditBeside && o.Kind == PageListed && o.Continue == "" {
		extra, conclusive := c.index.EndAudit()
		for range extra {
			c.differs++
		}
		o.Differs = conclusive && c.differs > 0
	}
	c.tell(aside(o))
}

// run carries out actions until the given time, or until an invariant breaks.
func (c *simClient) run(until time.Duration) error {
	for c.server.now < until && c.err == nil && c.last.Kind != GiveUp {
		c.act(until)
	}
	return c.err
}

// act carries out the last action. A request takes 20 ms.
func (c *simClient) act(until time.Duration) {
	a := c.last
	if a.BeginList {
		if a.Rewritten {
			c.index.ForgetOrder()
		}
		c.index.BeginRelist()
		c.relists++
	}
	switch a.Kind {
	case Wait:
		if c.pass(c.server.now + a.Wait) {
			c.tell(over)
		}
	case Read: // left open by the last run
		c.tell(failure(Unavailable))
	case List, Probe:
		if c.pass(c.server.now + c.pageTime()) {
			c.list(a)
		}
	case Watch, StreamInitial:
		if c.pass(c.server.now + 20*time.Millisecond) {
			c.watch(a, until)
		}
	}
}

func (c *simClient) list(a Action) {
	if c.faults.list != nil {
		if o := c.faults.list(); o != nil {
			c.tell(*o)
			return
		}
	}
	if a.Kind == Probe {
		c.probes++
	}
	items, o := c.server.list(a)
	if c.faults.old != nil {
		if b := c.faults.old(); b != nil {
			items, o = b.objects, Outcome{Kind: PageListed, ResourceVersion: strconv.Itoa(b.revision)}
		}
	}
	if a.Kind == List {
		c.stale = false
		for _, item := range items {
			c.observe(item)
		}
		o.Stale = c.stale
	}
	if c.faults.page != nil && o.Kind == PageListed {
		o = c.faults.page(o)
	}
	c.tell(o)
}

// watch follows one stream to its end.
func (c *simClient) watch(a Action, until time.Duration) {
	if c.faults.watch != nil {
		if o := c.faults.watch(); o != nil {
			c.tell(*o)
			return
		}
	}
	c.streams++
	c.tell(opens)
	from, _ := strconv.Atoi(a.ResourceVersion)
	if a.Kind == StreamInitial {
		items, o := c.server.list(Action{})
		for _, item := range items {
			c.observe(item)
			c.tell(Outcome{Kind: EventSeen, ResourceVersion: strconv.Itoa(item.rv)})
		}
		from = c.server.revision
		if !c.faults.noMark && c.last.Kind == Read && c.faults.life == nil {
			c.tell(Outcome{Kind: BookmarkSeen, ResourceVersion: o.ResourceVersion, InitialEventsEnd: true, Stale: c.stale})
		}
	} else if from < c.server.compacted {
		c.tell(failure(Expired))
		return
	}
	c.follow(a, from, until)
}

// follow reads the stream: events as they come, a bookmark each minute.
func (c *simClient) follow(a Action, from int, until time.Duration) {
	var (
		deadline = c.server.now + a.Timeout
		bookmark = c.server.now + time.Minute
		quiet    = c.server.now + DefaultSilence
		end      = Outcome{Kind: StreamEnded, AtDeadline: true}
		frames   = !c.faults.mute
	)
	if c.faults.life != nil {
		if e := c.faults.life(); e != nil {
			deadline, end, frames = c.server.now+e.after, e.outcome, frames && e.frames
		}
	}
	for c.last.Kind == Read && c.err == nil {
		e, ok := c.server.next(from)
		switch {
		case frames && ok && c.faults.lose != nil && c.faults.lose(e):
			from = e.object.rv
		case frames && ok:
			from = e.object.rv
			c.frame(e)
			quiet = c.server.now + DefaultSilence
			continue
		case c.server.now >= deadline:
			c.tell(end)
		case frames && c.server.now >= bookmark && from <= c.server.revision:
			bookmark = c.server.now + time.Minute
			quiet = c.server.now + DefaultSilence
			from = c.server.revision
			c.tell(Outcome{Kind: BookmarkSeen, ResourceVersion: strconv.Itoa(from)})
		case c.server.now >= quiet:
			c.tell(Outcome{Kind: Silent})
		case c.server.now >= until:
			return // the test looks at the open stream
		default:
			next := min(deadline, quiet, until)
			if frames {
				next = min(next, bookmark)
			}
			if c.server.writing && frames {
				next = min(next, max(c.server.nextWrite, c.server.now+time.Millisecond))
			}
			if c.side.Beside != NothingBeside {
				next = min(next, c.due)
			}
			if !c.pass(max(next, c.server.now+time.Millisecond)) {
				return
			}
		}
	}
}

func (c *simClient) frame(e simEvent) {
	m := metaOf(e.object.identity())
	if e.kind == decode.Deleted {
		if old, known := c.index.Remove(m); known {
			c.remove(old)
		}
	} else {
		c.observe(e.object)
	}
	c.tell(Outcome{Kind: EventSeen, ResourceVersion: strconv.Itoa(e.object.rv)})
}

// observe delivers what the index says is new.
func (c *simClient) observe(o simObject) {
	id := o.identity()
	change, old := c.index.Observe(metaOf(id))
	known, there := c.state[id.Key()]
	switch change {
	case Stale:
		c.stale = true
		return
	case Unchanged:
		c.expect(there && known == id, "Unchanged %v, known %v", id, known)
		return
	case Added:
		c.expect(!there, "Added %v, known %v", id, known)
	case Modified:
		c.expect(there && known.UID == id.UID && known != id, "Modified %v, known %v", id, known)
	case Replaced:
		c.expect(there && known == old && old.UID != id.UID, "Replaced %v by %v, known %v", old, id, known)
	}
	c.state[id.Key()] = id
}

func (c *simClient) remove(id decode.Identity) {
	c.expect(c.state[id.Key()] == id, "removed %v, known %v", id, c.state[id.Key()])
	delete(c.state, id.Key())
}

func (c *simClient) expect(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// inSync compares the folded state with the server's.
func (c *simClient) inSync() error {
	if len(c.state) != len(c.server.objects) {
		return fmt.Errorf("%d objects known, the server has %d", len(c.state), len(c.server.objects))
	}
	for key, o := range c.server.objects {
		if c.state[key] != o.identity() {
			return fmt.Errorf("known %v, the server has %v", c.state[key], o.identity())
		}
	}
	return nil
}

func metaOf(id decode.Identity) *decode.Meta {
	return &decode.Meta{
		Namespace: []byte(id.Namespace), Name: []byte(id.Name),
		UID: []byte(id.UID), ResourceVersion: []byte(id.ResourceVersion),
	}
}
