package rawwatch_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// TestZeroInformer: it says that it was not made, and waits for nothing.
func TestZeroInformer(t *testing.T) {
	var i rawwatch.Informer[pod]
	one := func(context.Context, rawwatch.Change[pod]) error { return nil }
	batch := func(context.Context, []rawwatch.Change[pod]) error { return nil }
	_, subscribe := i.Subscribe(one, rawwatch.SubscriptionOptions[pod]{})
	_, subscribeBatch := i.SubscribeBatch(batch, rawwatch.SubscriptionOptions[pod]{})
	for name, err := range map[string]error{
		"Run": i.Run(t.Context()), "WaitForSync": i.WaitForSync(t.Context()),
		"Subscribe": subscribe, "SubscribeBatch": subscribeBatch,
	} {
		if !errors.Is(err, rawwatch.ErrZeroInformer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s := i.Status(); s.Running || s.Synced || s.Objects != 0 || len(s.Watches) != 0 || !s.AsOf.IsZero() {
		t.Errorf("%+v", s)
	}
	if i.Store() != nil || i.Done() != nil || i.Err() != nil {
		t.Error("it has a store, or has ended")
	}
}

// TestZeroSubscription: it is like one that was closed.
func TestZeroSubscription(t *testing.T) {
	var s rawwatch.Subscription[pod]
	if err := s.Close(t.Context()); !errors.Is(err, rawwatch.ErrSubscriptionClosed) {
		t.Errorf("Close: %v", err)
	}
	if err := s.Ack(decode.Key{Namespace: "n", Name: "a"}, 1); !errors.Is(err, rawwatch.ErrNotManualAck) {
		t.Errorf("Ack: %v", err)
	}
	if s.Stats() != (rawwatch.SubscriptionStats{}) || s.Acknowledged() != 0 || s.Done() != nil {
		t.Errorf("%+v", s.Stats())
	}
}
