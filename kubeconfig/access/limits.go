package access

import "time"

// Bounds that a zero in [Options] or [SessionOptions] stands for. What exceeds
// one of the sizes is refused with a [*LimitError].
const (
	// DefaultFileLimit bounds, in bytes, a kubeconfig file, a certificate file
	// and a CA bundle. A kubeconfig of a thousand clusters with their
	// certificates takes about 4 MiB.
	DefaultFileLimit = 8 << 20
	// DefaultTokenLimit bounds, in bytes, a token, wherever it comes from. It
	// has to fit in a request header, and servers accept about 1 MiB of these.
	DefaultTokenLimit = 64 << 10
	// DefaultPluginTimeout bounds one run of an exec plugin that cannot ask
	// anybody, and one refresh of an OIDC token.
	DefaultPluginTimeout = time.Minute
	// DefaultInteractiveTimeout bounds one run of an exec plugin that was given
	// standard input: somebody has to type.
	DefaultInteractiveTimeout = 5 * time.Minute
	// DefaultPluginOutput bounds, in bytes, what an exec plugin prints and what
	// an OIDC issuer answers.
	DefaultPluginOutput = 1 << 20
	// DefaultLeeway is how long before its expiry a credential is renewed.
	DefaultLeeway = 30 * time.Second
	// DefaultFollowInterval is how often a followed kubeconfig file is looked at.
	DefaultFollowInterval = 10 * time.Second
)

// Bounds that nobody has needed to change.
const (
	// maxDepth bounds the nesting of a kubeconfig file, which has 7 levels and
	// whatever an extension holds.
	maxDepth = 100
	// maxExtension bounds, in bytes of JSON, the cluster's settings for exec
	// plugins; they travel in an environment variable, which Linux limits to
	// 128 KiB.
	maxExtension = 100 << 10
	// maxStderr is how much of the end of a plugin's standard error is kept.
	maxStderr = 4 << 10
	// maxHint bounds an installHint in an error.
	maxHint = 2 << 10
	// lookEvery is how often, at most, a file that may be replaced is looked at.
	lookEvery = time.Second
	// justNow is how long after a new client certificate a request may come
	// back that still went over a connection with the old one.
	justNow = 30 * time.Second
	// tokenLife is how long a token file that looks unchanged is believed. The
	// kubelet renews a projected token when 80 % of its life (10 minutes at
	// least) is over, so a minute is soon enough.
	tokenLife = time.Minute
	// firstRetry and lastRetry bound the pause after a failed plugin run,
	// which doubles from one to the other.
	firstRetry = time.Second
	lastRetry  = time.Minute
	// calmAfter is how long no credential must have been rejected until a
	// rejection is again answered at once.
	calmAfter = 10 * time.Minute
)
