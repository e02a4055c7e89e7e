package rawwatch_test

import (
	"errors"
	"maps"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// TestStatusOfAQuietWatch: bookmarks are frames; one that repeats a version is
// no progress.
func TestStatusOfAQuietWatch(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		r := rawwatch.NewReflector(w.client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		if s := r.Status(); s.Query != rawwatch.Pods.Query() || s.Objects != -1 || s.ListMode != "" || s.Relists != nil || !s.Heard().IsZero() {
			t.Errorf("before the first request: %+v", s)
		}
		w.create(pods, "n", "a")
		began := time.Now()
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		s := f.reflector.Status()
		if !s.LastProgress.Equal(began) || !s.LastPage.Equal(began) || !s.LastFrame.IsZero() || !s.Heard().Equal(began) {
			t.Errorf("after the list: %+v", s)
		}
		if s.ListMode != rawwatch.ListPaged || s.Lists != 1 || s.Relists != nil || s.Phase != resume.PhaseWatching {
			t.Errorf("after the list: %+v", s)
		}
		w.pass(3 * time.Minute)
		s = f.reflector.Status()
		if !s.LastProgress.Equal(began) || time.Since(s.LastFrame) > 2*time.Minute || !s.Heard().Equal(s.LastFrame) {
			t.Errorf("after bookmarks: %+v", s)
		}
		w.touch(pods, "n", "a", "1")
		w.settle()
		if s := f.reflector.Status(); !s.LastProgress.Equal(time.Now()) || !s.LastFrame.Equal(time.Now()) {
			t.Errorf("after a change: %+v", s)
		}
	})
}

// TestStatusCountsReconnects: what is lost and opened again counts, what ends at
// its time does not.
func TestStatusCountsReconnects(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{WatchTimeoutMin: time.Minute, WatchTimeoutMax: time.Minute})
		expect := func(when string, reconnects, streams int) {
			t.Helper()
			if s := f.reflector.Status(); s.Reconnects != reconnects || s.Streams != streams || !s.Connected {
				t.Errorf("%s: %d reconnects, %d streams, connected %v", when, s.Reconnects, s.Streams, s.Connected)
			}
		}
		w.pass(150 * time.Second)
		expect("renewed twice", 0, 3)
		w.server.CutWatches(watchtest.Selector{}, watchtest.Reset)
		w.pass(5 * time.Second)
		expect("cut", 1, 4)
		w.server.Inject(watchtest.Fault{Verb: "watch", Count: 3, Answer: &watchtest.Answer{Code: http.StatusServiceUnavailable}})
		w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
		w.settle()
		cut := time.Now()
		w.pass(500 * time.Millisecond)
		s := f.reflector.Status()
		if s.Connected || s.Since.After(cut) || s.LastErrorClass != resume.Unavailable || s.Failures == 0 {
			t.Errorf("while the server refuses: %+v", s)
		}
		w.pass(30 * time.Second)
		expect("refused for a while", 2, 5)
		var failed *rawwatch.RequestError
		if s := f.reflector.Status(); !errors.As(s.LastError, &failed) || failed.Code != http.StatusServiceUnavailable {
			t.Errorf("last error: %v", s.LastError)
		}
	})
}

// TestStatusCountsRelists: by reason, the first list not among them.
func TestStatusCountsRelists(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.create(pods, "n", name)
		}
		w.server.Inject(watchtest.Fault{Verb: "list", Count: 2, Answer: &watchtest.Answer{Code: http.StatusServiceUnavailable}})
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{PageLimit: 1})
		w.pass(10 * time.Second)
		if s := f.reflector.Status(); !s.Synced || s.Relists != nil || s.Reconnects != 0 {
			t.Fatalf("after a first list that failed twice: %+v", s)
		}
		for range 2 {
			w.server.Inject(watchtest.Fault{Verb: "watch", Count: 1, Answer: &watchtest.Answer{Code: http.StatusGone}})
			w.server.CutWatches(watchtest.Selector{}, watchtest.Truncate)
			w.pass(time.Minute)
		}
		s := f.reflector.Status()
		if want := map[resume.Reason]int{resume.ReasonExpired: 2}; !maps.Equal(s.Relists, want) || s.LastListReason != resume.ReasonExpired {
			t.Errorf("relists %v, want %v", s.Relists, want)
		}
		s.Relists[resume.ReasonExpired] = 7
		if f.reflector.Status().Relists[resume.ReasonExpired] != 2 {
			t.Error("the map is not the caller's own")
		}
	})
}

// TestStatusListModes: how the state is fetched, as it turned out.
func TestStatusListModes(t *testing.T) {
	for _, c := range []struct {
		want    rawwatch.ListMode
		options rawwatch.ListWatchOptions
		server  watchtest.Options
	}{
		{rawwatch.ListPaged, rawwatch.ListWatchOptions{ListFirst: true, PageLimit: -1}, watchtest.Options{}},
		{rawwatch.ListInitialStream, rawwatch.ListWatchOptions{}, watchtest.Options{}},
		{rawwatch.ListBesideWatch, rawwatch.ListWatchOptions{ListFirst: true, ListWhileWatching: true, PageLimit: 1}, watchtest.Options{}},
	} {
		inWorld(t, c.server, func(w *world) {
			w.create(pods, "n", "a")
			w.create(pods, "n", "b")
			f := w.followAsIs(rawwatch.Pods.Query(), c.options)
			if s := f.reflector.Status(); s.ListMode != c.want || !s.Synced {
				t.Errorf("list mode %s, want %s (synced %v)", s.ListMode, c.want, s.Synced)
			}
		})
	}
}

// TestStatusAfterTheEnd: it stays, and says when the connection went.
func TestStatusAfterTheEnd(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		f := w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Hour)
		f.stop()
		if s := f.reflector.Status(); !s.Stopped || s.Connected || !s.Since.Equal(time.Now()) || !s.Synced {
			t.Errorf("%+v", s)
		}
	})
}

// TestClientStatusTellsOfTheServer: when it last answered, and since when it
// does not.
func TestClientStatusTellsOfTheServer(t *testing.T) {
	var line cable
	inWorldWith(t, watchtest.Options{}, rawwatch.ClientOptions{DialContext: line.DialContext}, func(w *world) {
		line.dial = w.server.DialContext
		if s := w.client.Status(); !s.LastAnswer.IsZero() || !s.BreakerSince.IsZero() || !s.LastFailureTime.IsZero() {
			t.Errorf("before the first request: %+v", s)
		}
		began := time.Now()
		w.follow(rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		w.pass(time.Minute)
		if s := w.client.Status(); !s.LastAnswer.Equal(began) || s.OpenStreams != 1 {
			t.Errorf("connected: %+v", s)
		}
		line.out.Store(true)
		w.server.Restart()
		synctest.Wait()
		lost := time.Now()
		w.pass(10 * time.Minute)
		s := w.client.Status()
		if s.LastAnswer.After(lost) || s.Breaker == rawwatch.BreakerClosed || s.BreakerSince.Before(lost) || s.LastFailureTime.Before(s.BreakerSince.Add(-time.Minute)) {
			t.Errorf("cut off since %v: %+v", lost, s)
		}
	})
}
