// Command four reads a file of YAML and sends one request, whose answer is
// JSON, with the four libraries that the project stands on.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/hashicorp/go-retryablehttp"
	jsoniter "github.com/json-iterator/go"
	"golang.org/x/net/http2"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := os.ReadFile("config.yaml")
	if err != nil {
		log.Fatal(err)
	}
	var config struct {
		Server string `json:"server"`
		CA     []byte `json:"ca"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		log.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CA)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	//lint:ignore SA1019 what agents do is measured
	if _, err := http2.ConfigureTransports(transport); err != nil {
		log.Fatal(err)
	}
	client := retryablehttp.NewClient()
	client.HTTPClient.Transport = transport
	response, err := client.Get(config.Server)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	var answer struct {
		Kind string `json:"kind"`
	}
	fmt.Println(jsoniter.Unmarshal(body, &answer), answer.Kind)
}
