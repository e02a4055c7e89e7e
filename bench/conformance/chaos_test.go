package conformance

import (
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"github.com/rawwatch/rawwatch/bench/faultnet"
	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/resume"
)

var (
	chaosFlag    = flag.Duration("chaos", 0, "how long TestChaos goes on; 0 skips it")
	troublesFlag = flag.String("troubles", "", "only those of TestChaos's troubles whose names hold this")
	worldsFlag   = flag.String("worlds", "etcd,nocache,kine,old", "servers that TestChaos runs against, with commas between")
)

// world is one kind of server that chaos befalls.
type world struct {
	name    string
	share   int // of the time
	options realapi.Options
	suffers []trouble
}

// worlds are a server as most clusters have it, which also sends GOAWAY; one
// without a watch cache; one on SQLite; and an old release.
var worlds = []world{
	{"etcd", 3, realapi.Options{Flags: []string{"--goaway-chance=0.02"}}, allTroubles},
	{"nocache", 1, realapi.Options{Flags: []string{"--watch-cache=false"}}, allTroubles},
	{"kine", 1, realapi.Options{Store: realapi.OnKine, Flags: []string{"--etcd-compaction-interval=3s"}}, withoutEtcd},
	{"old", 1, realapi.Options{Server: realapi.OldKubeAPIServer, Flags: []string{"--goaway-chance=0.02"}}, allTroubles},
}

// Random writers, and whatever may befall a server, its store and the network
// between: at every quiet point the state that each follower folded from its
// events, client-go's store and the server's list are equal, object for
// object, and no event has broken a promise.
func TestChaos(t *testing.T) {
	if *chaosFlag <= 0 {
		t.Skip("asked for by -chaos 2m, or make chaos")
	}
	klog.LogToStderr(false) // client-go tells of every failure that it was dealt
	klog.SetOutput(io.Discard)
	n := seed(t)
	chosen, shares := chooseWorlds(t)
	for _, w := range chosen {
		until := time.Now().Add(*chaosFlag * time.Duration(w.share) / time.Duration(shares))
		t.Run(w.name, func(t *testing.T) { enter(t, w, n).suffer(until) })
	}
}

func chooseWorlds(t *testing.T) (chosen []world, shares int) {
	t.Helper()
	for name := range strings.SplitSeq(*worldsFlag, ",") {
		known := len(chosen)
		for _, w := range worlds {
			if w.name == name {
				w.suffers = slices.DeleteFunc(slices.Clone(w.suffers), func(t trouble) bool { return !strings.Contains(t.name, *troublesFlag) })
				if len(w.suffers) == 0 {
					t.Fatalf("-troubles: the world %s has none such as %q", name, *troublesFlag)
				}
				chosen = append(chosen, w)
				shares += w.share
			}
		}
		if len(chosen) == known {
			t.Fatalf("-worlds: there is no world %q", name)
		}
	}
	return chosen, shares
}

// chaos is a [suite] with a proxy in its network, and with writers that go on
// as long as a trouble lasts.
type chaos struct {
	*suite
	world   world
	proxy   *faultnet.Proxy
	stutter faultnet.Stutter
	begun   time.Time
	faults  []string // what was done, and when
	round   int
	equal   time.Time // when the followers last had the server's state
}

// enter starts server, proxy, oracles and followers of every way.
func enter(t *testing.T, w world, seed uint64) *chaos {
	s := &suite{t: t, seed: seed, history: newHistory(t), cluster: realapi.Start(t, w.options)}
	s.random = rand.New(rand.NewPCG(seed, uint64(crc32.ChecksumIEEE([]byte(w.name)))))
	proxy, err := faultnet.NewProxy(strings.TrimPrefix(s.cluster.Config().Server, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	c := &chaos{suite: s, world: w, proxy: proxy, begun: time.Now()}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d, world %s, faults:\n%s", seed, w.name, strings.Join(c.faults, "\n"))
		}
	})
	s.network.Via = func(string) string { return proxy.Address() }
	mustWrite(t, s.cluster.Direct(), "POST", "/api/v1/namespaces", named("elsewhere", nil))
	installWidgets(t, s.cluster.Direct())
	s.write(150, func() {})
	client := newClient(t, s.cluster.Config(), rawwatch.ClientOptions{
		DialContext: s.network.DialContext, WrapTransport: c.stutter.Wrap,
		ConnectTimeout: 2 * time.Second, HeaderTimeout: 4 * time.Second, DataTimeout: 4 * time.Second,
		PingInterval: time.Second, PingTimeout: 2 * time.Second,
	})
	for _, k := range kinds {
		s.watch(client, k.resource.Query(), ways()...)
	}
	s.watch(client, rawwatch.ConfigMaps.WithLabel("color=red"), ways()...)
	s.watch(client, widgets.InNamespace("elsewhere").WithLabel("color notin (red)"), ways()...)
	return c
}

// ways are the ways to fetch the state, in pages, in pages beside a watch, and
// as a stream, in either encoding (a custom resource comes as JSON whatever is
// asked). Watches are
// short, since servers send a bookmark two seconds before a watch's end: its
// absence is how a rewritten history shows.
func ways() []rawwatch.ListWatchOptions {
	paged := rawwatch.ListWatchOptions{
		ListFirst: true, PageLimit: 7, Bookmarks: true,
		Backoff:         resume.Backoff{Min: 100 * time.Millisecond, Max: time.Second},
		WatchTimeoutMin: 5 * time.Second, WatchTimeoutMax: 9 * time.Second, SilenceBound: 4 * time.Second,
	}
	streamed, beside := paged, paged
	streamed.ListFirst, streamed.PageLimit = false, 0
	beside.ListWhileWatching = true
	var all []rawwatch.ListWatchOptions
	for _, encoding := range []rawwatch.Encoding{rawwatch.EncodingJSON, rawwatch.EncodingProtobuf} {
		for _, o := range []rawwatch.ListWatchOptions{paged, beside, streamed} {
			o.Encoding = encoding
			all = append(all, o)
		}
	}
	return all
}

// suffer lets troubles befall the world, each once in a random order and then
// at random, until the time is over: one at the least.
func (c *chaos) suffer(until time.Time) {
	c.quiet()
	var order []int
	for c.round == 0 || time.Now().Before(until) {
		if len(order) == 0 {
			order = c.random.Perm(len(c.world.suffers))
		}
		what := c.world.suffers[order[0]]
		order = order[1:]
		c.befall(what)
	}
	c.report()
}

// befall is one round: writers write, the trouble comes and goes meanwhile,
// and then all must agree.
func (c *chaos) befall(what trouble) {
	begun := time.Now()
	c.round++
	line := fmt.Sprintf("%7.1fs %s %d: %s", begun.Sub(c.begun).Seconds(), c.world.name, c.round, what.name)
	c.faults = append(c.faults, line)
	c.history.note("round", line)
	if what.alone {
		what.do(c)
	} else {
		c.writeDuring(func() { what.do(c) })
	}
	written := time.Since(begun)
	c.quiet()
	c.t.Logf("%s: over after %.1fs, equal after %.1fs, client-go after %.1fs",
		line, written.Seconds(), c.equal.Sub(begun).Seconds(), time.Since(begun).Seconds())
}

// oraclePatience is how long client-go may take at a quiet point until its
// informer is replaced by a new one: its backoff grows to a minute, and after
// a history was rewritten it never comes back.
const oraclePatience = 5 * time.Second

// quiet waits until every follower has the server's state, then until
// client-go has it too.
func (c *chaos) quiet() {
	c.t.Helper()
	for _, f := range c.followers {
		f.untilEqual(c.t, listed(c.cluster, f.query))
	}
	c.equal = time.Now()
	patience := c.equal.Add(oraclePatience)
	for i, f := range c.followers {
		c.consulted(c.oracles[i], f.query, patience)
	}
	for _, f := range c.followers {
		for _, p := range f.Problems() {
			c.t.Errorf("%s: %s", f.query, p)
		}
	}
	if c.t.Failed() {
		c.t.FailNow()
	}
}

func (c *chaos) consulted(o *oracle, q rawwatch.Query, patience time.Time) {
	c.t.Helper()
	eventually(c.t, "client-go's store of "+q.String()+" equals the server's list", func(ctx context.Context) error {
		want, err := serverState(ctx, c.cluster.Direct(), q)
		if err != nil {
			return err
		}
		diff := Diff(want, o.state(c.t))
		if diff == "" {
			return nil
		}
		if time.Now().After(patience) {
			o.restart()
			patience = time.Now().Add(oraclePatience)
		}
		return fmt.Errorf("client-go differs: %s", diff)
	})
}

// report says what the world has seen.
func (c *chaos) report() {
	restarts := 0
	for i, o := range c.oracles {
		if i == 0 || o != c.oracles[i-1] {
			restarts += o.restarts
		}
	}
	events, lists, streams := 0, 0, 0
	for _, f := range c.followers {
		for _, n := range f.Counts() {
			events += n
		}
		s := f.reflector.Status()
		lists += s.Lists
		streams += s.Streams
	}
	c.t.Logf("%s: %d rounds, %d events, %d lists, %d streams, %d connections, %d requests sent twice, client-go restarted %d times",
		c.world.name, c.round, events, lists, streams, c.network.Dialed(), c.stutter.Repeated(), restarts)
}
