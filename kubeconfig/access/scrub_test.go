package access

import (
	"strings"
	"testing"
)

func TestHideTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"cannot reach the login server", "cannot reach the login server"},
		{"eyJhbGciOiJIUzI1NiJ9.e30.abc", redacted},
		{"got eyJhbGciOiJIUzI1NiJ9.e30.abc back", "got " + redacted + " back"},
		{"eyJ alone is a word", "eyJ alone is a word"},
		{"Authorization: Bearer hunter2", "Authorization: Bearer " + redacted},
		{"token=hunter2 refused", "token=" + redacted + " refused"},
		{`{"password": "hunter2"}`, `{"password": "` + redacted + `"}`},
		{"API_KEY:hunter2", "API_KEY:" + redacted},
		{"the token is refused", "the token is refused"},
		{"token=", "token="},
		{"bearer", "bearer"},
		{"secret='hunter2' and passwd = hunter2", "secret='" + redacted + "' and passwd = " + redacted},
	} {
		if got := hideTokens(c.text); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzHideTokens(f *testing.F) {
	f.Add("token=hunter2 eyJhbGciOiJIUzI1NiJ9 Bearer x")
	f.Fuzz(func(t *testing.T, text string) {
		if got := hideTokens(text + " token=hunter2"); strings.Contains(got, "token=hunter2") {
			t.Errorf("%q", got)
		}
	})
}
