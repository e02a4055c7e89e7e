// Command watch reads a watch of all pods over golang.org/x/net/http2, in protobuf,
// and looks at nothing in it but whether the marker has come. It is what no client
// gets below that is woken for each event: TLS, HTTP/2, the kernel and the runtime.
// It is one of the programs that measure runs, and takes their -updates.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"golang.org/x/net/http2"

	"github.com/rawwatch/rawwatch/bench/usage"
	"github.com/rawwatch/rawwatch/kubeconfig"
)

func main() {
	updates := flag.Bool("updates", false, "go on after the first answer, until the marker comes")
	flag.Parse()
	if err := run(context.Background(), *updates); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, updates bool) error {
	config, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CAData)
	if config.CAFile != "" {
		ca, err := os.ReadFile(config.CAFile)
		if err != nil {
			return err
		}
		roots.AppendCertsFromPEM(ca)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	//lint:ignore SA1019 what agents do is measured
	if _, err := http2.ConfigureTransports(transport); err != nil {
		return err
	}
	get := func(query, accept string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Server+"/api/v1/pods?"+query, nil)
		if err != nil {
			return nil, err
		}
		request.Header = http.Header{"Authorization": {"Bearer " + config.BearerToken}, "Accept": {accept}}
		response, err := transport.RoundTrip(request)
		if err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s: %s", request.URL.Path, response.Status)
		}
		return response, err
	}
	version, err := first(get)
	if err != nil {
		return err
	}
	watch, err := get("watch=1&allowWatchBookmarks=true&resourceVersion="+version, "application/vnd.kubernetes.protobuf;stream=watch")
	if err != nil {
		return err
	}
	defer watch.Body.Close()
	if err := usage.Print("sync", 0, 0, 0); err != nil || !updates {
		return err
	}
	if err := awaitMarker(watch.Body); err != nil {
		return err
	}
	return usage.Print(usage.Marker, 0, 0, 0)
}

// first is the version of a list of one.
func first(get func(query, accept string) (*http.Response, error)) (version string, err error) {
	list, err := get("limit=1", "application/json")
	if err != nil {
		return "", err
	}
	defer list.Body.Close()
	var head struct {
		Metadata struct{ ResourceVersion string }
	}
	err = json.NewDecoder(list.Body).Decode(&head)
	return head.Metadata.ResourceVersion, err
}

// awaitMarker reads until the marker's name goes by, which may be across two reads.
func awaitMarker(r io.Reader) error {
	name := []byte("\n\x06" + usage.Marker) // metadata.name in protobuf: field 1, 6 bytes
	buffer := make([]byte, 32<<10)
	kept := 0
	for {
		n, err := r.Read(buffer[kept:])
		if err != nil {
			return err
		}
		end := kept + n
		if bytes.Contains(buffer[:end], name) {
			return nil
		}
		kept = copy(buffer, buffer[max(0, end-len(name)+1):end])
	}
}
