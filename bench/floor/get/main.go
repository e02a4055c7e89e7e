// Command get sends one request over TLS, with the standard library alone.
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
)

func main() {
	roots := x509.NewCertPool()
	if ca, err := os.ReadFile("ca.crt"); err == nil {
		roots.AppendCertsFromPEM(ca)
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true,
	}}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, os.Args[1], nil)
	if err != nil {
		log.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	fmt.Println(response.Status, n, err)
}
