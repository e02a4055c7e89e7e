package checkpointtest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
)

func TestMemory(t *testing.T) {
	checkpointtest.Run(t, func(*testing.T) (resume.Checkpoint, func() resume.Checkpoint) {
		m := &checkpointtest.Memory{}
		return m, func() resume.Checkpoint {
			m = m.Reopen()
			return m
		}
	})
}

func TestMemoryFails(t *testing.T) {
	full := errors.New("full")
	var failing string
	m := &checkpointtest.Memory{Fail: func(operation, _ string) error {
		if operation == failing {
			return full
		}
		return nil
	}}
	ctx := t.Context()
	id := checkpointtest.PodsIdentity("pods")
	if err := m.Replace(ctx, id, "3", checkpointtest.Pods(3)); err != nil {
		t.Fatal(err)
	}
	failing = "commit"
	if err := m.Commit(ctx, "pods", nil, "4"); !errors.Is(err, full) {
		t.Errorf("Commit gives %v", err)
	}
	failing = "setaside"
	if err := m.SetAside(ctx, "pods", "why"); !errors.Is(err, full) {
		t.Errorf("SetAside gives %v", err)
	}
	failing = ""
	if s, err := m.Load(ctx, "pods"); err != nil || s.ResourceVersion != "3" {
		t.Errorf("Load gives %+v, %v", s, err)
	}
	for range 2 { // the state is still there, and in the list once
		if err := m.SetAside(ctx, "pods", "why"); err != nil {
			t.Fatal(err)
		}
		m = m.Reopen()
	}
	if got := m.Asides(); len(got) != 1 || got[0] != (checkpointtest.Aside{Identity: id, ResourceVersion: "3", Objects: 3, Reason: "why"}) {
		t.Errorf("set aside: %+v", got)
	}
	if err := m.Commit(ctx, "pods", nil, "4"); err != nil {
		t.Fatal(err)
	}
	if err := m.SetAside(ctx, "pods", "another state"); err != nil {
		t.Fatal(err)
	}
	if got := m.Asides(); len(got) != 2 || got[1].ResourceVersion != "4" {
		t.Errorf("set aside: %+v", got)
	}
}

// A clock that was set back makes nothing newer than now.
func TestAge(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := resume.Saved{SavedAt: at}
	if age := s.Age(at.Add(time.Hour)); age != time.Hour {
		t.Errorf("an hour later it is %v old", age)
	}
	if age := s.Age(at.Add(-time.Hour)); age != 0 {
		t.Errorf("an hour earlier it is %v old", age)
	}
}
