package rawwatch

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/internal/silent"
	"github.com/rawwatch/rawwatch/kubeconfig/access"
)

// Bounds of a client that a zero in [ClientOptions] stands for.
const (
	// DefaultConnectTimeout bounds the dial of one connection.
	DefaultConnectTimeout = 15 * time.Second
	// DefaultHeaderTimeout bounds the wait for response headers. It is the time
	// that an API server gives itself for a request (--request-timeout).
	DefaultHeaderTimeout = 60 * time.Second
	// DefaultDataTimeout bounds the wait for the next bytes of a list.
	DefaultDataTimeout = 60 * time.Second
	// DefaultWatchGrace is how much longer than its timeoutSeconds a watch may
	// live before the client ends it. It is what notices a dead HTTP/1.1
	// connection, which has no ping.
	DefaultWatchGrace = 30 * time.Second
	// DefaultPingInterval is the silence on an HTTP/2 connection after which it
	// is pinged, DefaultPingTimeout the time it has to answer: a connection
	// whose packets vanish is noticed within the sum of both.
	DefaultPingInterval = 30 * time.Second
	DefaultPingTimeout  = 15 * time.Second
)

// ClientOptions adjusts a [Client]. The zero value is right for most programs.
type ClientOptions struct {
	// UserAgent goes with every request; "" means "rawwatch/VERSION (os/arch)".
	// Name your program: it is what cluster administrators see in audit logs.
	UserAgent string
	// Header is sent with every request. The client's own User-Agent, Accept
	// and Accept-Encoding win; an Authorization given here stands in place of
	// the configuration's credential. The map is copied. Nil means none.
	Header http.Header
	// DialContext opens connections in place of a net.Dialer. Nil means the
	// operating system's network, or the Unix socket that the configuration
	// names. It is called once at a time as a rule, and must not use the client.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// WrapTransport wraps the transport that sends the requests, once, in
	// NewClient. The wrapper sees each request as it is sent, its credential
	// included, and must be safe for concurrent use. Nil means no wrapper.
	WrapTransport func(http.RoundTripper) http.RoundTripper
	// Logger receives what happens to connections and watches. Nil is silent.
	Logger Logger
	// Hooks are told what the client does; see [Hook]. Nil is nobody.
	Hooks []Hook
	// Endpoints are further API servers of the same cluster, as URLs of the
	// configuration's scheme, such as "https://10.0.0.2:6443". Requests go to
	// the configuration's server until it cannot be reached, then to the next
	// of these, and so on in turn; open watches stay where they are. Nil means
	// there is only the one.
	Endpoints []string
	// Budget bounds the client's requests.
	Budget Budget
	// Breaker adjusts the client's circuit breaker.
	Breaker BreakerOptions
	// BusyDelay is how long, at most, a busy connection is left unread, so that
	// watch frames are read in batches: a fraction of the wake-ups, and of their
	// CPU time, for so much latency. It is a fifth of that when a storm begins,
	// and all of it when it has lasted for a second. Busy is a connection on which
	// more than 250 frames come in a second, close together as when many write;
	// one after another they count only from 500 on, and it is busy until fewer
	// than 125 come. Calmer connections, lists and single requests are never
	// delayed. Zero means [DefaultBusyDelay], less than zero never.
	BusyDelay time.Duration
	// HTTP1 keeps the client from using HTTP/2: each watch then has a
	// connection of its own.
	HTTP1 bool

	// Link is what lies between the client and its server; zero is
	// [LinkAverage]. A kubeconfig's disable-compression stands above it.
	Link Link

	// Time bounds; zero means the Default… constant of the same name, or what
	// Link says of pings.
	ConnectTimeout time.Duration
	HeaderTimeout  time.Duration
	DataTimeout    time.Duration
	WatchGrace     time.Duration
	PingInterval   time.Duration
	PingTimeout    time.Duration

	// Decode holds the limits on what servers send; see [decode.Options]. Its
	// Encoding is not used: each answer says its own.
	Decode decode.Options
}

// Client talks to one API server. All lists and watches of a client share its
// connections. It is safe for concurrent use.
type Client struct {
	session   *access.Session
	transport *authorizer
	gate      *turnstile // below transport
	// headersLate is what requests fail with whose answers do not begin in time.
	headersLate *TimeoutError
	lastHeader  atomic.Pointer[sharedHeader]
	pool        *connectionPool
	rotation    func()
	options     ClientOptions
	// listTimeout bounds gets and list pages as a whole; 0 is no bound.
	listTimeout time.Duration
	plain       bool // nothing is asked for compressed
	refusals    refusals
	noStreams   refusals // by API group, or by resource
	hooks       hooks
	endpoints   *endpoints
	budget      *rate.Limiter
	inBudget    chan struct{} // holds one token while a request waits for the budget
	budgetTimer *time.Timer   // belongs to that request
	breaker     *breaker
	requests    atomic.Int64
	openStreams atomic.Int64
	lastAnswer  atomic.Int64 // nanoseconds since 1970; 0 is never
	traffic     traffic
	log         Logger
	closed      atomic.Bool
}

// NewClient returns a client for the configured server. Nothing is sent yet.
// The error names what in the configuration cannot be used. Close the client to
// release its connections.
func NewClient(config *access.Config, options ClientOptions) (*Client, error) {
	if config == nil {
		return nil, errors.New("rawwatch: NewClient: nil config; load one with access.InCluster or kubeconfig.Load")
	}
	options.fillDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	hooks, err := sortHooks(options.Hooks)
	if err != nil {
		return nil, err
	}
	session, err := config.Open(access.SessionOptions{Logger: options.Logger})
	if err != nil {
		return nil, err
	}
	endpoints, err := newEndpoints(session, options.Endpoints)
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	c := &Client{
		session: session, options: options, log: options.Logger,
		hooks: hooks, endpoints: endpoints, budget: options.Budget.limiter(), inBudget: make(chan struct{}, 1),
		listTimeout: config.Timeout, plain: config.DisableCompression || options.Link == LinkLAN,
	}
	pool, err := newConnectionPool(session, options, &c.traffic)
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	c.pool = pool
	c.breaker = newBreaker(options.Breaker, c.breakerChanged)
	turnstile := newTurnstile(pool)
	var transport http.RoundTripper = turnstile
	if options.WrapTransport != nil {
		transport = options.WrapTransport(transport)
	}
	c.gate, c.transport = turnstile, &authorizer{next: transport, session: session}
	c.headersLate = &TimeoutError{What: "response headers", After: options.HeaderTimeout}
	c.rotation = session.OnRotate(pool.rotate)
	return c, nil
}

// ErrClosed is the cause of every request after [Client.Close]; it also ends
// a [Client.ListWatch] that is between two requests.
var ErrClosed = errors.New("rawwatch: the client is closed")

// Close releases the client's idle connections and ends the renewal of its
// credentials. End all watches first, by their contexts: a request that is
// still open keeps its connection until it ends. Later requests fail with
// [ErrClosed]. Close may be called more than once.
func (c *Client) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	c.rotation()
	c.pool.close()
	return c.session.Close()
}

func (o *ClientOptions) fillDefaults() {
	pingInterval, pingTimeout := o.Link.pings()
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&o.ConnectTimeout, DefaultConnectTimeout},
		{&o.HeaderTimeout, DefaultHeaderTimeout},
		{&o.DataTimeout, DefaultDataTimeout},
		{&o.WatchGrace, DefaultWatchGrace},
		{&o.PingInterval, pingInterval},
		{&o.PingTimeout, pingTimeout},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if o.BusyDelay == 0 {
		o.BusyDelay = DefaultBusyDelay
	}
	if o.UserAgent == "" {
		o.UserAgent = "rawwatch/" + version() + " (" + runtime.GOOS + "/" + runtime.GOARCH + ")"
	}
	if silent.Is(o.Logger) {
		o.Logger = silent.Logger{}
	}
	o.Header = o.Header.Clone()
}

// Logger is told what happens; a [*slog.Logger] is one. See [access.Logger].
type Logger = access.Logger

// OptionError says which option is out of its bounds.
type OptionError struct {
	// Option is the field's name, such as "ClientOptions.PingTimeout".
	Option string
	// Problem completes the sentence "Option …".
	Problem string
}

// Error implements error.
func (e *OptionError) Error() string { return "rawwatch: " + e.Option + " " + e.Problem }

func (o *ClientOptions) validate() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"ConnectTimeout", o.ConnectTimeout},
		{"HeaderTimeout", o.HeaderTimeout},
		{"DataTimeout", o.DataTimeout},
		{"WatchGrace", o.WatchGrace},
		{"PingInterval", o.PingInterval},
		{"PingTimeout", o.PingTimeout},
		{"Breaker.Open", o.Breaker.Open},
	} {
		if d.value < 0 {
			return &OptionError{Option: "ClientOptions." + d.name, Problem: "is negative; zero means the default"}
		}
	}
	if math.IsNaN(o.Budget.PerSecond) {
		return &OptionError{Option: "ClientOptions.Budget.PerSecond", Problem: "is no number; zero means the default"}
	}
	if o.Budget.Burst < 0 {
		return &OptionError{Option: "ClientOptions.Budget.Burst", Problem: "is negative; zero means the default"}
	}
	if o.Link > LinkLAN {
		return &OptionError{Option: "ClientOptions.Link", Problem: "is none of the Link… constants"}
	}
	return nil
}

// version is this module's version as the program that embeds it was built.
func version() string {
	const module = "github.com/rawwatch/rawwatch"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range append(info.Deps, &info.Main) {
		if dep.Path == module && dep.Version != "" {
			return dep.Version
		}
	}
	return "devel"
}
