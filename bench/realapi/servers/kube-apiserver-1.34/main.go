// Command kube-apiserver-1.34 is an older Kubernetes API server, built from
// its published module so that tests run against a release that is still in
// use beside the newest one.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
