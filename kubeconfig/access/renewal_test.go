package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a session whose credential comes from a script: each run of the
// source takes a second and gives the next answer.
type scripted struct {
	*Session
	renewal *renewal
	runs    int
	answer  func(run int) (*issued, error)
}

func newScript(t *testing.T, answer func(run int) (*issued, error)) *scripted {
	s := &scripted{answer: answer, Session: open(t, &Config{Server: "https://k.example"}, SessionOptions{})}
	s.renewal = &renewal{session: s.Session, leeway: 30 * time.Second, changed: s.rotate, source: func(ctx context.Context) (*issued, error) {
		s.runs++
		select {
		case <-time.After(time.Second):
			return s.answer(s.runs)
		case <-ctx.Done():
			return nil, ErrClosed
		}
	}}
	s.link.Load().credential = s.renewal
	return s
}

func (s *scripted) expect(t *testing.T, want string, runs int) {
	t.Helper()
	got, err := authorize(t, s.Session)
	if err != nil {
		got = err.Error()
	}
	if got != want || s.runs != runs {
		t.Errorf("got %q after %d runs, want %q after %d", got, s.runs, want, runs)
	}
}

func numbered(life time.Duration) func(int) (*issued, error) {
	return func(run int) (*issued, error) {
		i := &issued{token: fmt.Sprint(run)}
		if life != 0 {
			i.expires = time.Now().Add(life)
		}
		return i, nil
	}
}

func TestRenewedBeforeExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, numbered(10*time.Minute))
		s.expect(t, "Bearer 1", 1)
		wait(9 * time.Minute)
		s.expect(t, "Bearer 1", 1)
		wait(30 * time.Second)
		s.expect(t, "Bearer 2", 2)
	})
}

func TestNeverExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, numbered(0))
		s.expect(t, "Bearer 1", 1)
		wait(24 * 365 * time.Hour)
		s.expect(t, "Bearer 1", 1)
	})
}

func TestShortLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, numbered(10*time.Second)) // less than the leeway
		s.expect(t, "Bearer 1", 1)
		wait(4 * time.Second)
		s.expect(t, "Bearer 1", 1)
		wait(time.Second)
		s.expect(t, "Bearer 2", 2)
	})
}

// TestExpiredFromTheStart: such credentials are used, since the clock may be
// wrong, but the source is asked less and less often.
func TestExpiredFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, numbered(-time.Hour))
		began := time.Now()
		for time.Since(began) < time.Hour {
			if got, err := authorize(t, s.Session); err != nil || got == "" {
				t.Fatalf("%q, %v", got, err)
			}
			wait(100 * time.Millisecond)
		}
		if s.runs > 70 {
			t.Errorf("%d runs in an hour", s.runs)
		}
	})
}

func TestFailuresAreKeptAndSpaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		s := newScript(t, func(int) (*issued, error) { return nil, broken })
		began := time.Now()
		for time.Since(began) < time.Hour {
			if _, err := authorize(t, s.Session); !errors.Is(err, broken) {
				t.Fatal(err)
			}
			wait(100 * time.Millisecond)
		}
		if s.runs > 70 {
			t.Errorf("%d runs in an hour", s.runs)
		}
		s.answer = numbered(0)
		wait(lastRetry)
		s.expect(t, fmt.Sprintf("Bearer %d", s.runs+1), s.runs+1)
	})
}

// TestFailureWithinTheLeeway: what is still valid is used.
func TestFailureWithinTheLeeway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, numbered(10*time.Minute))
		s.expect(t, "Bearer 1", 1)
		s.answer = func(int) (*issued, error) { return nil, errors.New("broken") }
		wait(9*time.Minute + 31*time.Second)
		s.expect(t, "Bearer 1", 2)
		wait(time.Minute)
		s.expect(t, "broken", 3)
	})
}

func TestRejectionsAreSpaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t, func(int) (*issued, error) { return &issued{token: "always-the-same"}, nil })
		request := func() *http.Request {
			r, err := http.NewRequest(http.MethodGet, "https://k.example", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Authorize(r); err != nil {
				t.Fatal(err)
			}
			return r
		}
		if !s.Rejected(request()) {
			t.Error("the first rejection is answered at once")
		}
		began := time.Now()
		for time.Since(began) < time.Hour {
			s.Rejected(request())
			wait(100 * time.Millisecond)
		}
		if s.runs > 70 {
			t.Errorf("%d runs in an hour", s.runs)
		}
		wait(calmAfter + time.Second)
		if !s.Rejected(request()) {
			t.Error("after a calm, a rejection is answered at once")
		}
	})
}

func TestRotationOfCertificates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := testCA(t)
		first, second := ca.issue(t, "one", notAfter).certificate(t), ca.issue(t, "two", notAfter).certificate(t)
		s := newScript(t, func(run int) (*issued, error) {
			pair := &first
			if run > 2 {
				pair = &second
			}
			return &issued{cert: pair, expires: time.Now().Add(time.Hour)}, nil
		})
		rotations := 0
		cancel := s.OnRotate(func() { rotations++ })
		for run, want := range map[int]int{1: 0} {
			s.expect(t, "", run)
			if rotations != want {
				t.Errorf("%d rotations", rotations)
			}
		}
		wait(time.Hour)
		s.expect(t, "", 2)
		if rotations != 0 {
			t.Error("the certificate is the same")
		}
		wait(time.Hour)
		s.expect(t, "", 3)
		if rotations != 1 {
			t.Errorf("%d rotations for another certificate", rotations)
		}
		cancel()
		s.answer = func(int) (*issued, error) { return &issued{cert: &first}, nil }
		wait(time.Hour)
		s.expect(t, "", 4)
		if rotations != 1 {
			t.Error("called after cancel")
		}
	})
}
