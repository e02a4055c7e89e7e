package resume

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// line is one step of a script: what happens after how long, and what the
// machine then asks, as describe writes it.
type line struct {
	after time.Duration
	o     Outcome
	want  string
}

// describe writes an action in a few words. Chance is 0 in scripts: waits are
// exact, and timeouts the shortest.
func describe(a Action) string {
	words := []string{a.Kind.String()}
	add := func(ok bool, format string, v any) {
		if ok {
			words = append(words, fmt.Sprintf(format, v))
		}
	}
	add(a.ResourceVersion != "", "from %s", a.ResourceVersion)
	add(a.Continue != "", "token %s", a.Continue)
	add(a.Kind == List, "limit %d", a.Limit)
	add(a.Kind == Wait, "%v", a.Wait)
	add(a.Kind != Read, "(%s)", a.Reason)
	if a.Beside == GoOnBeside {
		words = append(words, "+")
	} else if a.Beside != NothingBeside {
		words = append(words, "+ "+strings.TrimSuffix(a.Beside.String(), "Beside"))
		add(a.Beside == WaitBeside, "%v", a.Wait)
	}
	add(a.BeginList, "%s", "begin")
	add(a.Rewritten, "%s", "rewritten")
	add(a.Synced, "%s", "synced")
	return strings.Join(words, " ")
}

func page(version, token string) Outcome {
	return Outcome{Kind: PageListed, ResourceVersion: version, Continue: token}
}

func event(version string) Outcome    { return Outcome{Kind: EventSeen, ResourceVersion: version} }
func bookmark(version string) Outcome { return Outcome{Kind: BookmarkSeen, ResourceVersion: version} }

func mark(version string) Outcome {
	return Outcome{Kind: BookmarkSeen, ResourceVersion: version, InitialEventsEnd: true}
}

func framed(c FailureClass) Outcome {
	return Outcome{Kind: Failed, Failure: Failure{Class: c, ErrorFrame: true}}
}

var (
	deadline = Outcome{Kind: StreamEnded, AtDeadline: true}
	quiet    = Outcome{Kind: Silent}
)

// play runs a script.
func play(t *testing.T, o Options, lines []line) *referee {
	t.Helper()
	o.Rand = func() float64 { return 0 }
	r, err := newReferee(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines {
		if r.last.Kind == Wait && l.after == 0 {
			l.after = r.last.Wait
		}
		r.now = r.now.Add(l.after)
		a, err := r.step(l.o)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if got := describe(a); got != l.want {
			t.Fatalf("line %d, %v(%v): got %s, want %s", i+1, l.o.Kind, l.o.Failure.Class, got, l.want)
		}
	}
	return r
}

// synced is the beginning of most scripts.
var synced = []line{
	{0, start, "List limit 500 (initial) begin"},
	{0, page("100", ""), "Watch from 100 (listed) synced"},
	{0, opens, "Read"},
}

func after(begin []line, more ...line) []line { return append(append([]line(nil), begin...), more...) }

// script is a conversation with a machine of these options.
type script struct {
	options Options
	lines   []line
}

func TestScripts(t *testing.T) {
	for _, scripts := range []map[string]script{listScripts, watchScripts, initialScripts, besideScripts, auditScripts} {
		for name, s := range scripts {
			t.Run(name, func(t *testing.T) { play(t, s.options, s.lines) })
		}
	}
}

// TestPatience: when a list does not make streams bring something, the next one
// is longer in coming.
func TestPatience(t *testing.T) {
	r := play(t, Options{}, synced)
	var streams []int
	n := 1
	for _, o := range repeat(150, cleanEnd, over) {
		a, err := r.step(o)
		if err != nil {
			t.Fatal(err)
		}
		switch a.Kind {
		case List:
			streams, n = append(streams, n), 0
			_, err = r.step(page("100", ""))
			fallthrough
		case Watch:
			n++
			if _, err2 := r.step(opens); err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
		case Wait:
			r.now = r.now.Add(a.Wait)
		}
	}
	if want := []int{3, 6, 12, 24, 48, 48}; !slices.Equal(streams, want) {
		t.Errorf("lists after %v streams, want %v", streams, want)
	}
}

func repeat(n int, outcomes ...Outcome) []Outcome {
	var all []Outcome
	for range n {
		all = append(all, outcomes...)
	}
	return all
}

// TestChanceSpreads: those who lost the same server, were throttled or were
// forbidden together do not come back together.
func TestChanceSpreads(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		o     Outcome
		want  time.Duration // with chance 0.5
	}{
		"ended":                  {time.Minute, cleanEnd, time.Second},
		"torn":                   {time.Minute, failure(Unavailable), time.Second},
		"torn, with a time":      {time.Minute, told(failure(Unavailable), 7*time.Second), 7 * time.Second},
		"throttled for a second": {time.Minute, told(failure(Throttled), time.Second), 1500 * time.Millisecond},
		"throttled for long":     {time.Minute, told(failure(Throttled), 20*time.Second), 25 * time.Second},
		"forbidden":              {time.Minute, failure(Forbidden), 37500 * time.Millisecond},
	} {
		r := play(t, Options{}, synced)
		r.m.rand = func() float64 { return 0.5 }
		r.now = r.now.Add(c.after)
		if a, err := r.step(c.o); err != nil || a.Kind != Wait || a.Wait != c.want {
			t.Errorf("%s: %v %v (%v), want %v", name, a.Kind, a.Wait, err, c.want)
		}
	}
}
