// Command schemagen writes the table of protobuf field numbers that package
// decode reads, from the Go types of the Kubernetes release that this module
// requires; and the list of kinds for the tests that compare the two.
//
//	go run ./cmd/schemagen                    # regenerate
//	go run ./cmd/schemagen -release v0.38.0   # move to another release first
//	go run ./cmd/schemagen -check             # fail if a file is stale
//
// It runs in this module's directory.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// modules hold the types of the built-in API groups, and release together.
var modules = []string{
	"k8s.io/api",
	"k8s.io/apiextensions-apiserver",
	"k8s.io/apimachinery",
	"k8s.io/client-go",
	"k8s.io/kube-aggregator",
}

// The files that are written, from the module's directory.
const (
	tableFile  = "../internal/schema/table.txt"
	packedFile = "../internal/schema/table.bin" // a test of that package holds it against the table
	kindsFile  = "schematest/kindlist_test.go"
)

func main() {
	release := flag.String("release", "", "require this version of the k8s.io modules, such as v0.38.0, before generating")
	check := flag.Bool("check", false, "write nothing; fail if a file would change")
	flag.Parse()
	run := generateAll
	if *release != "" {
		run = func(bool) error { return moveTo(*release) }
	}
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

func generateAll(check bool) error {
	byName, err := kinds()
	if err != nil {
		return err
	}
	table, err := generate(byName)
	if err != nil {
		return err
	}
	list, err := kindList(byName)
	if err != nil {
		return err
	}
	if !check { // another release of Go may deflate it otherwise
		packed, err := pack(table)
		if err != nil {
			return err
		}
		if err := os.WriteFile(packedFile, packed, 0o644); err != nil {
			return err
		}
	}
	return errors.Join(put(tableFile, table, check), put(kindsFile, list, check))
}

func put(file string, content []byte, check bool) error {
	if !check {
		return os.WriteFile(file, content, 0o644)
	}
	have, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, content) {
		return fmt.Errorf("%s is stale: run go run ./cmd/schemagen in bench", file)
	}
	return nil
}

// moveTo requires the release, starts over, and has the samples renewed: the types are linked into this
// program, so it has to be built again. The list of kinds goes first, since it
// may name packages that the release does not have.
func moveTo(release string) error {
	if err := os.Remove(kindsFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	get := []string{"get"}
	for _, m := range modules {
		get = append(get, m+"@"+release)
	}
	golden := []string{"test", "./schematest", "-run", "TestGolden", "-update"}
	for _, args := range [][]string{get, {"mod", "tidy"}, {"run", "./cmd/schemagen"}, golden} {
		cmd := exec.Command("go", args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go %s: %w", args[0], err)
		}
	}
	return nil
}
