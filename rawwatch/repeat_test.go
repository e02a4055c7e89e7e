package rawwatch_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// steady is a backoff without chance.
var steady = rawwatch.RetryOptions{Backoff: resume.Backoff{Min: time.Second, Jitter: -1}}

// TestRepeated: what is safe to repeat is, and nothing else, whatever fails.
func TestRepeated(t *testing.T) {
	unavailable := watchtest.Fault{Answer: watchtest.StatusAnswer(watchtest.Failure(503))}
	lost := watchtest.Fault{Cut: watchtest.Abort, AfterBytes: 10} // carried out, and the answer torn
	for name, fault := range map[string]watchtest.Fault{
		"503": unavailable, "429": {Answer: watchtest.StatusAnswer(watchtest.TooManyRequests(1))},
		"502 of a proxy": {Answer: watchtest.HTMLAnswer(502)}, "reset": {Drop: true}, "lost answer": lost,
	} {
		for verb, c := range map[string]struct {
			do       func(*world, string) error
			attempts int
		}{
			"get": {func(w *world, _ string) error {
				return second(w.client.Get(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.GetOptions{Retry: steady}))
			}, 2},
			"create": {func(w *world, _ string) error {
				o := rawwatch.Object{Raw: []byte(`{"metadata":{"namespace":"edge","generateName":"l-"}}`)}
				return second(w.client.Create(w.Context(), rawwatch.ConfigMaps, o, rawwatch.WriteOptions{Retry: steady}))
			}, 1},
			"update": {func(w *world, _ string) error {
				o, err := w.server.Get(watchtest.ConfigMaps, lamp.Namespace, lamp.Name)
				return errors.Join(err, second(w.client.Update(w.Context(), rawwatch.ConfigMaps, rawwatch.Object{Raw: o.JSON}, rawwatch.WriteOptions{Retry: steady})))
			}, 1},
			"merge": {func(w *world, _ string) error { return w.patchLamp(rawwatch.MergePatch([]byte(`{"a":1}`)), false) }, 1},
			"dry run": {func(w *world, _ string) error {
				return w.patchLamp(rawwatch.MergePatch([]byte(`{"a":1}`)), true)
			}, 2},
			"apply": {func(w *world, _ string) error { return w.patchLamp(rawwatch.ApplyPatch([]byte(`{"a":1}`)), false) }, 2},
			"apply to a version": {func(w *world, version string) error {
				return w.patchLamp(rawwatch.ApplyPatch([]byte(`{"a":1}`)).IfVersion(version), false)
			}, 1},
			"delete": {func(w *world, _ string) error {
				return second(w.client.Delete(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{Retry: steady}))
			}, 1},
			"delete of a uid": {func(w *world, _ string) error {
				o, err := w.server.Get(watchtest.ConfigMaps, lamp.Namespace, lamp.Name)
				return errors.Join(err, second(w.client.Delete(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{UID: o.UID, Retry: steady})))
			}, 2},
			"delete of a version": {func(w *world, version string) error {
				o, err := w.server.Get(watchtest.ConfigMaps, lamp.Namespace, lamp.Name)
				return errors.Join(err, second(w.client.Delete(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.DeleteOptions{UID: o.UID, ResourceVersion: version, Retry: steady})))
			}, 1},
		} {
			t.Run(verb+", "+name, func(t *testing.T) {
				inWorld(t, watchtest.Options{}, func(w *world) {
					made := w.createLamp(`{}`)
					w.server.ClearJournal()
					w.server.Inject(fault)
					begun := time.Now()
					err := c.do(w, made.ResourceVersion)
					all := w.server.Journal()
					if len(all) != c.attempts || (err == nil) != (c.attempts > 1) {
						w.Errorf("%d attempts, want %d: %v", len(all), c.attempts, err)
					}
					if took := time.Since(begun); c.attempts > 1 && took != time.Second {
						w.Errorf("waited %v", took)
					}
					if refusal := name == "429"; err != nil && rawwatch.MayHaveHappened(err) == refusal {
						w.Errorf("may have happened %v: %v", !refusal, err)
					}
				})
			})
		}
	}
}

func (w *world) patchLamp(p rawwatch.Patch, dry bool) error {
	o := rawwatch.WriteOptions{DryRun: dry, FieldManager: "me", Retry: steady}
	return second(w.client.Patch(w.Context(), rawwatch.ConfigMaps, lamp, p, o))
}

// TestNotRepeated: where a second attempt would end like the first.
func TestNotRepeated(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		for _, fault := range []watchtest.Fault{
			{Answer: watchtest.StatusAnswer(&watchtest.StatusError{Code: 403, Reason: "Forbidden", Message: "no"})},
			{Answer: watchtest.StatusAnswer(watchtest.Failure(500))},
			{Answer: watchtest.HTMLAnswer(404)}, {Answer: watchtest.JSONAnswer(`[]`)}, {Answer: watchtest.JSONAnswer(`{}`)},
			{Answer: watchtest.RedirectAnswer("https://elsewhere/?token=x")},
		} {
			w.server.ClearJournal()
			w.server.Inject(fault)
			_, err := w.client.Get(w.Context(), rawwatch.ConfigMaps, lamp, rawwatch.GetOptions{})
			var failed *rawwatch.RequestError
			if n := len(w.server.Journal()); n != 1 || !errors.As(err, &failed) || rawwatch.IsNotFound(err) {
				w.Errorf("%d attempts: %v", n, err)
			}
		}
	})
}

// TestRetryBounds: the number of attempts, Retry-After, the time of the call
// and its context.
func TestRetryBounds(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		get := func(ctx context.Context, o rawwatch.RetryOptions) (n int, took time.Duration, err error) {
			w.server.ClearJournal()
			begun := time.Now()
			_, err = w.client.Get(ctx, rawwatch.ConfigMaps, lamp, rawwatch.GetOptions{Retry: o})
			return len(w.server.Journal()), time.Since(begun), err
		}
		always := w.server.Inject(watchtest.Fault{Count: -1, Answer: watchtest.StatusAnswer(watchtest.TooManyRequests(7))})
		if n, took, err := get(w.Context(), steady); n != 4 || took != 21*time.Second || err == nil {
			w.Errorf("%d attempts in %v: %v", n, took, err)
		}
		if n, _, err := get(w.Context(), rawwatch.RetryOptions{Retries: -1}); n != 1 || err == nil {
			w.Errorf("%d attempts: %v", n, err)
		}
		ctx, cancel := context.WithTimeout(w.Context(), 10*time.Second)
		defer cancel()
		if n, took, err := get(ctx, steady); n != 2 || took != 7*time.Second || errors.Is(err, context.DeadlineExceeded) {
			w.Errorf("with 10 s, %d attempts in %v: %v", n, took, err)
		}
		always.Remove()
		w.server.Inject(watchtest.Fault{Count: -1, Hold: true})
		var late *rawwatch.TimeoutError
		if n, took, err := get(w.Context(), steady); took != rawwatch.DefaultDocumentTimeout || !errors.As(err, &late) || n < 2 {
			w.Errorf("held: %d attempts in %v: %v", n, took, err)
		}
		cancelled, stop := context.WithCancelCause(w.Context())
		enough := errors.New("enough")
		time.AfterFunc(time.Second, func() { stop(enough) })
		if n, took, err := get(cancelled, steady); n != 1 || took != time.Second || !errors.Is(err, enough) {
			w.Errorf("cancelled: %d attempts in %v: %v", n, took, err)
		}
		var option *resume.OptionError
		if n, _, err := get(w.Context(), rawwatch.RetryOptions{Backoff: resume.Backoff{Factor: 0.5}}); n != 0 || !errors.As(err, &option) {
			w.Errorf("a factor below one: %d %v", n, err)
		}
	})
}
