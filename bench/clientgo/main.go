package clientgo

import (
	"flag"
	"log"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/bench/usage"
)

// Main is the whole of a measured program but for its informer.
func Main(informer func(*rest.Config) (cache.SharedIndexInformer, error)) {
	teller := usage.Flags()
	plain := flag.Bool("plain", false, "ask for no compression")
	flag.Parse()
	config, err := Config(teller, *plain)
	if err != nil {
		log.Fatal(err)
	}
	pods, err := informer(config)
	if err == nil {
		err = Run(teller, pods)
	}
	if err != nil {
		log.Fatal(err)
	}
}
