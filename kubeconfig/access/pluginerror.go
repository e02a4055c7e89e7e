package access

import (
	"fmt"
	"strings"
)

// PluginError is an exec plugin that did not give a credential.
type PluginError struct {
	// Command is what was run, without its arguments.
	Command string
	// Err says what went wrong: an *exec.ExitError, an error of the operating
	// system, a [*LimitError], context.DeadlineExceeded, or what is wrong with
	// the plugin's answer.
	Err error
	// Stderr is the end of what the plugin printed to standard error, without
	// control characters, the values of its own Env, and what looks like a
	// token.
	Stderr string
	// Hint says what to do: for a missing command, the entry's installHint.
	Hint string
}

// Error implements error.
func (e *PluginError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "exec plugin %s: %v", e.Command, e.Err)
	if e.Stderr != "" {
		fmt.Fprintf(&b, "; it said: %s", e.Stderr)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "; %s", e.Hint)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *PluginError) Unwrap() error { return e.Err }

// scrub makes a plugin's words fit for an error.
func scrub(text string, secrets []EnvVar) string {
	for _, v := range secrets {
		if len(v.Value) >= shortestSecret {
			text = strings.ReplaceAll(text, v.Value, redacted)
		}
	}
	text = hideTokens(text)
	return strings.TrimSpace(printable(text))
}

// shortestSecret keeps the scrubbing from tearing words apart.
const shortestSecret = 4
