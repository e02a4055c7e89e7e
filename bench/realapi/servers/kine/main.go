// Command kine serves the etcd API over SQLite, built from its published
// module so that tests run the API server on the store that k3s brings to
// the edge. Without cgo it uses a SQLite written in Go.
package main

import (
	"context"
	"errors"
	"os"

	"github.com/k3s-io/kine/pkg/app"
	"github.com/sirupsen/logrus"
)

func main() {
	if err := app.New().Run(os.Args); err != nil && !errors.Is(err, context.Canceled) {
		logrus.Fatal(err)
	}
}
