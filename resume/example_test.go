package resume_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// fakeAPI is where a driver would speak HTTP: it answers from a script.
type fakeAPI struct{ script []resume.Outcome }

func (f *fakeAPI) do(resume.Action) (resume.Outcome, bool) {
	if len(f.script) == 0 {
		return resume.Outcome{}, false
	}
	o := f.script[0]
	f.script = f.script[1:]
	return o, true
}

// A driver is a loop: carry out the action, tell the outcome.
func ExampleMachine() {
	machine, err := resume.New(resume.Options{Rand: func() float64 { return 0 }})
	if err != nil {
		panic(err)
	}
	api := fakeAPI{[]resume.Outcome{
		{Kind: resume.PageListed, ResourceVersion: "100", Continue: "next"},
		{Kind: resume.PageListed, ResourceVersion: "100"},
		{Kind: resume.StreamOpened},
		{Kind: resume.EventSeen, ResourceVersion: "105"},
		{Kind: resume.Failed, Failure: resume.Failure{Class: resume.Unavailable}}, // the connection is cut
		{Kind: resume.StreamOpened},
		{Kind: resume.Failed, Failure: resume.Failure{Class: resume.Expired, ErrorFrame: true}},
	}}
	now := time.Unix(0, 0)
	action, err := machine.Step(now, resume.Outcome{Kind: resume.Started})
	for err == nil {
		fmt.Println(action.Kind, action.ResourceVersion, action.Continue, action.Reason)
		outcome := resume.Outcome{Kind: resume.WaitOver}
		if action.Kind == resume.Wait {
			now = now.Add(action.Wait) // a real driver sleeps
		} else if o, ok := api.do(action); ok {
			outcome = o
		} else {
			break
		}
		action, err = machine.Step(now, outcome)
	}
	// Output:
	// List   initial
	// List  next next-page
	// Watch 100  listed
	// Read   resumed
	// Read   resumed
	// Wait   unavailable
	// Watch 105  resumed
	// Read   resumed
	// List   expired
}

// An outcome that cannot follow the last action is an error and changes
// nothing.
func ExampleTransitionError() {
	machine, _ := resume.New(resume.Options{})
	_, err := machine.Step(time.Now(), resume.Outcome{Kind: resume.EventSeen, ResourceVersion: "1"})
	var wrong *resume.TransitionError
	fmt.Println(errors.As(err, &wrong), wrong.Phase, wrong.Outcome)
	fmt.Println(machine.State().Phase)
	// Output:
	// true Idle EventSeen
	// Idle
}

// The state can be asked at any time.
func ExampleMachine_State() {
	machine, _ := resume.New(resume.Options{From: "4711"}) // from a checkpoint
	now := time.Now()
	for _, o := range []resume.Outcome{
		{Kind: resume.Started},
		{Kind: resume.StreamOpened},
		{Kind: resume.BookmarkSeen, ResourceVersion: "4800"},
	} {
		if _, err := machine.Step(now, o); err != nil {
			panic(err)
		}
	}
	s := machine.State()
	fmt.Println(s.Phase, s.ResourceVersion, s.Synced, s.Failures)
	// Output: Watching 4800 true 0
}

// Which failures a watch survives, and how, can be read off the table.
func ExampleTransitions() {
	for _, t := range resume.Transitions() {
		if t.In == resume.PhaseWatching && t.Class == resume.Throttled {
			fmt.Printf("%v, %v: %s → %v\n", t.In, t.Class, t.Does, t.To)
		}
	}
	// Output: Watching, Throttled: wait as told, then watch from the resume point → [Waiting]
}

// Decimal versions have an order, whatever their length; others are equal or
// not.
func ExampleCompareVersions() {
	fmt.Println(resume.CompareVersions("99", "100"))
	fmt.Println(resume.CompareVersions("18446744073709551616", "18446744073709551615"))
	fmt.Println(resume.CompareVersions("099", "100"))
	fmt.Println(resume.CompareVersions("v7", "v7"))
	// Output:
	// -1 true
	// 1 true
	// 0 false
	// 0 true
}

// pod is an object's metadata: "name uid version".
func pod(text string) *decode.Meta {
	f := strings.Fields(text)
	return &decode.Meta{Namespace: []byte("edge"), Name: []byte(f[0]), UID: []byte(f[1]), ResourceVersion: []byte(f[2])}
}

// A relist becomes the difference to what was known.
func ExampleIndex() {
	var index resume.Index[struct{}]
	for _, p := range []string{"a u1 10", "b u2 11", "c u3 12", "d u4 13"} {
		index.Observe(pod(p))
	}

	index.BeginRelist()
	for _, p := range []string{"a u1 10", "b u2 21", "c u9 22", "e u5 23"} {
		change, old := index.Observe(pod(p))
		if change == resume.Replaced {
			fmt.Println("Deleted", old.Key(), old.UID)
			change = resume.Added
		}
		fmt.Println(change, p)
	}
	for gone := range index.EndRelist() {
		fmt.Println("Deleted", gone.Key(), gone.UID)
	}
	// Output:
	// Unchanged a u1 10
	// Modified b u2 21
	// Deleted edge/c u3
	// Added c u9 22
	// Added e u5 23
	// Deleted edge/d u4
}

// A deletion that is told again, after the object came back, removes nothing.
func ExampleIndex_Remove() {
	var index resume.Index[struct{}]
	index.Observe(pod("a u1 30"))
	_, known := index.Remove(pod("a u1 20"))
	fmt.Println(known)
	old, known := index.Remove(pod("a u1 31"))
	fmt.Println(known, old.ResourceVersion)
	// Output:
	// false
	// true 30
}

// The index may hold a value per object, which spares a second map.
func ExampleIndex_Set() {
	var phases resume.Index[string]
	phases.Observe(pod("a u1 30"))
	phases.Set(decode.Key{Namespace: "edge", Name: "a"}, "Running")
	phases.Observe(pod("a u1 31")) // a new version: the value stays until it is set
	phases.Observe(pod("b u2 32"))

	var lines []string
	for id, phase := range phases.All() {
		lines = append(lines, fmt.Sprintf("%v %q", id.Key(), phase))
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, "\n"))
	// Output:
	// edge/a "Running"
	// edge/b ""
}
