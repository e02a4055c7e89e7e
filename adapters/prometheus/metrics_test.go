package rawwatchprometheus_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	rawwatchprometheus "github.com/rawwatch/rawwatch/adapters/prometheus"
	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// scene is a server, a client with metrics, and a watch of all pods that is in
// sync.
type scene struct {
	*testing.T
	server    *watchtest.Server
	metrics   *rawwatchprometheus.Metrics
	registry  *prometheus.Registry
	reflector *rawwatch.Reflector
	unplugged atomic.Bool
}

var errUnplugged = errors.New("unplugged")

func (s *scene) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if s.unplugged.Load() {
		return nil, errUnplugged
	}
	return s.server.DialContext(ctx, network, address)
}

// play runs the test in virtual time.
func play(t *testing.T, test func(*scene)) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{T: t, metrics: rawwatchprometheus.New(), registry: prometheus.NewPedanticRegistry()}
		s.registry.MustRegister(s.metrics)
		s.server = watchtest.NewServer(watchtest.Options{Mode: watchtest.Memory, Protobuf: watchtest.ProtobufOff})
		defer s.server.Close()
		for i := range 3 {
			s.create(fmt.Sprintf("pod-%d", i))
		}
		client, err := rawwatch.NewClient(s.server.Config(), rawwatch.ClientOptions{DialContext: s.dial, Hooks: []rawwatch.Hook{s.metrics}})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		s.reflector = rawwatch.NewReflector(client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{ListFirst: true, PageLimit: 2})
		defer s.metrics.Add(s.reflector)()
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() {
			for _, err := range s.reflector.Events(ctx) {
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
		synctest.Wait()
		test(s)
		cancel()
		ended.Wait()
	})
}

func (s *scene) create(name string) {
	s.Helper()
	if _, err := s.server.Create(watchtest.Pods, fmt.Sprintf(`{"metadata":{"namespace":"n","name":%q}}`, name)); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) pass(d time.Duration) {
	time.Sleep(d) // virtual
	synctest.Wait()
}

// expect compares whole metrics, in the order of their names.
func (s *scene) expect(text string, names ...string) {
	s.Helper()
	if err := testutil.GatherAndCompare(s.registry, strings.NewReader(text), names...); err != nil {
		s.Error(err)
	}
}

// values are the samples of a metric, without its labels, added up.
func (s *scene) sum(name string) float64 {
	s.Helper()
	families, err := s.registry.Gather()
	if err != nil {
		s.Fatal(err)
	}
	total := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			total += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return total
}

// TestMetricsOfADay: a list in two pages, a change, a cut, a lost history.
func TestMetricsOfADay(t *testing.T) {
	play(t, func(s *scene) {
		s.create("late")
		synctest.Wait()
		s.expect(`
# HELP rawwatch_frames_total Frames of watches.
# TYPE rawwatch_frames_total counter
rawwatch_frames_total{resource="pods",type="ADDED"} 1
rawwatch_frames_total{resource="pods",type="BOOKMARK"} 0
rawwatch_frames_total{resource="pods",type="DELETED"} 0
rawwatch_frames_total{resource="pods",type="MODIFIED"} 0
# HELP rawwatch_pages_total Pages of lists that were read.
# TYPE rawwatch_pages_total counter
rawwatch_pages_total{resource="pods"} 2
# HELP rawwatch_relists_total Times that a watch began to fetch the whole state.
# TYPE rawwatch_relists_total counter
rawwatch_relists_total{reason="initial",resource="pods"} 1
# HELP rawwatch_requests_total Requests that ended.
# TYPE rawwatch_requests_total counter
rawwatch_requests_total{code="200",verb="list"} 2
rawwatch_requests_total{code="200",verb="watch"} 1
# HELP rawwatch_streams_open Watches that are open.
# TYPE rawwatch_streams_open gauge
rawwatch_streams_open{resource="pods"} 1
# HELP rawwatch_watch_connected Whether the watch is open.
# TYPE rawwatch_watch_connected gauge
rawwatch_watch_connected{watch="pods"} 1
# HELP rawwatch_watch_synced Whether the watch knows the whole state.
# TYPE rawwatch_watch_synced gauge
rawwatch_watch_synced{watch="pods"} 1
`, "rawwatch_frames_total", "rawwatch_pages_total", "rawwatch_relists_total", "rawwatch_requests_total",
			"rawwatch_streams_open", "rawwatch_watch_connected", "rawwatch_watch_synced")
		if n := s.sum("rawwatch_frame_bytes_total"); n < 100 || n > 1000 {
			s.Errorf("a frame of %v bytes", n)
		}
		if n := s.sum("rawwatch_relist_duration_seconds"); n != 1 {
			s.Errorf("%v relists were timed", n)
		}
		s.server.Inject(watchtest.Fault{Verb: "watch", Count: 1, Answer: &watchtest.Answer{Code: 410}})
		s.server.CutWatches(watchtest.Selector{}, watchtest.Abort)
		s.pass(time.Minute)
		s.expect(`
# HELP rawwatch_relists_total Times that a watch began to fetch the whole state.
# TYPE rawwatch_relists_total counter
rawwatch_relists_total{reason="expired",resource="pods"} 1
rawwatch_relists_total{reason="initial",resource="pods"} 1
# HELP rawwatch_streams_closed_total Watches that ended.
# TYPE rawwatch_streams_closed_total counter
rawwatch_streams_closed_total{reason="failed",resource="pods"} 1
# HELP rawwatch_watch_reconnects_total Streams that were opened after a loss.
# TYPE rawwatch_watch_reconnects_total counter
rawwatch_watch_reconnects_total{watch="pods"} 1
`, "rawwatch_relists_total", "rawwatch_streams_closed_total", "rawwatch_watch_reconnects_total")
		if wait := s.sum("rawwatch_backoff_seconds_total"); wait < 0.4 || wait > 2 {
			s.Errorf("%v s of backoff", wait)
		}
		if s.sum("rawwatch_lag_seconds") == 0 {
			s.Error("no lag was told")
		}
	})
}

// TestMetricsOfALostServer: the breaker, the failures, the requests without an
// answer.
func TestMetricsOfALostServer(t *testing.T) {
	play(t, func(s *scene) {
		lost := float64(time.Now().UnixMilli()) / 1000
		s.unplugged.Store(true)
		s.server.Restart()
		s.pass(10 * time.Minute)
		if n := s.sum("rawwatch_breaker_state"); n != 2 && n != 1 {
			s.Errorf("the breaker is %v", n)
		}
		if n := s.sum("rawwatch_watch_failures"); n < 10 {
			s.Errorf("%v failures in a row", n)
		}
		if n := s.sum("rawwatch_watch_connected"); n != 0 {
			s.Errorf("connected: %v", n)
		}
		if n := s.sum("rawwatch_watch_heard_timestamp_seconds"); n != lost {
			s.Errorf("heard at %v, lost at %v", n, lost)
		}
		none := testutil.CollectAndCount(s.metrics, "rawwatch_requests_total")
		if none != 3 { // list 200, watch 200, watch none
			s.Errorf("%d kinds of requests", none)
		}
		s.unplugged.Store(false)
		s.pass(time.Minute)
		if n := s.sum("rawwatch_breaker_state"); n != 0 {
			s.Errorf("the breaker is %v", n)
		}
		if n := s.sum("rawwatch_watch_connected"); n != 1 {
			s.Errorf("connected: %v", n)
		}
	})
}

// TestMetricsOfBadObjects: counted, and delivered all the same.
func TestMetricsOfBadObjects(t *testing.T) {
	play(t, func(s *scene) {
		s.server.SendFrame(watchtest.Selector{}, []byte(`{"type":"MODIFIED","object":{"metadata":{"namespace":"n","name":"x","labels":7,"resourceVersion":5}}}`+"\n"))
		synctest.Wait()
		if n := s.sum("rawwatch_decode_errors_total"); n != 1 {
			s.Errorf("%v", n)
		}
	})
}

// TestAddAndRemove: a watch is told of as long as it is added, once.
func TestAddAndRemove(t *testing.T) {
	play(t, func(s *scene) {
		remove := s.metrics.Add(s.reflector)
		if n := s.sum("rawwatch_watch_synced"); n != 1 {
			s.Errorf("%v watches are synced", n)
		}
		remove()
		remove()
		if n := s.sum("rawwatch_watch_synced"); n != 1 {
			s.Errorf("%v watches are synced after one of two was removed", n)
		}
	})
}

func TestMetricNamesAreGood(t *testing.T) {
	m := rawwatchprometheus.New()
	m.OnFrame(rawwatch.RequestInfo{Verb: "watch", Resource: rawwatch.Pods}, decode.Added, 1)
	m.OnRequestEnd(rawwatch.RequestInfo{Verb: "watch"}, rawwatch.RequestResult{Code: 200})
	problems, err := testutil.CollectAndLint(m)
	if err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
}

// TestFramesAllocateNothing: what is called for each frame costs the collector
// nothing.
func TestFramesAllocateNothing(t *testing.T) {
	m := rawwatchprometheus.New()
	about := rawwatch.RequestInfo{Verb: "watch", Resource: rawwatch.Resource{Group: "apps", Version: "v1", Name: "deployments"}}
	if n := testing.AllocsPerRun(100, func() {
		m.OnFrame(about, decode.Modified, 1000)
		m.OnLag(about, time.Millisecond)
	}); n != 0 {
		t.Errorf("%v allocations for a frame", n)
	}
}

// BenchmarkFrame is what a frame costs beside the client's own work.
func BenchmarkFrame(b *testing.B) {
	m := rawwatchprometheus.New()
	about := rawwatch.RequestInfo{Verb: "watch", Resource: rawwatch.Pods}
	b.ReportAllocs()
	for b.Loop() {
		m.OnFrame(about, decode.Modified, 1000)
		m.OnLag(about, time.Millisecond)
	}
}
