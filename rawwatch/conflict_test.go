package rawwatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
	"github.com/rawwatch/rawwatch/resume"
)

// TestChange: writers that count in one object lose nothing.
func TestChange(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		const writers, each = 4, 8
		w.createLamp(`{"n":0}`)
		var writing sync.WaitGroup
		for range writers {
			writing.Go(func() {
				for range each {
					_, err := w.client.Change(w.Context(), rawwatch.ConfigMaps, lamp, func(f rawwatch.Fields) error {
						v, _ := f.Value("data", "n")
						n, err := v.(json.Number).Int64()
						return errors.Join(err, f.Set(n+1, "data", "n"))
					}, rawwatch.WriteOptions{})
					if err != nil {
						w.Error(err)
					}
				}
			})
		}
		writing.Wait()
		w.lampHas(fmt.Sprintf(`"data":{"n":%d}`, writers*each))
		if _, err := w.client.Change(w.Context(), rawwatch.ConfigMaps, lamp, func(rawwatch.Fields) error { return errors.ErrUnsupported }, rawwatch.WriteOptions{}); err != errors.ErrUnsupported {
			w.Errorf("the caller's own error: %v", err)
		}
	})
}

// TestRetryOnConflict: bounded, with waits that grow, and only for conflicts.
func TestRetryOnConflict(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		stale := w.createLamp(`{}`)
		w.touch(watchtest.ConfigMaps, lamp.Namespace, lamp.Name, "1")
		attempts := 0
		update := func(ctx context.Context) error {
			attempts++
			return second(w.client.Update(ctx, rawwatch.ConfigMaps, stale, rawwatch.WriteOptions{}))
		}
		begun := time.Now()
		err := rawwatch.RetryOnConflict(w.Context(), rawwatch.ConflictOptions{Backoff: resume.Backoff{Jitter: -1}}, update)
		var all *rawwatch.ConflictsError
		if !errors.As(err, &all) || all.Attempts != attempts || attempts != rawwatch.DefaultConflictAttempts || !rawwatch.IsConflict(err) || !strings.Contains(err.Error(), "10 attempts") {
			w.Errorf("after %d attempts: %v", attempts, err)
		}
		// 10, 20, 40, … 640 ms, then twice the longest.
		if took := time.Since(begun); took != 1270*time.Millisecond+2*time.Second {
			w.Errorf("took %v", took)
		}
		attempts = 0
		if err := rawwatch.RetryOnConflict(w.Context(), rawwatch.ConflictOptions{Attempts: -1}, update); attempts != 1 || !rawwatch.IsConflict(err) {
			w.Errorf("once: %d attempts, %v", attempts, err)
		}
		for _, other := range []error{nil, errors.ErrUnsupported, second(w.client.Create(w.Context(), rawwatch.ConfigMaps, lampWith(`{}`), rawwatch.WriteOptions{}))} {
			attempts = 0
			err := rawwatch.RetryOnConflict(w.Context(), rawwatch.ConflictOptions{}, func(context.Context) error { attempts++; return other })
			if attempts != 1 || err != other {
				w.Errorf("%v: %d attempts, %v", other, attempts, err)
			}
		}
		ctx, cancel := context.WithCancelCause(w.Context())
		enough := errors.New("enough")
		err = rawwatch.RetryOnConflict(ctx, rawwatch.ConflictOptions{}, func(ctx context.Context) error {
			defer cancel(enough)
			return update(ctx)
		})
		if !errors.Is(err, enough) || !rawwatch.IsConflict(err) {
			w.Errorf("cancelled: %v", err)
		}
		var option *resume.OptionError
		if err := rawwatch.RetryOnConflict(w.Context(), rawwatch.ConflictOptions{Backoff: resume.Backoff{Factor: 0.5}}, update); !errors.As(err, &option) {
			w.Errorf("a factor below one: %v", err)
		}
	})
}
