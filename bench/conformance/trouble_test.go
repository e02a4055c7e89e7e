package conformance

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/bench/faultnet"
)

// trouble is something that befalls a world for some seconds.
type trouble struct {
	name string
	do   func(*chaos)
	// alone: the trouble writes by itself, or needs the writers to rest.
	alone bool
}

// withoutEtcd is what can be done whatever the store is.
var withoutEtcd = []trouble{
	{name: "nothing", do: func(c *chaos) { c.last(time.Second) }},
	{name: "the API server is killed", do: func(c *chaos) { c.restart() }},
	{name: "the API server is stopped in an orderly way", do: func(c *chaos) { c.stop() }},
	{name: "the store is killed", do: (*chaos).killStore},
	{name: "every connection is cut, thrice", do: (*chaos).cut},
	{name: "every connection is reset as it speaks", do: (*chaos).reset},
	{name: "nobody listens", do: (*chaos).unreachable},
	{name: "packets vanish without a FIN", do: (*chaos).stall},
	{name: "packets of old and new connections vanish", do: (*chaos).blackout},
	{name: "the network is slow", do: (*chaos).slow},
	{name: "everything comes in crumbs", do: (*chaos).split},
	{name: "connections end after some bytes", do: (*chaos).limited},
	{name: "bytes come twice", do: (*chaos).twice},
	{name: "requests are sent twice", do: (*chaos).repeated},
	{name: "cut off over a restart", do: (*chaos).gap},
}

var allTroubles = append(withoutEtcd[:len(withoutEtcd):len(withoutEtcd)],
	trouble{name: "store and API server are killed", do: (*chaos).killAll},
	trouble{name: "compacted again and again", do: (*chaos).compactions},
	trouble{name: "compacted, then killed", do: func(c *chaos) { c.compact(); c.restart() }},
	trouble{name: "an older snapshot is restored", do: (*chaos).restored, alone: true},
)

// last lets a trouble last.
func (c *chaos) last(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.t.Context().Done():
	}
}

// ail puts the toxics in place for some time.
func (c *chaos) ail(d time.Duration, toxics ...faultnet.Toxic) {
	ctx, cancel := context.WithTimeout(c.t.Context(), d)
	defer cancel()
	for _, t := range toxics {
		if err := c.proxy.Ail(ctx, t); err != nil && ctx.Err() == nil {
			c.t.Fatal(err)
		}
	}
	<-ctx.Done()
	c.must(c.proxy.Heal())
	c.network.Cut()
}

func (c *chaos) killStore() {
	c.cluster.KillStore()
	c.last(time.Duration(c.random.IntN(1500)) * time.Millisecond)
	c.must(c.cluster.StartStore(c.t.Context()))
}

func (c *chaos) killAll() {
	c.cluster.Kill()
	c.cluster.KillStore()
	c.must(c.cluster.StartStore(c.t.Context()))
	c.must(c.cluster.Start(c.t.Context()))
}

func (c *chaos) cut() {
	for range 3 {
		c.network.Cut()
		c.last(time.Duration(c.random.IntN(700)) * time.Millisecond)
	}
}

func (c *chaos) reset() {
	c.ail(time.Second, faultnet.Toxic{Type: "reset_peer", Attributes: map[string]int{"timeout": c.random.IntN(50)}})
	c.network.Cut() // the resets apply to connections that were opened under them
}

func (c *chaos) unreachable() {
	c.proxy.Down()
	c.last(time.Second + time.Duration(c.random.IntN(1000))*time.Millisecond)
	c.must(c.proxy.Up())
}

func (c *chaos) stall() {
	c.network.Stall()
	c.last(time.Second)
}

func (c *chaos) blackout() { c.ail(4*time.Second, faultnet.Toxic{Type: "timeout"}) }

func (c *chaos) slow() {
	c.ail(3*time.Second,
		faultnet.Toxic{Type: "latency", Attributes: map[string]int{"latency": 100, "jitter": 90}},
		faultnet.Toxic{Type: "bandwidth", Attributes: map[string]int{"rate": 32}})
}

func (c *chaos) split() {
	c.network.Cut() // the first bytes too
	c.ail(2*time.Second, faultnet.Toxic{Type: "slicer", Attributes: map[string]int{"average_size": 24, "size_variation": 23, "delay": 50}})
}

func (c *chaos) limited() {
	c.network.Cut()
	c.ail(3*time.Second, faultnet.Toxic{Type: "limit_data", Attributes: map[string]int{"bytes": 4000 + c.random.IntN(40_000)}})
}

func (c *chaos) twice() {
	for range 3 {
		c.network.Duplicate()
		c.last(300 * time.Millisecond)
	}
}

func (c *chaos) repeated() {
	c.stutter.Set(true)
	defer c.stutter.Set(false)
	c.network.Cut()
	c.last(time.Second)
	c.compactions()
}

func (c *chaos) compactions() {
	for range 4 {
		if c.world.options.Store == "" {
			c.compact()
		}
		c.network.Cut()
		c.last(500 * time.Millisecond)
	}
}

// gap cuts the followers off until the server's history no longer reaches
// back to where they were.
func (c *chaos) gap() {
	c.network.Down()
	c.last(500 * time.Millisecond) // the writers go on
	if c.world.options.Store == "" {
		c.compact()
	}
	c.restart()
	c.last(500 * time.Millisecond)
	c.network.Up()
}

// restored puts an older snapshot of etcd back while nobody writes, then lets
// new objects be written: fewer versions than the lost history had, since
// what has overtaken a follower it cannot see.
func (c *chaos) restored() {
	c.must(c.cluster.Snapshot(c.t.Context()))
	c.writeDuring(func() { c.write(400, func() {}) })
	c.quiet()
	c.network.Down()
	c.must(c.cluster.Restore(c.t.Context()))
	for _, f := range c.followers {
		f.Rewritten()
	}
	c.network.Up()
	for i := range 20 {
		mustWrite(c.t, c.cluster.Direct(), "POST", inDefault, object{"metadata": object{"generateName": "restored-", "labels": object{"color": [...]any{"red", "blue"}[i%2]}}})
	}
}

// writeDuring lets the writers write until the trouble is over, half of their
// changes at the least before it begins.
func (c *chaos) writeDuring(trouble func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	over := make(chan struct{})
	var writing, warm sync.WaitGroup
	for range suiteWriters {
		c.writers++
		w := &writer{id: c.writers, random: rand.New(rand.NewPCG(c.seed, uint64(c.writers))), direct: c.cluster.Direct(), history: c.history}
		warm.Add(1)
		writing.Go(func() {
			err := w.write(ctx, 20, c.up)
			warm.Done()
			for err == nil {
				select {
				case <-over:
					err = w.write(ctx, 20, c.up)
					if err != nil {
						c.t.Errorf("writer %d: %v", w.id, err)
					}
					return
				default:
					err = w.write(ctx, 1, c.up)
					c.last(writePause)
				}
			}
			c.t.Errorf("writer %d: %v", w.id, err)
		})
	}
	warm.Wait()
	trouble()
	close(over)
	writing.Wait()
}

// writePause is how long a writer rests between two changes while a trouble
// lasts.
const writePause = 5 * time.Millisecond
