package rawwatch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch"
)

// process is one life.
type process struct {
	*view
	run          *run
	subscription *rawwatch.Subscription[pod]
	rand         *rand.Rand // of the handler
	last         bool
	dead         atomic.Bool

	unacknowledged []rawwatch.Change[pod] // under view.mu
}

// process makes the agent of one life, and its subscriber.
func (k *killed) process(seed uint64) *process {
	k.say("LIFE %d", k.life)
	o := rawwatch.InformerOptions[pod]{Checkpoint: rawwatch.CheckpointIn(k.memory, rawwatch.CheckpointOptions[pod]{})}
	if k.has(twoNamespaces) {
		o.Namespaces = k.namespaces()
	}
	q := all
	if k.has(selects) {
		q = all.WithField("spec.nodeName=x")
	}
	i, err := rawwatch.NewInformer(k.client, q, o)
	if err != nil {
		k.Fatal(err)
	}
	p := &process{view: k.view, rand: rand.New(rand.NewPCG(seed, uint64(k.life))), last: k.life == lives}
	p.run = &run{world: k.world, Informer: i, audience: new(audience)}
	if k.has(inBatches) {
		p.subscription, err = i.SubscribeBatch(p.handle, k.options())
	} else {
		p.subscription, err = i.Subscribe(func(ctx context.Context, c rawwatch.Change[pod]) error {
			return p.handle(ctx, []rawwatch.Change[pod]{c})
		}, k.options())
	}
	if err != nil {
		k.Fatal(err)
	}
	return p
}

func (t traits) options() rawwatch.SubscriptionOptions[pod] {
	o := rawwatch.SubscriptionOptions[pod]{Name: "s", Durable: true, ChangesOnly: true, Attempts: rawwatch.RetryForever, BatchSize: 5}
	o.ManualAck, o.MergeRecreated = t.has(acksByHand), t.has(merges)
	if t.has(coalesces) {
		o.Delivery = rawwatch.Coalesce
	}
	if t.has(filters) {
		o.Filter = func(i *rawwatch.Item[pod]) bool { return strings.HasPrefix(i.Value.Spec.NodeName, "x") }
	}
	return o
}

var (
	errDead  = errors.New("the process is no more")
	errAgain = errors.New("not yet")
)

// handle is slow now and then, so that the process is killed in it.
func (p *process) handle(ctx context.Context, batch []rawwatch.Change[pod]) error {
	var objects []rawwatch.Change[pod]
	for _, c := range batch {
		if p.dead.Load() {
			return errDead
		}
		if c.Item != nil {
			p.hear(&c)
			objects = append(objects, c)
		}
	}
	if !p.last && p.rand.IntN(4) == 0 {
		select {
		case <-time.After(time.Duration(p.rand.IntN(1500)) * time.Millisecond): // virtual
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	switch {
	case p.dead.Load():
		return errDead
	case p.has(fails) && !p.last && p.rand.IntN(5) == 0:
		return errAgain
	case p.has(acksByHand):
		p.mu.Lock()
		p.unacknowledged = append(p.unacknowledged, objects...)
		p.mu.Unlock()
		return nil
	}
	for n := range objects {
		p.acknowledge(&objects[n])
	}
	return nil
}

// ackOne acknowledges one change, and with it all before it that are of its name.
func (p *process) ackOne(r *rand.Rand) bool {
	p.mu.Lock()
	if len(p.unacknowledged) == 0 {
		p.mu.Unlock()
		return false
	}
	one := p.unacknowledged[r.IntN(len(p.unacknowledged))]
	var acked, rest []rawwatch.Change[pod]
	for _, c := range p.unacknowledged {
		if c.Item.Key() == one.Item.Key() && c.Sequence <= one.Sequence {
			acked = append(acked, c)
		} else {
			rest = append(rest, c)
		}
	}
	p.unacknowledged = rest
	p.mu.Unlock()
	if err := p.subscription.Ack(one.Item.Key(), one.Sequence); err != nil {
		p.run.Fatal(err)
	}
	for n := range acked {
		p.acknowledge(&acked[n])
	}
	return true
}
