// Command size shows where the bytes of small agents are, by package, beside
// what programs cost that do the least with the same libraries.
//
//	go run ./cmd/size         # prints tables in Markdown
//	go run ./cmd/size -write  # puts them into ../docs/size.md
//
// It runs in the folder bench, and needs nothing but the Go tool chain.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

// page is where -write puts the tables, between the marks.
const (
	page  = "../docs/size.md"
	begin = "<!-- printed by: go run ./cmd/size -write -->\n"
	end   = "<!-- end -->\n"
)

// program is one that is measured. dir is its module's.
type program struct{ title, dir, path string }

var floors = []program{
	{"one request over TLS, standard library alone", ".", "./floor/get"},
	{"the same over golang.org/x/net/http2", ".", "./floor/http2"},
	{"the four libraries together", ".", "./floor/four"},
}

var agents = []program{
	{"minimal", "..", "./examples/minimal"},
	{"informer", "..", "./examples/informer"},
	{"checkpoint", "..", "./examples/checkpoint"},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	write := flag.Bool("write", false, "put the tables into "+page)
	flag.Parse()
	if err := run(ctx, *write); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, write bool) error {
	folder, err := os.MkdirTemp("", "size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	floorSizes, err := measureAll(ctx, folder, floors)
	if err != nil {
		return err
	}
	agentSizes, err := measureAll(ctx, folder, agents)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "Built by %s for linux/amd64; bytes of stripped binaries (`-trimpath -ldflags \"-s -w\"`, no CGO).\n\n", runtime.Version())
	wholes(&text, floorSizes, agentSizes)
	text.WriteByte('\n')
	parts(&text, append(floorSizes[1:2], agentSizes...))
	if !write {
		_, err = os.Stdout.Write(text.Bytes())
		return err
	}
	return put(text.Bytes())
}

// put replaces what is between the marks of the page.
func put(tables []byte) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := replaced(old, tables)
	if err != nil {
		return err
	}
	return os.WriteFile(page, text, 0o644)
}

func replaced(text, tables []byte) ([]byte, error) {
	before, rest, ok1 := bytes.Cut(text, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("%s has lost its marks", page)
	}
	return bytes.Join([][]byte{before, []byte(begin), tables, []byte(end), after}, nil), nil
}

func measureAll(ctx context.Context, folder string, all []program) ([]size, error) {
	var sizes []size
	for _, p := range all {
		s, err := measure(ctx, folder, p)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, s)
	}
	return sizes, nil
}

// measure builds a program twice: as it is shipped, and with the names that
// stripping takes away.
func measure(ctx context.Context, folder string, p program) (size, error) {
	shipped, named := filepath.Join(folder, "shipped"), filepath.Join(folder, "named")
	for file, flags := range map[string]string{shipped: "-s -w", named: "-w"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", flags, "-o", file, p.path)
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		if out, err := cmd.CombinedOutput(); err != nil {
			return size{}, fmt.Errorf("building %s: %w\n%s", p.path, err, out)
		}
	}
	info, err := os.Stat(shipped)
	if err != nil {
		return size{}, err
	}
	s, err := dissect(named)
	s.title, s.bytes = p.title, info.Size()
	return s, err
}
