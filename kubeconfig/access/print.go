package access

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// redacted stands where a secret was.
const redacted = "REDACTED"

// String describes the configuration without its secrets.
func (c Config) String() string {
	return fmt.Sprintf("server %s, context %q, cluster %q, user %q (%s), namespace %q, from %q",
		redactURL(c.Server), c.Context, c.ClusterName, c.UserName, c.Credential(), c.Namespace, c.Source)
}

// GoString is for %#v, which must not print secrets either.
func (c Config) GoString() string { return "access.Config{" + c.String() + "}" }

// Format prints the same for every verb.
func (c Config) Format(f fmt.State, verb rune) { format(f, verb, c) }

// LogValue is the redacted form for log/slog.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("server", redactURL(c.Server)),
		slog.String("context", c.Context),
		slog.String("user", c.UserName),
		slog.String("credential", c.Credential()),
		slog.String("source", c.Source),
	)
}

// MarshalJSON keeps the secrets out of dumps; a Config is not meant to be
// stored.
func (c Config) MarshalJSON() ([]byte, error) { return json.Marshal(c.String()) }

// Credential names the kind of credential that requests carry, such as "token
// file" or "client certificate and exec plugin".
func (c Config) Credential() string {
	var kinds []string
	if c.hasCert() {
		kinds = append(kinds, "client certificate")
	}
	switch {
	case c.BearerTokenFile != "":
		kinds = append(kinds, "token file")
	case c.BearerToken != "":
		kinds = append(kinds, "token")
	case c.Username != "":
		kinds = append(kinds, "basic authentication")
	case c.Exec != nil && !c.hasCert():
		kinds = append(kinds, "exec plugin")
	case c.AuthProvider != nil:
		kinds = append(kinds, c.AuthProvider.Name+" auth-provider")
	}
	if len(kinds) == 0 {
		return "none"
	}
	return strings.Join(kinds, " and ")
}

// String shows the command and how much is passed to it.
func (e ExecConfig) String() string {
	return fmt.Sprintf("exec %s (%s), %d arguments, %d variables", e.Command, e.APIVersion, len(e.Args), len(e.Env))
}

// GoString is for %#v.
func (e ExecConfig) GoString() string { return "access.ExecConfig{" + e.String() + "}" }

// Format prints the same for every verb.
func (e ExecConfig) Format(f fmt.State, verb rune) { format(f, verb, e) }

// LogValue is the redacted form for log/slog.
func (e ExecConfig) LogValue() slog.Value { return slog.StringValue(e.String()) }

// MarshalJSON keeps the secrets out of dumps.
func (e ExecConfig) MarshalJSON() ([]byte, error) { return json.Marshal(e.String()) }

// String shows the name, and which settings there are.
func (a AuthProvider) String() string {
	return fmt.Sprintf("auth-provider %s with %s", a.Name, strings.Join(slices.Sorted(maps.Keys(a.Config)), ", "))
}

// GoString is for %#v.
func (a AuthProvider) GoString() string { return "access.AuthProvider{" + a.String() + "}" }

// Format prints the same for every verb.
func (a AuthProvider) Format(f fmt.State, verb rune) { format(f, verb, a) }

// LogValue is the redacted form for log/slog.
func (a AuthProvider) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalJSON keeps the secrets out of dumps.
func (a AuthProvider) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }

// String shows what is asked for, without the secrets.
func (o Options) String() string {
	secret := "no credential"
	if o.authenticates() || o.Password != "" {
		secret = "a credential"
	}
	return fmt.Sprintf("path %q, context %q, cluster %q, user %q, server %q, namespace %q, %s",
		o.Path, o.Context, o.Cluster, o.User, redactURL(o.Server), o.Namespace, secret)
}

// GoString is for %#v.
func (o Options) GoString() string { return "access.Options{" + o.String() + "}" }

// Format prints the same for every verb.
func (o Options) Format(f fmt.State, verb rune) { format(f, verb, o) }

// MarshalJSON keeps the secrets out of dumps.
func (o Options) MarshalJSON() ([]byte, error) { return json.Marshal(o.String()) }

// LogValue is the redacted form for log/slog.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// format serves all verbs with the one or the other form.
func format(f fmt.State, verb rune, v interface {
	fmt.Stringer
	fmt.GoStringer
}) {
	if verb == 'v' && f.Flag('#') {
		_, _ = f.Write([]byte(v.GoString()))
		return
	}
	_, _ = f.Write([]byte(v.String()))
}

// redactURL hides user info. What is no URL is not shown: it may hold anything.
func redactURL(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil && strings.ContainsAny(s, "@?"):
		return "(unreadable URL)"
	case err != nil || u.User == nil && u.RawQuery == "":
		return s
	}
	if u.User != nil {
		u.User = url.User(redacted)
	}
	if u.RawQuery != "" {
		u.RawQuery = redacted
	}
	return u.String()
}

// printable keeps what another program wrote from steering a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}
