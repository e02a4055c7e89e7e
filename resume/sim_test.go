package resume

import (
	"math/rand/v2"
	"testing"
	"time"
)

// scenario is a time in which something is wrong with a server.
type scenario struct {
	name      string
	options   Options
	lasts     time.Duration // 0 is an hour
	begin     func(s *simServer, f *simFaults)
	perMinute int // most requests in any minute of it
	check     func(t *testing.T, c *simClient)
}

func always(o Outcome) func() *Outcome { return func() *Outcome { return &o } }

func told(o Outcome, after time.Duration) Outcome {
	o.Failure.RetryAfter = after
	return o
}

func ends(low, high time.Duration, r *rand.Rand, o Outcome, frames bool) func() *streamEnd {
	return func() *streamEnd {
		return &streamEnd{after: low + time.Duration(r.Float64()*float64(high-low)), outcome: o, frames: frames}
	}
}

var cleanEnd = Outcome{Kind: StreamEnded}

var scenarios = []scenario{
	{name: "nothing is wrong", begin: func(s *simServer, f *simFaults) {}, perMinute: 2,
		check: func(t *testing.T, c *simClient) {
			if c.relists != 1 {
				t.Errorf("%d lists, want the first only", c.relists)
			}
		}},
	{name: "no connection", perMinute: 12, begin: func(s *simServer, f *simFaults) {
		f.list, f.watch = always(failure(Unavailable)), always(failure(Unavailable))
	}},
	{name: "every request is throttled for a second", perMinute: 12, begin: func(s *simServer, f *simFaults) {
		f.list, f.watch = always(told(failure(Throttled), time.Second)), always(told(failure(Throttled), time.Second))
	}},
	{name: "throttled for a day", perMinute: 2, begin: func(s *simServer, f *simFaults) {
		f.watch = always(told(failure(Throttled), 24*time.Hour))
	}},
	{name: "streams end at once", perMinute: 12, begin: func(s *simServer, f *simFaults) {
		f.life = ends(0, 0, s.rand, cleanEnd, false)
	}, check: func(t *testing.T, c *simClient) {
		if c.relists < 3 || c.relists > 12 {
			t.Errorf("%d lists in an hour of empty streams, want a few", c.relists)
		}
	}},
	{name: "streams end after 2 to 6 s", perMinute: 12, begin: func(s *simServer, f *simFaults) {
		f.life = ends(2*time.Second, 6*time.Second, s.rand, cleanEnd, true)
	}},
	{name: "streams break after 2 to 6 s", perMinute: 12, begin: func(s *simServer, f *simFaults) {
		f.life = ends(2*time.Second, 6*time.Second, s.rand, failure(Unavailable), true)
	}},
	{name: "a proxy cuts each minute", perMinute: 4, begin: func(s *simServer, f *simFaults) {
		f.life = ends(time.Minute, time.Minute, s.rand, failure(Unavailable), true)
	}},
	{name: "every watch is expired", perMinute: 20, begin: func(s *simServer, f *simFaults) {
		f.watch = always(failure(Expired))
	}},
	{name: "every version is from the future", perMinute: 20, begin: func(s *simServer, f *simFaults) {
		f.watch = always(failure(TooLargeVersion))
	}},
	{name: "every stream is garbage", perMinute: 12, begin: func(s *simServer, f *simFaults) {
		f.life = ends(0, time.Second, s.rand, failure(BadResponse), false)
	}, check: func(t *testing.T, c *simClient) {
		if c.relists < 2 {
			t.Error("never listed past the frame that breaks streams")
		}
	}},
	{name: "watching is forbidden", perMinute: 3, begin: func(s *simServer, f *simFaults) {
		f.watch = always(failure(Forbidden))
	}},
	{name: "the resource is gone", perMinute: 3, begin: func(s *simServer, f *simFaults) {
		f.list, f.watch = always(failure(NotFound)), always(failure(NotFound))
	}},
	{name: "watches are refused", perMinute: 6, begin: func(s *simServer, f *simFaults) {
		f.watch = always(failure(Refused))
	}},
	{name: "the credential is refused", perMinute: 12, begin: func(s *simServer, f *simFaults) {
		f.list, f.watch = always(failure(Unauthorized)), always(failure(Unauthorized))
	}},
	{name: "expired, and lists have no version", perMinute: 14, begin: func(s *simServer, f *simFaults) {
		s.compact()
		f.watch = always(failure(Expired))
		f.page = func(o Outcome) Outcome { o.ResourceVersion = ""; return o }
	}},
	{name: "expired, and pages run in circles", perMinute: 20, options: Options{PageLimit: 5}, begin: func(s *simServer, f *simFaults) {
		f.watch = always(failure(Expired))
		n := 0
		f.page = func(o Outcome) Outcome {
			n++
			o.Continue = []string{"a", "b", "c"}[n%3]
			s.snapshots[o.Continue] = s.sorted()
			o.ResourceVersion = "999999"
			return o
		}
	}},
	{name: "continue tokens live shorter than a list", perMinute: 20, options: Options{PageLimit: 5}, begin: func(s *simServer, f *simFaults) {
		s.write()
		s.compact()
		f.list = func() *Outcome { clear(s.snapshots); return nil }
	}, check: func(t *testing.T, c *simClient) {
		if want := 1 + 1 + MaxListRestarts + 1; c.relists != want || c.inSync() != nil {
			t.Errorf("%d lists, want %d, the last in one piece", c.relists, want)
		}
	}},
	{name: "lists take longer than the history lasts", perMinute: 10, options: Options{PageLimit: 5}, begin: slowLists, check: func(t *testing.T, c *simClient) {
		if want := 1 + 2 + 1; c.relists != want || c.inSync() != nil {
			t.Errorf("%d lists, want %d, the last beside a watch (%v)", c.relists, want, c.inSync())
		}
	}},
	{name: "lists beside watches", perMinute: 10, options: Options{PageLimit: 5, ListWhileWatching: true}, begin: slowLists, check: func(t *testing.T, c *simClient) {
		if c.relists != 2 || c.inSync() != nil {
			t.Errorf("%d lists, want 2 (%v)", c.relists, c.inSync())
		}
	}},
	{name: "lists beside watches that break", perMinute: 14, options: Options{PageLimit: 5, ListWhileWatching: true}, begin: func(s *simServer, f *simFaults) {
		slowLists(s, f)
		f.life = ends(5*time.Second, 50*time.Second, s.rand, failure(Unavailable), true)
	}},
	{name: "lists beside watches, pages fail", perMinute: 14, options: Options{PageLimit: 5, ListWhileWatching: true}, begin: func(s *simServer, f *simFaults) {
		slowLists(s, f)
		f.life = ends(time.Minute, 10*time.Minute, s.rand, failure(Expired), true)
		f.list = func() *Outcome {
			if o := failure(Unavailable); s.rand.IntN(3) == 0 {
				return &o
			}
			return nil
		}
	}},
	{name: "a frame is lost, and an audit finds it", perMinute: 8, options: Options{PageLimit: 20, AuditEvery: 2 * time.Minute}, begin: func(s *simServer, f *simFaults) {
		s.states = map[int][]simObject{}
		n := 0
		f.lose = func(simEvent) bool { n++; return n%20 == 10 && n < 700 }
	}, check: func(t *testing.T, c *simClient) {
		if c.relists < 2 || c.audits < 10 || c.inSync() != nil {
			t.Errorf("%d lists after %d audits (%v)", c.relists, c.audits, c.inSync())
		}
	}},
	{name: "audits find nothing where nothing is wrong", perMinute: 6, options: Options{PageLimit: 5, AuditEvery: 2 * time.Minute}, begin: func(s *simServer, f *simFaults) {
		s.states = map[int][]simObject{}
		f.slow = 3 * time.Second
	}, check: func(t *testing.T, c *simClient) {
		if c.relists != 1 || c.audits < 20 {
			t.Errorf("%d lists after %d audits, want 1", c.relists, c.audits)
		}
	}},
	{name: "the server was restored to a backup", lasts: 20 * time.Minute, perMinute: 8, begin: func(s *simServer, f *simFaults) {
		b := s.save()
		for range 2000 {
			s.write()
		}
		s.until(s.now + 2*time.Second)
		restoreLater(s, f, b)
	}, check: func(t *testing.T, c *simClient) {
		if c.probes != 1 || c.relists != 2 {
			t.Errorf("%d probes and %d lists, want 1 and 2", c.probes, c.relists)
		}
	}},
	{name: "a cache answers lists with old news", lasts: time.Minute, perMinute: 16, begin: func(s *simServer, f *simFaults) {
		b := s.save()
		for range 30 {
			s.write()
		}
		s.compact()
		n := 0
		f.old = func() *saved {
			if n++; n == 1 {
				return &b
			}
			return nil
		}
	}, check: func(t *testing.T, c *simClient) {
		if c.relists != 3 {
			t.Errorf("%d lists, want the first, the doubted, and the believed one", c.relists)
		}
	}},
	{name: "initial events", options: Options{StreamInitial: true, StreamRelist: true}, perMinute: 20, begin: func(s *simServer, f *simFaults) {
		n := 0
		f.watch = func() *Outcome {
			o := failure(Expired)
			if n++; n%2 == 1 {
				return &o
			}
			return nil
		}
	}},
	{name: "initial events are refused", options: Options{StreamInitial: true, StreamRelist: true}, perMinute: 16, begin: func(s *simServer, f *simFaults) {
		f.watch = always(failure(Refused))
	}},
	{name: "initial events never end", options: Options{StreamInitial: true, StreamRelist: true}, lasts: 10 * time.Minute, perMinute: 8, begin: func(s *simServer, f *simFaults) {
		s.compact()
		s.write()
		s.compact()
		f.noMark = true
		n := 0
		f.watch = func() *Outcome {
			o := failure(Expired)
			if n++; n == 1 {
				return &o
			}
			return nil
		}
	}, check: func(t *testing.T, c *simClient) {
		if s := c.m.State(); !s.StreamRefused && !s.StreamSlow {
			t.Error("it was not remembered")
		}
	}},
	{name: "initial streams break", options: Options{StreamInitial: true, StreamRelist: true}, lasts: 10 * time.Minute, perMinute: 14, begin: func(s *simServer, f *simFaults) {
		n := 0
		f.watch = func() *Outcome {
			o := failure(Expired)
			if n++; n == 1 {
				return &o
			}
			return nil
		}
		f.life = ends(0, time.Second, s.rand, failure(Unavailable), true)
	}},
}

// slowLists makes lists take minutes, on a server whose history lasts one.
func slowLists(s *simServer, f *simFaults) {
	s.write()
	s.compact()
	s.keeps = time.Minute
	f.slow = 20 * time.Second
}

// restoreLater restores the backup once the watch has seen what it will lose.
func restoreLater(s *simServer, f *simFaults, b saved) {
	n := 0
	f.life = func() *streamEnd {
		if n++; n == 1 {
			return &streamEnd{after: 10 * time.Second, outcome: cleanEnd, frames: true}
		}
		return nil
	}
	done := false
	f.watch = func() *Outcome {
		if n == 1 && !done {
			done = true
			s.restore(b)
			s.compacted = 0
		}
		return nil
	}
}

// TestScenarios: while things are wrong, requests stay few (invariant 4); once
// they are right, the state is the server's again after few requests
// (invariant 5); and all the while every change is a true one (invariant 6).
func TestScenarios(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			for run := range uint64(10) {
				sc.play(t, rand.New(rand.NewPCG(seed, run)), run == 0)
			}
		})
	}
}

func (sc scenario) play(t *testing.T, r *rand.Rand, loud bool) {
	t.Helper()
	s := newSimServer(r)
	c := newSimClient(s, sc.options)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.run(5 * time.Minute))
	must(c.inSync())

	c.most, c.asked = 0, nil
	sc.begin(s, &c.faults)
	trouble := s.now + orDefault(sc.lasts, time.Hour)
	must(c.run(trouble))
	if c.most > sc.perMinute {
		t.Errorf("%d requests in a minute, want at most %d", c.most, sc.perMinute)
	}
	if sc.check != nil {
		sc.check(t, c)
	}

	c.faults = simFaults{}
	before, began := c.total, s.now
	for c.err == nil && (c.last.Kind != Read || c.inSync() != nil) && s.now < began+10*time.Minute {
		must(c.run(s.now + time.Second))
	}
	must(c.inSync())
	if n := c.total - before; n > 8 {
		t.Errorf("%d requests until in sync again", n)
	}
	if loud {
		t.Logf("at most %d requests a minute; in sync %v and %d requests after", c.most, (s.now - began).Round(time.Second), c.total-before)
	}
}
