package rawwatch

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// FuzzRule: whatever the value, the rule is what is left, or less of it.
func FuzzRule(f *testing.F) {
	for _, value := range []string{"", "s3cret", `"`, `\`, "\n", "\x00", "é\u2028", `": must be "`, "{}", "unmarshal number ", "9e9"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		text, err := json.Marshal(map[string]string{"v": value})
		if err != nil {
			t.Skip()
		}
		for _, quoted := range []string{fmt.Sprintf("%q", value), string(text), fmt.Sprintf("%#v", []string{value})} {
			for _, head := range valued {
				got := rule(head + quoted + ": must be new")
				bare := strings.TrimSuffix(head, ": ")
				if got != bare && got != bare+": must be new" && !strings.Contains("must be new", value) {
					t.Errorf("%s%s: %q is left", head, quoted, got)
				}
			}
			if got := unquoted("parsing " + fmt.Sprintf("%q", value) + " failed"); got != `parsing "…" failed` && got != `parsing "…"` {
				t.Errorf("%q: %q is left", value, got)
			}
		}
	})
}
