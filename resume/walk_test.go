package resume

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// walker is a server, network and driver gone mad: it answers anything at any
// time. What it draws comes from one source, so that a seed repeats a walk.
type walker struct {
	*referee
	draw    func(n int) int // [0,n); 0 when the source is dry
	lives   []time.Duration // how long answers take
	beside  bool            // the next outcome is of what runs beside the watch
	due     [2]time.Time    // when the waits are over, of the watch and beside it
	version uint64
	token   int
}

// walkOptions draws a machine's options.
func walkOptions(draw func(int) int) Options {
	o := Options{StreamInitial: draw(2) == 1, PageLimit: int64([]int{0, -1, 7}[draw(3)])}
	o.StreamRelist = o.StreamInitial && draw(2) == 1
	o.ListWhileWatching = draw(3) == 1
	if draw(3) == 1 {
		o.AuditEvery = time.Minute
	}
	if draw(4) == 1 {
		o.From = "1000"
	}
	// Chance at its extremes makes the shortest and the longest waits.
	o.Rand = func() float64 { return []float64{0, 0.5, 0.9999999}[draw(3)] }
	return o
}

func newWalker(draw func(int) int) (*walker, error) {
	r, err := newReferee(walkOptions(draw))
	if err != nil {
		return nil, err
	}
	w := &walker{referee: r, draw: draw, version: 1000, lives: lives}
	if draw(3) == 1 {
		w.lives = hurried
	}
	return w, nil
}

// walk takes n steps and returns the first broken rule.
func (w *walker) walk(n int) error {
	for range n {
		w.beside = w.side.Beside != NothingBeside && w.draw(3) == 0
		w.pass()
		a, err := w.step(w.outcome())
		if err != nil {
			return err
		}
		if a.Kind == Wait {
			w.due[0] = w.now.Add(a.Wait)
		}
		if a.Beside == WaitBeside {
			w.due[1] = w.now.Add(a.Wait)
		}
	}
	return nil
}

// hurried is what makes the most requests: failures at once, and now and then
// the shortest time that forgives them.
var hurried = []time.Duration{0, 0, 0, 0, 0, 0, 0, 0, 0, DefaultBackoffMax}

var lives = []time.Duration{0, 0, 0, time.Millisecond, time.Second, 4 * time.Second, 29 * time.Second, 30 * time.Second, 200 * time.Second, 11 * time.Minute}

// pass lets time go by: a wait's own, or what an answer may take.
func (w *walker) pass() {
	switch {
	case w.beside && w.side.Beside == WaitBeside:
		w.passTo(w.due[1])
	case !w.beside && w.last.Kind == Wait:
		w.passTo(w.due[0])
	default:
		w.now = w.now.Add(w.lives[w.draw(len(w.lives))])
	}
}

func (w *walker) passTo(t time.Time) {
	if t.After(w.now) {
		w.now = t
	}
}

func (w *walker) outcome() Outcome {
	o := Outcome{Kind: w.kind(), ResourceVersion: w.someVersion()}
	o.Continue = w.someToken()
	o.Beside = w.beside
	if w.draw(100) == 1 {
		o.Beside = !o.Beside
	}
	o.Stale = w.draw(20) == 1
	o.Emptied = w.draw(10) == 1
	o.Differs = w.draw(3) == 1
	o.InitialEventsEnd = w.draw(3) == 1
	o.AtDeadline = w.draw(2) == 1
	o.Failure = Failure{
		Class:      FailureClass(1 + w.draw(9)),
		RetryAfter: []time.Duration{0, 0, time.Millisecond, time.Second, time.Minute, 240 * time.Hour, -time.Second}[w.draw(7)],
		ErrorFrame: w.draw(2) == 1,
		Continue:   w.someToken(),
	}
	if w.draw(100) == 1 {
		o.Failure.Class = FailureClass(w.draw(256))
	}
	return o
}

// kind is mostly one that can happen.
func (w *walker) kind() OutcomeKind {
	if w.draw(10) == 1 {
		return OutcomeKind(w.draw(12))
	}
	if w.beside {
		if w.side.Beside == WaitBeside {
			return WaitOver
		}
		return []OutcomeKind{PageListed, PageListed, PageListed, Failed}[w.draw(4)]
	}
	switch w.last.Kind {
	case 0:
		return Started
	case List, Probe:
		return []OutcomeKind{PageListed, PageListed, PageListed, Failed}[w.draw(4)]
	case Watch, StreamInitial:
		return []OutcomeKind{StreamOpened, StreamOpened, StreamOpened, Failed}[w.draw(4)]
	case Read:
		return []OutcomeKind{EventSeen, BookmarkSeen, StreamEnded, Silent, Failed}[w.draw(5)]
	}
	return WaitOver
}

func (w *walker) someVersion() string {
	switch w.draw(12) {
	case 1:
		return ""
	case 2:
		return "0"
	case 3:
		return "v" + strconv.Itoa(w.draw(9))
	case 4:
		return strconv.FormatUint(w.version-uint64(w.draw(900)), 10)
	case 5:
		return strings.Repeat("9", 1+w.draw(30))
	case 6:
		return strings.Repeat("1", MaxVersionLength+w.draw(2))
	case 7:
		return "0" + strconv.FormatUint(w.version, 10)
	}
	w.version += uint64(w.draw(50))
	return strconv.FormatUint(w.version, 10)
}

func (w *walker) someToken() string {
	switch w.draw(6) {
	case 1, 2:
		w.token++
		return fmt.Sprint("token", w.token)
	case 3:
		return fmt.Sprint("token", w.token-w.draw(3))
	case 4:
		return strings.Repeat("t", MaxContinueLength+w.draw(2))
	}
	return ""
}

// walkMany takes many machines through anything, and returns what was seen.
func walkMany(t *testing.T, seed uint64, machines int) map[cell]bool {
	t.Helper()
	source := rand.New(rand.NewPCG(seed, 0))
	seen, most, steps := map[cell]bool{}, 0, 0
	for machine := range machines {
		w, err := newWalker(source.IntN)
		if err == nil {
			err = w.walk(20 + source.IntN(400))
		}
		if err != nil {
			t.Fatalf("seed %d, machine %d: %v", seed, machine, err)
		}
		maps.Copy(seen, w.cells)
		most, steps = max(most, w.most), steps+w.steps
	}
	t.Logf("seed %d: %d steps, %d transitions seen, at most %d requests in a minute", seed, steps, len(seen), most)
	return seen
}

// toldCells are the transitions that the table speaks of.
func toldCells() map[cell]bool {
	told := map[cell]bool{}
	for _, tr := range Transitions() {
		on := Outcome{Kind: tr.On, Failure: Failure{Class: tr.Class}}.signal()
		for _, next := range tr.To {
			told[cell{tr.In, on, next}] = true
		}
	}
	return told
}

// walkSteps is about how many steps the random walk takes: 10^5 and more in the
// gate, 10^7 in the nightly target.
var walkSteps = flag.Int("walk-steps", 200_000, "steps of the random walk")

// TestRandomWalk: whatever happens, the referee's rules hold, and nothing leads
// where the table does not say.
func TestRandomWalk(t *testing.T) {
	told := toldCells()
	for c := range walkMany(t, rand.Uint64(), *walkSteps/200) {
		if !told[c] {
			kind, class := c.on.outcome()
			t.Errorf("the table does not say that %v(%v) leads from %v to %v", kind, class, c.in, c.to)
		}
	}
}

// TestTableTellsNothingFalse: each next state that the table names is reached,
// in a script or in a walk that is always the same.
func TestTableTellsNothingFalse(t *testing.T) {
	seen := walkMany(t, 1, 500)
	for _, scripts := range []map[string]script{listScripts, watchScripts, initialScripts, besideScripts, auditScripts} {
		for _, s := range scripts {
			maps.Copy(seen, play(t, s.options, s.lines).cells)
		}
	}
	for _, class := range retriedBeside {
		r, _ := exhaust(t, class)
		maps.Copy(seen, r.cells)
	}
	for c := range toldCells() {
		if !seen[c] {
			kind, class := c.on.outcome()
			t.Errorf("the table says that %v(%v) leads from %v to %v; it never did", kind, class, c.in, c.to)
		}
	}
}

// FuzzMachine lets the fuzzer choose what happens.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"))
	source := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		b := make([]byte, 600)
		for i := range b {
			b[i] = byte(source.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		draw := func(n int) int {
			if len(b) == 0 {
				return 0
			}
			v := int(b[0])
			b = b[1:]
			return v % n
		}
		w, err := newWalker(draw)
		if err != nil {
			t.Fatal(err)
		}
		for len(b) > 0 {
			if err := w.walk(1); err != nil {
				t.Fatal(err)
			}
		}
	})
}
