package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sized are the programs that have a budget, of the root module.
var sized = []string{"examples/minimal", "examples/informer", "examples/checkpoint", "examples/nodepods", "cmd/rawwatch"}

// binaries are the bytes of stripped programs with default build tags, for
// linux/amd64 wherever this runs.
func binaries(ctx context.Context, _ bool) (measurements, error) {
	folder, err := os.MkdirTemp("", "budget-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	sizes := measurements{}
	for _, program := range sized {
		file := filepath.Join(folder, filepath.Base(program))
		if err := build(ctx, "..", "./"+program, file, "GOOS=linux", "GOARCH=amd64"); err != nil {
			return nil, err
		}
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		sizes[filepath.Base(program)] = float64(info.Size())
	}
	return sizes, nil
}

// build builds one program of the module in dir, stripped.
func build(ctx context.Context, dir, program, file string, env ...string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, program)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", program, err, out)
	}
	return nil
}

// modules counts the root module's graph, and what it has of Kubernetes' own.
func modules(ctx context.Context, _ bool) (measurements, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "all")
	cmd.Dir = ".."
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m all: %w", err)
	}
	m := measurements{"all": 0, "k8s.io": 0}
	for module := range strings.Lines(string(out)) {
		m["all"]++
		if strings.HasPrefix(module, "k8s.io/") {
			m["k8s.io"]++
		}
	}
	// What ends up in the smallest informer, and so in who imports it.
	cmd = exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./examples/informer")
	cmd.Dir = ".."
	cmd.Stderr = os.Stderr
	if out, err = cmd.Output(); err != nil {
		return nil, fmt.Errorf("go list -deps: %w", err)
	}
	linked := map[string]bool{}
	for module := range strings.Lines(string(out)) {
		if module = strings.TrimSpace(module); module != "" {
			linked[module] = true
		}
	}
	m["linked"] = float64(len(linked))
	return m, nil
}
