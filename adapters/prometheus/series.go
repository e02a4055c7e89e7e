package rawwatchprometheus

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// series keeps what is counted for each frame at hand, so that none has to be
// looked up by its labels.
type series struct {
	metrics *Metrics

	mu  sync.RWMutex // guards all
	all map[rawwatch.Resource]*resourceSeries
}

// resourceSeries are the counters of one resource.
type resourceSeries struct {
	name             string // the label
	open             prometheus.Gauge
	pages, pageBytes prometheus.Counter
	frameBytes       prometheus.Counter
	frames           map[decode.EventType]prometheus.Counter
	lag              prometheus.Observer
}

func (s *series) of(r rawwatch.Resource) *resourceSeries {
	s.mu.RLock()
	found := s.all[r]
	s.mu.RUnlock()
	if found != nil {
		return found
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.all[r]; found != nil {
		return found
	}
	if s.all == nil {
		s.all = map[rawwatch.Resource]*resourceSeries{}
	}
	found = s.metrics.newSeries(r.GroupResource())
	s.all[r] = found
	return found
}

func (m *Metrics) newSeries(name string) *resourceSeries {
	s := &resourceSeries{
		name: name, open: m.streamsOpen.WithLabelValues(name),
		pages: m.pages.WithLabelValues(name), pageBytes: m.pageBytes.WithLabelValues(name),
		frameBytes: m.frameBytes.WithLabelValues(name), lag: m.lag.WithLabelValues(name),
		frames: map[decode.EventType]prometheus.Counter{},
	}
	for _, t := range []decode.EventType{decode.Added, decode.Modified, decode.Deleted, decode.Bookmark} {
		s.frames[t] = m.frames.WithLabelValues(name, string(t))
	}
	return s
}
