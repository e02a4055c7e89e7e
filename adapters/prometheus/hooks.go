package rawwatchprometheus

import (
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

// OnRequestEnd implements [rawwatch.HookRequestEnd].
func (m *Metrics) OnRequestEnd(r rawwatch.RequestInfo, result rawwatch.RequestResult) {
	code := "none"
	if result.Code != 0 {
		code = strconv.Itoa(result.Code)
	}
	m.requests.WithLabelValues(r.Verb, code).Inc()
	m.requestDuration.WithLabelValues(r.Verb).Observe(result.Duration.Seconds())
}

// OnPage implements [rawwatch.HookPage].
func (m *Metrics) OnPage(r rawwatch.RequestInfo, p rawwatch.PageInfo) {
	s := m.series.of(r.Resource)
	s.pages.Inc()
	s.pageBytes.Add(float64(p.Bytes))
}

// OnStreamOpen implements [rawwatch.HookStreamOpen].
func (m *Metrics) OnStreamOpen(r rawwatch.RequestInfo, _ decode.Encoding) {
	m.series.of(r.Resource).open.Inc()
}

// OnStreamClose implements [rawwatch.HookStreamClose].
func (m *Metrics) OnStreamClose(r rawwatch.RequestInfo, result rawwatch.StreamResult) {
	s := m.series.of(r.Resource)
	s.open.Dec()
	m.streamsClosed.WithLabelValues(s.name, string(result.Reason)).Inc()
}

// OnFrame implements [rawwatch.HookFrame]. It allocates nothing.
func (m *Metrics) OnFrame(r rawwatch.RequestInfo, t decode.EventType, bytes int64) {
	s := m.series.of(r.Resource)
	s.frameBytes.Add(float64(bytes))
	if c := s.frames[t]; c != nil {
		c.Inc()
	}
}

// OnLag implements [rawwatch.HookLag]. It allocates nothing.
func (m *Metrics) OnLag(r rawwatch.RequestInfo, d time.Duration) {
	m.series.of(r.Resource).lag.Observe(d.Seconds())
}

// OnRelistBegin implements [rawwatch.HookRelistBegin].
func (m *Metrics) OnRelistBegin(r rawwatch.RequestInfo, why resume.Reason) {
	m.relists.WithLabelValues(m.series.of(r.Resource).name, string(why)).Inc()
}

// OnRelistEnd implements [rawwatch.HookRelistEnd].
func (m *Metrics) OnRelistEnd(r rawwatch.RequestInfo, result rawwatch.RelistResult) {
	m.relistDuration.WithLabelValues(m.series.of(r.Resource).name).Observe(result.Duration.Seconds())
}

// OnBackoff implements [rawwatch.HookBackoff].
func (m *Metrics) OnBackoff(r rawwatch.RequestInfo, b rawwatch.BackoffInfo) {
	m.backoff.WithLabelValues(m.series.of(r.Resource).name, string(b.Reason)).Add(b.Wait.Seconds())
}

// OnBreaker implements [rawwatch.HookBreaker].
func (m *Metrics) OnBreaker(_, to rawwatch.BreakerState) {
	switch to {
	case rawwatch.BreakerClosed:
		m.breaker.Set(0)
	case rawwatch.BreakerHalfOpen:
		m.breaker.Set(1)
	case rawwatch.BreakerOpen:
		m.breaker.Set(2)
	}
}

// OnDecodeError implements [rawwatch.HookDecodeError].
func (m *Metrics) OnDecodeError(r rawwatch.RequestInfo, _ decode.Key, _ error) {
	m.decodeErrors.WithLabelValues(m.series.of(r.Resource).name).Inc()
}
