package access

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/rawwatch/rawwatch/internal/silent"
)

// Logger is told what happens; a [*slog.Logger] is one. It must be safe for
// concurrent use. That it is an interface keeps log/slog's way of printing, and
// encoding/json with it, out of programs that log nothing.
type Logger interface {
	// Log is slog.Logger.Log: args are pairs of a key and a value.
	Log(ctx context.Context, level slog.Level, message string, args ...any)
	// Enabled is slog.Logger.Enabled.
	Enabled(ctx context.Context, level slog.Level) bool
}

// SessionOptions adjusts a [Session]. The zero value is right for most
// programs; zero bounds mean the Default… constants.
type SessionOptions struct {
	// Logger receives what is renewed, what fails to be, and warnings about the
	// configuration. Nil is silent.
	Logger Logger
	// Getenv reads the proxy variables; nil is os.Getenv.
	Getenv func(string) string
	// FileLimit, TokenLimit and PluginOutput bound, in bytes, a certificate
	// file, a token, and the output of a plugin or an OIDC issuer.
	FileLimit, TokenLimit, PluginOutput int64
	// PluginTimeout bounds one run of an exec plugin, or one refresh of an OIDC
	// token. Zero is [DefaultPluginTimeout], or [DefaultInteractiveTimeout] for
	// a plugin with a terminal.
	PluginTimeout time.Duration
	// Leeway is how long before its expiry a credential is renewed.
	Leeway time.Duration
	// FollowInterval is how often the files are looked at if Config.Follow is set.
	FollowInterval time.Duration
}

func (o *SessionOptions) fillDefaults() error {
	for _, b := range []struct {
		name  string
		field *int64
		value int64
	}{
		{"FileLimit", &o.FileLimit, DefaultFileLimit},
		{"TokenLimit", &o.TokenLimit, DefaultTokenLimit},
		{"PluginOutput", &o.PluginOutput, DefaultPluginOutput},
		{"PluginTimeout", (*int64)(&o.PluginTimeout), 0},
		{"Leeway", (*int64)(&o.Leeway), int64(DefaultLeeway)},
		{"FollowInterval", (*int64)(&o.FollowInterval), int64(DefaultFollowInterval)},
	} {
		if *b.field < 0 {
			return &OptionError{Option: "SessionOptions." + b.name, Problem: "is negative; zero means the default"}
		}
		if *b.field == 0 {
			*b.field = b.value
		}
	}
	if silent.Is(o.Logger) {
		o.Logger = silent.Logger{}
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	return nil
}
