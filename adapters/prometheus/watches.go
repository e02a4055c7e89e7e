package rawwatchprometheus

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rawwatch/rawwatch/rawwatch"
)

var (
	syncedDesc     = watchDesc("synced", "Whether the watch knows the whole state.")
	connectedDesc  = watchDesc("connected", "Whether the watch is open.")
	failuresDesc   = watchDesc("failures", "Failures of the watch in a row.")
	reconnectsDesc = watchDesc("reconnects_total", "Streams that were opened after a loss.")
	heardDesc      = watchDesc("heard_timestamp_seconds", "When the server last gave a sign of life, since 1970.")
	progressDesc   = watchDesc("progress_timestamp_seconds", "When the resume point last moved or a list was complete, since 1970.")
)

func watchDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_watch_"+name, help, []string{"watch"}, nil)
}

func describeWatches(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{syncedDesc, connectedDesc, failuresDesc, reconnectsDesc, heardDesc, progressDesc} {
		out <- d
	}
}

// watches are the sources whose status is asked for at each scrape.
type watches struct {
	mu      sync.Mutex // guards sources
	sources []*rawwatch.StatusSource
}

// Add makes the metrics tell of one more source's watches, asked at each scrape.
// Of several watches with the same query only the first added is told of. remove
// takes it out again; it may be called more than once.
func (m *Metrics) Add(s rawwatch.StatusSource) (remove func()) {
	w := &m.watches
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sources = append(w.sources, &s)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sources = slices.DeleteFunc(w.sources, func(other *rawwatch.StatusSource) bool { return other == &s })
	}
}

func (w *watches) collect(out chan<- prometheus.Metric) {
	w.mu.Lock()
	sources := slices.Clone(w.sources)
	w.mu.Unlock()
	told := map[string]bool{}
	for _, source := range sources {
		for _, s := range (*source).Statuses() {
			if watch := s.Query.String(); !told[watch] {
				told[watch] = true
				collectWatch(out, watch, &s)
			}
		}
	}
}

func collectWatch(out chan<- prometheus.Metric, watch string, s *rawwatch.Status) {
	tell := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
		out <- prometheus.MustNewConstMetric(d, kind, v, watch)
	}
	tell(syncedDesc, prometheus.GaugeValue, truth(s.Synced))
	tell(connectedDesc, prometheus.GaugeValue, truth(s.Connected))
	tell(failuresDesc, prometheus.GaugeValue, float64(s.Failures))
	tell(reconnectsDesc, prometheus.CounterValue, float64(s.Reconnects))
	if t := s.Heard(); !t.IsZero() {
		tell(heardDesc, prometheus.GaugeValue, seconds(t))
	}
	if !s.LastProgress.IsZero() {
		tell(progressDesc, prometheus.GaugeValue, seconds(s.LastProgress))
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
