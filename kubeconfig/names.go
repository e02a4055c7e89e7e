package kubeconfig

import "github.com/rawwatch/rawwatch/kubeconfig/access"

// What both packages speak of has its home in package access.
type (
	// Config is [access.Config]: a server and a credential.
	Config = access.Config
	// Options is [access.Options]: where to look, what to override.
	Options = access.Options
	// Session is [access.Session]: the live side of a Config.
	Session = access.Session
	// SessionOptions is [access.SessionOptions].
	SessionOptions = access.SessionOptions
	// ContextEntry is [access.ContextEntry]: a context of the files.
	ContextEntry = access.ContextEntry
	// ExecConfig is [access.ExecConfig]: a user's exec plugin.
	ExecConfig = access.ExecConfig
	// EnvVar is [access.EnvVar]: a variable of a plugin's environment.
	EnvVar = access.EnvVar
	// AuthProvider is [access.AuthProvider]: a user's auth-provider.
	AuthProvider = access.AuthProvider
	// Impersonation is [access.Impersonation]: whom requests act as.
	Impersonation = access.Impersonation
	// Description is [access.Description]: what was understood.
	Description = access.Description
	// Setting is [access.Setting]: one line of a Description.
	Setting = access.Setting

	// NoConfigError is [access.NoConfigError].
	NoConfigError = access.NoConfigError
	// FieldError is [access.FieldError].
	FieldError = access.FieldError
	// LimitError is [access.LimitError].
	LimitError = access.LimitError
	// OptionError is [access.OptionError].
	OptionError = access.OptionError
	// UnsupportedError is [access.UnsupportedError].
	UnsupportedError = access.UnsupportedError
	// PluginError is [access.PluginError].
	PluginError = access.PluginError
)

// The errors to look for with errors.Is; see package access.
var (
	ErrNoConfig = access.ErrNoConfig
	ErrClosed   = access.ErrClosed
)

// The bounds that a zero in [Options] or [SessionOptions] stands for; see
// package access.
const (
	DefaultFileLimit          = access.DefaultFileLimit
	DefaultTokenLimit         = access.DefaultTokenLimit
	DefaultPluginTimeout      = access.DefaultPluginTimeout
	DefaultInteractiveTimeout = access.DefaultInteractiveTimeout
	DefaultPluginOutput       = access.DefaultPluginOutput
	DefaultLeeway             = access.DefaultLeeway
	DefaultFollowInterval     = access.DefaultFollowInterval
)
