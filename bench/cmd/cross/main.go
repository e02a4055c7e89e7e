// Command cross builds the command line and every example for the machines that
// agents run on, with nothing but the Go tool chain, and prints how large they are.
//
//	go run ./cmd/cross [-json]
//
// It fails when something does not compile. The programs are stripped and have
// default build tags; CGO is off.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// target is what is built for.
type target struct {
	Name string   `json:"name"`
	Env  []string `json:"env"`
}

var targets = []target{
	{"linux/amd64", []string{"GOOS=linux", "GOARCH=amd64"}},
	{"linux/arm64", []string{"GOOS=linux", "GOARCH=arm64"}},
	{"linux/arm (v6)", []string{"GOOS=linux", "GOARCH=arm", "GOARM=6"}},
	{"linux/riscv64", []string{"GOOS=linux", "GOARCH=riscv64"}},
	{"linux/mipsle (softfloat)", []string{"GOOS=linux", "GOARCH=mipsle", "GOMIPS=softfloat"}},
	{"windows/amd64", []string{"GOOS=windows", "GOARCH=amd64"}},
	{"darwin/arm64", []string{"GOOS=darwin", "GOARCH=arm64"}},
}

// row is what a target's programs have in bytes, by name.
type row struct {
	target
	Bytes map[string]int64 `json:"bytes"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if err := run(ctx, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "cross:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, asJSON bool) error {
	examples, err := filepath.Glob("../examples/*/main.go")
	if err != nil || len(examples) == 0 {
		return fmt.Errorf("run this in the folder bench: %d examples, %v", len(examples), err)
	}
	programs := []string{"./cmd/rawwatch"}
	for _, file := range examples {
		programs = append(programs, "./examples/"+filepath.Base(filepath.Dir(file)))
	}
	var rows []row
	if !asJSON {
		fmt.Println(header(programs))
	}
	for _, t := range targets {
		sizes, err := build(ctx, t, programs)
		if err != nil {
			return err
		}
		rows = append(rows, row{t, sizes})
		if !asJSON {
			fmt.Println(line(t.Name, programs, sizes))
		}
	}
	if !asJSON {
		return nil
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(rows)
}

// build builds all programs for one target, in one go.
func build(ctx context.Context, t target, programs []string) (map[string]int64, error) {
	folder, err := os.MkdirTemp("", "cross-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", folder + "/"}, programs...)...)
	cmd.Dir = ".."
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), t.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", t.Name, err, out)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			return nil, err
		}
		sizes[strings.TrimSuffix(file.Name(), ".exe")] = info.Size()
	}
	return sizes, nil
}

func header(programs []string) string {
	top, below := "| bytes, stripped |", "|---|"
	for _, p := range programs {
		top, below = top+" "+strings.TrimPrefix(p, "./")+" |", below+"---|"
	}
	return top + "\n" + below
}

func line(name string, programs []string, sizes map[string]int64) string {
	text := "| " + name + " |"
	for _, p := range programs {
		text += fmt.Sprintf(" %d |", sizes[filepath.Base(p)])
	}
	return text
}
