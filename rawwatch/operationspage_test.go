package rawwatch_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

// TestOperationsPage: docs/operations.md names every field and every hook, and
// its defaults are the code's.
func TestOperationsPage(t *testing.T) {
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, of := range []reflect.Type{reflect.TypeFor[rawwatch.Status](), reflect.TypeFor[rawwatch.ClientStatus]()} {
		for i := range of.NumField() {
			row := regexp.MustCompile("(?m)^\\| [^|]*`" + of.Field(i).Name + "`[^|]*\\|")
			if !row.MatchString(page) {
				t.Errorf("no row for %s.%s", of.Name(), of.Field(i).Name)
			}
		}
	}
	source, err := os.ReadFile("hooks.go")
	if err != nil {
		t.Fatal(err)
	}
	hooks := regexp.MustCompile(`(?m)^type (Hook\w+) interface \{`).FindAllStringSubmatch(string(source), -1)
	if len(hooks) == 0 {
		t.Error("no hooks found in hooks.go")
	}
	for _, hook := range hooks {
		if !strings.Contains(page, "\n| `"+hook[1]+"` |") {
			t.Errorf("no row for %s", hook[1])
		}
	}
	for where, value := range map[string]string{
		"`Budget.PerSecond`":                   fmt.Sprintf("%d/s", rawwatch.DefaultRequestsPerSecond),
		"`Budget.Burst`":                       fmt.Sprint(rawwatch.DefaultRequestBurst),
		"`Breaker.Failures`":                   fmt.Sprint(rawwatch.DefaultBreakerFailures),
		"`Breaker.Open`":                       rawwatch.DefaultBreakerOpen.String(),
		"`Backoff.Min`":                        resume.DefaultBackoffMin.String(),
		"`Backoff.Max`":                        resume.DefaultBackoffMax.String(),
		"`Backoff.Factor`":                     fmt.Sprint(resume.DefaultBackoffFactor),
		"`Backoff.Jitter`":                     fmt.Sprint(resume.DefaultBackoffJitter),
		"`resume.DefaultSlowRetry`":            resume.DefaultSlowRetry.String(),
		"`resume.DefaultMaxRetryAfter`":        resume.DefaultMaxRetryAfter.String(),
		"`PageLimit`":                          fmt.Sprint(resume.DefaultPageLimit),
		"`WatchTimeoutMin`, `WatchTimeoutMax`": fmt.Sprintf("%v to %v", resume.DefaultWatchTimeoutMin, resume.DefaultWatchTimeoutMax),
		"`SilenceBound`":                       resume.DefaultSilence.String(),
		"`resume.DefaultInitialLimit`":         resume.DefaultInitialLimit.String(),
		"`ConnectTimeout`":                     rawwatch.DefaultConnectTimeout.String(),
		"`HeaderTimeout`":                      rawwatch.DefaultHeaderTimeout.String(),
		"`DataTimeout`":                        rawwatch.DefaultDataTimeout.String(),
		"`WatchGrace`":                         rawwatch.DefaultWatchGrace.String(),
		"`PingInterval`, `PingTimeout`":        fmt.Sprintf("%v, %v", rawwatch.DefaultPingInterval, rawwatch.DefaultPingTimeout),
		"`Link`":                               fmt.Sprintf("%v, %v", rawwatch.MeteredPingInterval, rawwatch.MeteredPingTimeout),
	} {
		if row := "| " + value + " | " + where + " |\n"; !strings.Contains(page, row) {
			t.Errorf("no default %s", row)
		}
	}
}
