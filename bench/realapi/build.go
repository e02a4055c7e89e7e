package realapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// BuildTimeout bounds one build, for a machine much slower than the two cores
// on which kube-apiserver takes four minutes.
const BuildTimeout = 20 * time.Minute

// BuildError is a program that could not be built.
type BuildError struct {
	// Program is its name, Folder where it was built.
	Program, Folder string
	// Output is the end of what the go command printed, at most 4,000 bytes.
	Output string
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *BuildError) Error() string {
	return fmt.Sprintf("realapi: building %s in %s: %v\n%s", e.Program, e.Folder, e.Err, e.Output)
}

// Unwrap gives the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// Build returns the path of the program, after building it if the cache does
// not hold it yet. Two processes never build the same program at once: the
// second one waits and finds it done. The context bounds building and waiting,
// beside [BuildTimeout]. progress, when not nil, is told before a build begins
// and after it ends.
func Build(ctx context.Context, p Program, progress func(string)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, BuildTimeout)
	defer cancel()
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	src, err := p.locate(root)
	if err != nil {
		return "", err
	}
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, runtime.GOOS+"-"+runtime.GOARCH)
	binary := filepath.Join(folder, p.Name+"-"+src.version+"-"+src.digest)
	if isProgram(binary) {
		return binary, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("realapi: cache folder: %w", err)
	}
	unlock, err := lock(ctx, binary+".lock")
	if err != nil {
		return "", fmt.Errorf("realapi: waiting for another build of %s: %w", p.Name, err)
	}
	defer unlock()
	if isProgram(binary) {
		return binary, nil
	}
	return binary, p.build(ctx, src, binary, progress)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// build writes beside the binary and renames, so that a build that was cut
// short leaves nothing that looks like a program.
func (p Program) build(ctx context.Context, src source, binary string, progress func(string)) error {
	if progress == nil {
		progress = func(string) {}
	}
	flags := []string{"-s", "-w"}
	if p.stamp != nil {
		flags = append(flags, p.stamp(src.version)...)
	}
	progress(fmt.Sprintf("building %s %s (once)", p.Name, src.version))
	begun := time.Now()
	part := binary + ".part"
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", strings.Join(flags, " "), "-o", part, ".")
	cmd.Dir = src.folder
	// Without cgo no C compiler is needed; kine then uses a SQLite in Go. The
	// module is built by its own go.mod and go.sum, whatever surrounds it.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly")
	cmd.WaitDelay = 10 * time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return &BuildError{p.Name, src.folder, tail(output.Bytes(), 4000), errors.Join(err, ctx.Err())}
	}
	progress(fmt.Sprintf("built %s %s in %v", p.Name, src.version, time.Since(begun).Round(time.Second)))
	return os.Rename(part, binary)
}

func tail(b []byte, limit int) string {
	if len(b) > limit {
		b = b[len(b)-limit:]
	}
	return string(bytes.TrimSpace(b))
}
