package rawwatchprometheus

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// Metrics is a hook for a client and a collector for a registry. One serves
// several clients, whose numbers are then added up; to tell them apart, give
// each its own and register them with labels
// ([prometheus.WrapRegistererWith]). It is safe for concurrent use.
type Metrics struct {
	requests        *prometheus.CounterVec
	requestDuration *prometheus.HistogramVec
	streamsOpen     *prometheus.GaugeVec
	streamsClosed   *prometheus.CounterVec
	frames          *prometheus.CounterVec
	frameBytes      *prometheus.CounterVec
	pages           *prometheus.CounterVec
	pageBytes       *prometheus.CounterVec
	relists         *prometheus.CounterVec
	relistDuration  *prometheus.HistogramVec
	backoff         *prometheus.CounterVec
	decodeErrors    *prometheus.CounterVec
	lag             *prometheus.HistogramVec
	breaker         prometheus.Gauge

	series  series
	watches watches
}

var (
	_              prometheus.Collector     = (*Metrics)(nil)
	_              rawwatch.HookRequestEnd  = (*Metrics)(nil)
	_              rawwatch.HookStreamOpen  = (*Metrics)(nil)
	_              rawwatch.HookStreamClose = (*Metrics)(nil)
	_              rawwatch.HookFrame       = (*Metrics)(nil)
	_              rawwatch.HookPage        = (*Metrics)(nil)
	_              rawwatch.HookRelistBegin = (*Metrics)(nil)
	_              rawwatch.HookRelistEnd   = (*Metrics)(nil)
	_              rawwatch.HookBackoff     = (*Metrics)(nil)
	_              rawwatch.HookDecodeError = (*Metrics)(nil)
	_              rawwatch.HookLag         = (*Metrics)(nil)
	_              rawwatch.HookBreaker     = (*Metrics)(nil)
	lagBuckets                              = prometheus.ExponentialBuckets(1e-6, 10, 8)    // 1 µs to 10 s
	relistBuckets                           = prometheus.ExponentialBuckets(0.01, 4, 8)     // 10 ms to 164 s
	requestBuckets                          = prometheus.ExponentialBuckets(0.0025, 2.5, 9) // 2.5 ms to 3.8 s
)

// New returns metrics of no client. Give them to one as a hook, and register
// them.
func New() *Metrics {
	m := &Metrics{
		requests:        counter("requests_total", "Requests that ended.", "verb", "code"),
		requestDuration: histogram("request_duration_seconds", "Time until the answer's headers.", requestBuckets, "verb"),
		streamsOpen: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: namespace, Name: "streams_open", Help: "Watches that are open.",
		}, []string{"resource"}),
		streamsClosed:  counter("streams_closed_total", "Watches that ended.", "resource", "reason"),
		frames:         counter("frames_total", "Frames of watches.", "resource", "type"),
		frameBytes:     counter("frame_bytes_total", "Bytes of frames, after unpacking.", "resource"),
		pages:          counter("pages_total", "Pages of lists that were read.", "resource"),
		pageBytes:      counter("page_bytes_total", "Bytes of pages, after unpacking.", "resource"),
		relists:        counter("relists_total", "Times that a watch began to fetch the whole state.", "resource", "reason"),
		relistDuration: histogram("relist_duration_seconds", "Time until the whole state was complete.", relistBuckets, "resource"),
		backoff:        counter("backoff_seconds_total", "Waits that watches began.", "resource", "reason"),
		decodeErrors:   counter("decode_errors_total", "Objects that could not be understood.", "resource"),
		lag:            histogram("lag_seconds", "How long the consumer took to come back after a frame.", lagBuckets, "resource"),
		breaker: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "breaker_state", Help: "The circuit breaker: 0 closed, 1 half-open, 2 open.",
		}),
	}
	m.series.metrics = m
	return m
}

const namespace = "rawwatch"

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}

// collectors are those that hooks feed.
func (m *Metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		m.requests, m.requestDuration, m.streamsOpen, m.streamsClosed, m.frames, m.frameBytes, m.pages,
		m.pageBytes, m.relists, m.relistDuration, m.backoff, m.decodeErrors, m.lag, m.breaker,
	}
}

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, c := range m.collectors() {
		c.Describe(out)
	}
	describeWatches(out)
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	for _, c := range m.collectors() {
		c.Collect(out)
	}
	m.watches.collect(out)
}
