// Command idle measures what a watch costs that nothing happens on. It opens
// many of them in one process against a real API server, waits until all are
// open and quiet, and compares the process with itself when it had one:
// memory, connections, goroutines. Its informers, and client-go's bare watch and
// informer, are measured the same way, each in a process of its own.
//
//	go run ./cmd/idle [-watches 5000] [-peers 500] [-limit 16384]
//
// It fails when a watch of rawwatch costs more than the limit. What is held
// against the limit is the heap and the stacks in use after a collection; the
// resident memory of the process, which holds what the collector has not
// given back too, stands beside it. Linux only.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
)

// patience bounds one program's run.
const patience = 5 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	watches := flag.Int("watches", 5000, "idle watches of rawwatch in one process")
	peers := flag.Int("peers", 500, "idle watches, and informers, of client-go")
	limit := flag.Int("limit", 16<<10, "bytes of heap and stacks that a watch of rawwatch may cost")
	profile := flag.String("profile", "", "write heap and goroutine profiles of the rawwatch process to files that begin so")
	settle := flag.Duration("settle", 5*time.Second, "how long a process rests before it is measured")
	role := flag.String("role", "", "used by the command itself: what this process is")
	flag.Parse()
	var err error
	if *role != "" {
		err = play(ctx, *role, *watches, *settle, *profile)
	} else {
		err = compare(ctx, *watches, *peers, *limit, *profile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}

const header = `| program | watches | each: heap + stacks | heap | objects alive | stacks | resident | goroutines | connections (ever opened) |
|---|---|---|---|---|---|---|---|---|
`

func compare(ctx context.Context, watches, peers, limit int, profile string) error {
	cluster, err := realapi.Launch(ctx, realapi.Options{Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return err
	}
	defer cluster.Close()
	object := []byte(`{"metadata":{"name":"idle"},"data":{"a":"b"}}`)
	if _, err := cluster.Direct().Do(ctx, "POST", "/api/v1/namespaces/default/configmaps", object); err != nil {
		return err
	}
	config, err := cluster.WriteKubeconfig("kubeconfig", cluster.Config())
	if err != nil {
		return err
	}
	fmt.Print(header)
	var own cost
	for _, run := range []struct {
		role, name string
		watches    int
	}{
		{roleOwn, "rawwatch ListWatch", watches},
		{roleOwn, "rawwatch ListWatch", peers},
		{roleOwnInformer, "rawwatch Informer", watches},
		{roleOwnInformer, "rawwatch Informer", peers},
		{rolePeer, "client-go typed watch", peers},
		{rolePeerInformer, "client-go typed informer", peers},
	} {
		c, err := child(ctx, config, run.role, run.watches, profile)
		if err != nil {
			return fmt.Errorf("%s: %w", run.name, err)
		}
		profile = "" // of the first alone
		if own.Watches == 0 {
			own = c
		}
		kb := func(bytes int64) float64 { return c.PerWatch(bytes) / 1024 }
		fmt.Printf("| %s | %d | %.1f KB | %.1f | %.1f | %.1f | %.1f | %.2f | %d (%d) |\n", run.name, c.Watches,
			kb(c.Memory()), kb(c.Heap), kb(c.Alive), kb(c.Stacks), kb(c.Resident), c.PerWatch(c.Goroutines), c.Connections, c.Opened)
	}
	if per := own.PerWatch(own.Memory()); per > float64(limit) {
		return fmt.Errorf("a watch of rawwatch costs %.0f bytes, the limit is %d", per, limit)
	}
	return nil
}

// child runs one program in a process of its own and reads its answer.
func child(ctx context.Context, kubeconfig, role string, watches int, profile string) (cost, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.CommandContext(ctx, self, "-role", role, "-watches", strconv.Itoa(watches), "-profile", profile)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return cost{}, err
	}
	var c cost
	return c, json.Unmarshal(out, &c)
}
