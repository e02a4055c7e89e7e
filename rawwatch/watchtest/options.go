package watchtest

import (
	"cmp"
	"time"
)

// Mode is how a server is reached.
type Mode uint8

const (
	// TLS is HTTPS on a loopback port with a certificate of the server's own
	// authority; HTTP/2, and HTTP/1.1 for clients that want it.
	TLS Mode = iota
	// Plain is HTTP/1.1 without TLS on a loopback port, as kubectl proxy
	// serves it.
	Plain
	// Unix is HTTP/1.1 on a Unix socket in a temporary directory.
	Unix
	// Memory is [TLS] over in-memory connections: no sockets, so that tests
	// run on the virtual time of testing/synctest. Clients dial with
	// [Server.DialContext].
	Memory
	// MemoryPlain is [Plain] over in-memory connections.
	MemoryPlain
)

// Defaults of [Options].
const (
	// DefaultHistory is how many changes of a resource a watch can resume
	// over. A kube-apiserver keeps at least 100 (its watch cache's lower
	// bound), and 75 s worth of changes.
	DefaultHistory = 4096
	// DefaultRevisions is how many revisions stay readable for continue tokens
	// and exact lists.
	DefaultRevisions = 16384
	// DefaultPageTTL is how long they stay readable: the API server has etcd
	// compacted every five minutes (--etcd-compaction-interval).
	DefaultPageTTL = 5 * time.Minute
	// DefaultBookmarkInterval is kube-apiserver's: about one minute.
	DefaultBookmarkInterval = time.Minute
	// DefaultMinRequestTimeout is kube-apiserver's --min-request-timeout: a
	// watch without timeoutSeconds ends after one to two times as long.
	DefaultMinRequestTimeout = 30 * time.Minute
	// DefaultGzipThreshold is the size from which kube-apiserver compresses
	// answers.
	DefaultGzipThreshold = 128 << 10
	// DefaultStreamLimit is kube-apiserver's bound of concurrent HTTP/2
	// streams on a connection.
	DefaultStreamLimit = 100
	// DefaultJournal is how many requests the journal keeps.
	DefaultJournal = 10_000
	// DefaultBodyLimit bounds the body of a write, as in kube-apiserver.
	DefaultBodyLimit = 3 << 20
	// DefaultToken is the bearer token of the user "admin" on servers whose
	// Tokens are not set.
	DefaultToken = "watchtest-admin-token"
)

// WatchListMode is what a server makes of sendInitialEvents (KEP-3157).
type WatchListMode uint8

const (
	// WatchListOn is a server since 1.34: initial events as a stream, also
	// for watches of resourceVersion "" or "0" that do not ask for it.
	WatchListOn WatchListMode = iota
	// WatchListOff is a server with the gate off, such as 1.33: it refuses
	// sendInitialEvents with HTTP 422.
	WatchListOff
	// WatchListIgnored is a server up to 1.26, or some aggregated ones: the
	// parameter means nothing to it, and no end mark ever comes.
	WatchListIgnored
)

// MetadataOnlyMode is what a server makes of Accept headers that ask for
// PartialObjectMetadata.
type MetadataOnlyMode uint8

const (
	// MetadataOnlyOn sends it.
	MetadataOnlyOn MetadataOnlyMode = iota
	// MetadataOnlyOff cannot: such an Accept clause matches nothing, and if it
	// is the only one the answer is HTTP 406.
	MetadataOnlyOff
	// MetadataOnlyIgnored sends whole objects all the same.
	MetadataOnlyIgnored
)

// Options of a server. The zero value is a good one. Zero in a number or
// duration means the default; a negative number switches off what it bounds,
// where that makes sense.
type Options struct {
	// Mode is how clients reach the server.
	Mode Mode
	// HTTP1 keeps TLS modes to HTTP/1.1.
	HTTP1 bool

	// Tokens maps bearer tokens to user names. Nil means one token,
	// [DefaultToken], of the user "admin". See also [Server.SetToken].
	Tokens map[string]string
	// Anonymous lets requests without a credential in, as the user
	// "system:anonymous"; otherwise they get 401.
	Anonymous bool

	// FirstRevision is where the revisions begin; 0 means 80400. The first
	// object gets the next one.
	FirstRevision uint64
	// History bounds how many changes of a resource a watch can resume over,
	// and how far a live watch may fall behind before it is cut; 0 means
	// [DefaultHistory].
	History int
	// HistoryAge bounds how old these changes may be; 0 means no bound.
	HistoryAge time.Duration
	// Revisions and PageTTL bound how long a revision stays readable for
	// continue tokens and exact lists: until so many newer ones have come, or
	// so much time after the next one. 0 means [DefaultRevisions] and
	// [DefaultPageTTL].
	Revisions int
	PageTTL   time.Duration

	// BookmarkInterval is how often watches with allowWatchBookmarks get a
	// BOOKMARK; 0 means [DefaultBookmarkInterval], a negative value none (only
	// the one that ends initial events).
	BookmarkInterval time.Duration
	// MinRequestTimeout bounds watches without timeoutSeconds, see
	// [DefaultMinRequestTimeout].
	MinRequestTimeout time.Duration
	// WatchList is what sendInitialEvents does.
	WatchList WatchListMode
	// MetadataOnly is what asking for PartialObjectMetadata does.
	MetadataOnly MetadataOnlyMode
	// Protobuf is what asking for Kubernetes protobuf does.
	Protobuf ProtobufMode

	// GzipThreshold is the size in bytes from which answers are compressed when
	// the client accepts gzip; 0 means [DefaultGzipThreshold], a negative
	// value never (initial events included).
	GzipThreshold int
	// GoawayAfter sends GOAWAY (HTTP/1.1: Connection: close) with every n-th
	// request; 0 means never.
	GoawayAfter int
	// StreamLimit bounds the concurrent streams of an HTTP/2 connection; 0
	// means [DefaultStreamLimit].
	StreamLimit int
	// BodyLimit bounds the body of a write in bytes (HTTP 413 beyond); 0 means
	// [DefaultBodyLimit].
	BodyLimit int64
	// Journal is how many requests the journal keeps; 0 means
	// [DefaultJournal].
	Journal int
	// Version is what /version reports; "" means "v1.37.2".
	Version string
}

func (o Options) withDefaults() Options {
	if o.Tokens == nil {
		o.Tokens = map[string]string{DefaultToken: "admin"}
	}
	o.FirstRevision = cmp.Or(o.FirstRevision, firstRevision)
	o.History = cmp.Or(max(o.History, 0), DefaultHistory)
	o.Revisions = cmp.Or(max(o.Revisions, 0), DefaultRevisions)
	o.PageTTL = cmp.Or(max(o.PageTTL, 0), DefaultPageTTL)
	o.BookmarkInterval = cmp.Or(o.BookmarkInterval, DefaultBookmarkInterval)
	o.MinRequestTimeout = cmp.Or(max(o.MinRequestTimeout, 0), DefaultMinRequestTimeout)
	o.GzipThreshold = cmp.Or(o.GzipThreshold, DefaultGzipThreshold)
	o.StreamLimit = cmp.Or(max(o.StreamLimit, 0), DefaultStreamLimit)
	o.BodyLimit = cmp.Or(max(o.BodyLimit, 0), DefaultBodyLimit)
	o.Journal = cmp.Or(max(o.Journal, 0), DefaultJournal)
	o.Version = cmp.Or(o.Version, "v1.37.2")
	return o
}

func (o Options) limits() limits {
	return limits{history: o.History, historyAge: o.HistoryAge, revisions: o.Revisions, revisionsAge: o.PageTTL}
}
