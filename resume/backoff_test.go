package resume_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/resume"
)

func TestBackoffWait(t *testing.T) {
	b := resume.Backoff{Min: time.Second, Max: 5 * time.Second}
	for n, want := range []time.Duration{1, 1, 2, 4, 5, 5} { // n = 0 is taken as 1
		if got := b.Wait(n, 0); got != want*time.Second {
			t.Errorf("wait %d: %v, want %v s", n, got, want)
		}
	}
	if got := b.Wait(1, 0.5); got != 750*time.Millisecond {
		t.Errorf("half of the jitter leaves %v, want 750ms", got)
	}
	if got := (resume.Backoff{}).Wait(1, 0); got != resume.DefaultBackoffMin {
		t.Errorf("zero fields: %v, want the default", got)
	}
}

func TestBackoffCheck(t *testing.T) {
	if err := (resume.Backoff{}).Check(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
	if err := (resume.Backoff{Min: time.Hour, Max: 2 * time.Hour}).Check(); err != nil {
		t.Errorf("a long wait: %v", err)
	}
	var option *resume.OptionError
	if err := (resume.Backoff{Factor: 0.5}).Check(); !errors.As(err, &option) || option.Option != "Backoff.Factor" {
		t.Errorf("a factor below 1: %v", err)
	}
}
