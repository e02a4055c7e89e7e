package checkpointtest

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// Run is what every checkpoint has to pass. open is called with a test of its
// own and gives an empty checkpoint, and a function that closes it and opens
// what it stored again.
func Run(t *testing.T, open func(t *testing.T) (c resume.Checkpoint, reopen func() resume.Checkpoint)) {
	for name, test := range map[string]func(*testing.T, *subject){
		"nothing saved":      nothingSaved,
		"replace and load":   replaceAndLoad,
		"a failed replace":   failedReplace,
		"random commits":     randomCommits,
		"watches are apart":  watchesApart,
		"set aside":          setAside,
		"versions only":      versionsOnly,
		"notes":              notes,
		"bad identities":     badIdentities,
		"a cancelled caller": cancelledCaller,
		"closed":             closed,
	} {
		t.Run(name, func(t *testing.T) {
			s := &subject{t: t}
			s.c, s.reopen = open(t)
			test(t, s)
			if err := s.c.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

type subject struct {
	t      *testing.T
	c      resume.Checkpoint
	reopen func() resume.Checkpoint
}

func (s *subject) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// holds loads a watch, before and after opening again.
func (s *subject) holds(watch string, want State) {
	s.t.Helper()
	for _, when := range []string{"now", "opened again"} {
		got, err := Load(s.t.Context(), s.c, watch)
		if err != nil {
			s.t.Fatalf("%s: %v", when, err)
		}
		if diff := got.Diff(want); diff != "" {
			s.t.Fatalf("%s: %s", when, diff)
		}
		s.c = s.reopen()
	}
}

func (s *subject) holdsNothing(watch string) {
	s.t.Helper()
	for range 2 {
		if _, err := s.c.Load(s.t.Context(), watch); !errors.Is(err, resume.ErrNothingSaved) {
			s.t.Fatalf("Load gives %v", err)
		}
		s.c = s.reopen()
	}
}

// replace stores pods and says what Load has to give then.
func (s *subject) replace(watch string, pods int, version string) State {
	s.t.Helper()
	s.ok(s.c.Replace(s.t.Context(), PodsIdentity(watch), version, Pods(pods)))
	return podsState(pods, version)
}

func podsState(pods int, version string) State {
	var b resume.Batch
	for r := range Pods(pods) {
		b.Add(&r)
	}
	want := State{Objects: map[decode.Key]string{}}
	_ = want.Apply(&b, version) // a batch of our own can be read
	return want
}

func nothingSaved(t *testing.T, s *subject) {
	if err := s.c.Commit(t.Context(), "pods", nil, "5"); !errors.Is(err, resume.ErrNothingSaved) {
		t.Errorf("Commit gives %v", err)
	}
	s.ok(s.c.SetAside(t.Context(), "pods", "there is none"))
	s.holdsNothing("pods")
}

func replaceAndLoad(t *testing.T, s *subject) {
	for _, pods := range []int{0, 1, 3000, 7} {
		want := s.replace("pods", pods, "4711")
		s.holds("pods", want)
		saved, err := s.c.Load(t.Context(), "pods")
		s.ok(err)
		if diff := saved.Identity.Differences(PodsIdentity("pods")); len(diff) > 0 {
			t.Errorf("the identity differs in %v", diff)
		}
		if saved.SavedAt.IsZero() {
			t.Error("no time")
		}
		for range saved.Objects {
			break // and no harm is done
		}
		s.holds("pods", want)
	}
}

func failedReplace(t *testing.T, s *subject) {
	broken := errors.New("the list broke off")
	half := func(yield func(resume.Record, error) bool) {
		for r := range Pods(2000) {
			if !yield(r, nil) {
				return
			}
		}
		yield(resume.Record{}, broken)
	}
	if err := s.c.Replace(t.Context(), PodsIdentity("pods"), "9", half); !errors.Is(err, broken) {
		t.Fatalf("Replace gives %v", err)
	}
	s.holdsNothing("pods")
	want := s.replace("pods", 5, "10")
	if err := s.c.Replace(t.Context(), PodsIdentity("pods"), "11", half); !errors.Is(err, broken) {
		t.Fatalf("Replace gives %v", err)
	}
	s.holds("pods", want)
}

func randomCommits(t *testing.T, s *subject) {
	const objects = 50
	want := s.replace("pods", objects, "50")
	churn := NewChurn(1, objects)
	var b resume.Batch
	for round := range 60 {
		b.Reset()
		version := churn.Next(&b, 40)
		s.ok(s.c.Commit(t.Context(), "pods", &b, version))
		s.ok(want.Apply(&b, version))
		if round%10 == 0 {
			s.holds("pods", want)
		}
	}
	s.holds("pods", want)
}

func watchesApart(t *testing.T, s *subject) {
	a := s.replace("a", 10, "10")
	z := s.replace("z", 20, "20")
	var b resume.Batch
	var r resume.Record
	Pod(&r, 3, 99)
	r.Deleted = true
	b.Add(&r)
	s.ok(s.c.Commit(t.Context(), "z", &b, "99"))
	s.ok(z.Apply(&b, "99"))
	s.holds("a", a)
	s.holds("z", z)
	s.ok(s.c.SetAside(t.Context(), "a", "another cluster"))
	s.holds("a", a)
	a = s.replace("a", 2, "21")
	s.holds("z", z)
	s.holds("a", a)
}

// setAside: a process may be killed at any time before the state is replaced, and
// the one that follows begins again.
func setAside(t *testing.T, s *subject) {
	want := s.replace("pods", 30, "30")
	churn := NewChurn(3, 30)
	var b resume.Batch
	for range 7 {
		for range 2 {
			s.ok(s.c.SetAside(t.Context(), "pods", "the selector changed"))
			s.ok(s.c.SetAside(t.Context(), "pods", "the selector changed"))
			s.holds("pods", want)
		}
		b.Reset()
		version := churn.Next(&b, 20)
		s.ok(s.c.Commit(t.Context(), "pods", &b, version)) // it is a state as any
		s.ok(want.Apply(&b, version))
		s.holds("pods", want)
	}
	s.ok(s.c.SetAside(t.Context(), "pods", "another cluster"))
	broken := errors.New("the list broke off")
	none := func(yield func(resume.Record, error) bool) { yield(resume.Record{}, broken) }
	if err := s.c.Replace(t.Context(), PodsIdentity("pods"), "40", none); !errors.Is(err, broken) {
		t.Errorf("Replace gives %v", err)
	}
	s.holds("pods", want)
	s.holds("pods", s.replace("pods", 2, "41"))
}

func versionsOnly(t *testing.T, s *subject) {
	want := s.replace("pods", 4, "4")
	s.ok(s.c.Commit(t.Context(), "pods", nil, "17"))
	want.ResourceVersion = "17"
	s.holds("pods", want)
	var b resume.Batch
	var r resume.Record
	Pod(&r, 9, 18)
	b.Add(&r)
	s.ok(s.c.Commit(t.Context(), "pods", &b, "")) // the version stays
	s.ok(want.Apply(&b, ""))
	s.holds("pods", want)
}

// notes are of a [resume.Noter] only.
func notes(t *testing.T, s *subject) {
	noter, ok := s.c.(resume.Noter)
	if !ok {
		t.Skip("this checkpoint takes no notes")
	}
	var b resume.Batch
	if err := noter.Note(t.Context(), "pods", &b); !errors.Is(err, resume.ErrNothingSaved) {
		t.Errorf("Note gives %v", err)
	}
	want := s.replace("pods", 4, "4")
	payload := s.c.Status().Payload
	churn := NewChurn(2, 4)
	for range 5 {
		b.Reset()
		churn.Next(&b, 3)
		s.ok(noter.Note(t.Context(), "pods", &b))
		s.ok(want.Apply(&b, ""))
	}
	if now := s.c.Status().Payload; now != payload {
		t.Errorf("notes are %d bytes of payload", now-payload)
	}
	s.holds("pods", want)
}

func badIdentities(t *testing.T, s *subject) {
	for _, id := range []resume.WatchIdentity{{}, {Watch: "x"}, {Watch: "a\x00b", Resource: "pods"}} {
		var bad *resume.IdentityError
		if err := s.c.Replace(t.Context(), id, "1", Pods(1)); !errors.As(err, &bad) {
			t.Errorf("%+v gives %v", id, err)
		}
	}
}

func cancelledCaller(t *testing.T, s *subject) {
	want := s.replace("pods", 4, "4")
	ctx, cancel := context.WithCancel(t.Context())
	var midway iter.Seq2[resume.Record, error] = func(yield func(resume.Record, error) bool) {
		for r := range Pods(5000) {
			if !yield(r, nil) {
				return
			}
			cancel()
		}
	}
	if err := s.c.Replace(ctx, PodsIdentity("pods"), "5", midway); !errors.Is(err, context.Canceled) {
		t.Errorf("Replace gives %v", err)
	}
	if err := s.c.Commit(ctx, "pods", nil, "6"); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit gives %v", err)
	}
	s.holds("pods", want)
}

func closed(t *testing.T, s *subject) {
	s.replace("pods", 4, "4")
	s.ok(s.c.Close())
	ctx := t.Context()
	_, loadErr := s.c.Load(ctx, "pods")
	for call, err := range map[string]error{
		"Load":     loadErr,
		"Commit":   s.c.Commit(ctx, "pods", nil, "5"),
		"Replace":  s.c.Replace(ctx, PodsIdentity("pods"), "5", Pods(1)),
		"SetAside": s.c.SetAside(ctx, "pods", "why"),
	} {
		if !errors.Is(err, resume.ErrCheckpointClosed) {
			t.Errorf("%s gives %v", call, err)
		}
	}
	if h := s.c.Status().Health; h != resume.CheckpointClosed {
		t.Errorf("Status says %v", h)
	}
}
