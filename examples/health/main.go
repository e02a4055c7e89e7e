// Command health watches any resource and says over HTTP how the watch is: a
// lost connection is a state that can be asked for, not a line in a log.
//
//	go run ./examples/health deployments.apps &
//	curl localhost:8081/readyz
//	curl 'localhost:8081/livez?format=json'
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/discovery"
)

// maxStale is how long the watch may be silent until livez says so. It is longer
// than any watch lives, so that it holds for servers without bookmarks, too.
const maxStale = 15 * time.Minute

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: health RESOURCE, such as pods or deployments.apps")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, name string) error {
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	client, err := rawwatch.NewClient(config, rawwatch.ClientOptions{UserAgent: "health", Logger: slog.Default()})
	if err != nil {
		return err
	}
	defer client.Close()
	resource, err := discovery.Find(ctx, client, name)
	if err != nil {
		return err
	}
	reflector := rawwatch.NewReflector(client, resource.AllNamespaces(), rawwatch.ListWatchOptions{})

	server := &http.Server{Addr: "localhost:8081", Handler: rawwatch.NewHealthHandler(maxStale, reflector), ReadHeaderTimeout: time.Second}
	defer server.Close()
	go func() {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()

	for event, err := range reflector.Events(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(event.Type, event.Object.Key())
	}
	return nil
}
