package rawwatch

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// BenchmarkSubscribers publishes one update after the other to 1, 4 and 16
// subscribers that do nothing with it, and waits for the last delivery. With
// no subscriber it is the store's part.
func BenchmarkSubscribers(b *testing.B) {
	for _, delivery := range []Delivery{PushBack, Coalesce} {
		for _, batch := range []int{1, 256} {
			for _, n := range []int{0, 1, 4, 16} {
				if n == 0 && (delivery != PushBack || batch != 1) {
					continue
				}
				b.Run(fmt.Sprintf("%v/batch=%d/subscribers=%d", delivery, batch, n), func(b *testing.B) {
					benchSubscribers(b, n, SubscriptionOptions[val]{Delivery: delivery, BatchSize: batch})
				})
			}
		}
	}
}

func benchSubscribers(b *testing.B, n int, o SubscriptionOptions[val]) {
	w := newFan(b)
	const objects = 1000
	events := make([][2]Event, objects)
	for i := range events {
		name := fmt.Sprintf("object-%04d", i)
		w.add(name)
		for j := range events[i] {
			events[i][j] = w.make(Modified, name, "u-"+name, 0)
		}
	}
	var last atomic.Uint64
	var subs []*Subscription[val]
	for range n {
		subs = append(subs, w.batches(func(_ context.Context, batch []Change[val]) error {
			last.Store(batch[len(batch)-1].Sequence)
			return nil
		}, o))
	}
	for _, s := range subs {
		for s.Acknowledged() != w.subs.sequence {
			<-wait(s)
		}
	}
	b.ReportAllocs()
	ctx, i := b.Context(), 0
	for b.Loop() {
		if err := w.subs.publish(ctx, events[i%objects][i/objects%2]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	for _, s := range subs {
		for s.Acknowledged() != w.subs.sequence {
			<-wait(s)
		}
	}
	b.StopTimer()
	var delivered uint64
	for _, s := range subs {
		delivered += s.Stats().Delivered - objects
	}
	if n > 0 {
		b.ReportMetric(float64(delivered)/float64(n)/float64(b.N), "delivered/change")
	}
	w.stop()
}

// BenchmarkQueue is the cost of one change in and out of each kind of queue.
func BenchmarkQueue(b *testing.B) {
	items := make([]*Item[val], 1000)
	for i := range items {
		items[i] = &Item[val]{Identity: decode.Identity{Namespace: "ns", Name: fmt.Sprintf("object-%04d", i)}}
	}
	for name, q := range map[string]queue[val]{"ring": &ring[val]{limit: len(items)}, "coalescing": &coalescing[val]{}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, item := range items {
					q.offer(record[val]{change: Change[val]{Type: Modified, Item: item, Old: item}})
				}
				for q.size() > 0 {
					q.take()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(items)), "ns/change")
		})
	}
}

// wait gives way to the subscription's goroutine.
func wait(s *Subscription[val]) <-chan struct{} {
	signal(s.wake)
	c := make(chan struct{})
	go close(c)
	return c
}
