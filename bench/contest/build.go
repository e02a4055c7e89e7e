package contest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildFlags are how all programs are built: stripped, with default tags.
var buildFlags = []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w"}

// goCommand is the go command for one package, without cgo: a path in the bench
// module's graph, or a folder below that module, which may be a module of its
// own.
func (a *Arena) goCommand(ctx context.Context, pkg string, args ...string) *exec.Cmd {
	dir := a.module
	if own := filepath.Join(a.module, pkg); exists(filepath.Join(own, "go.mod")) {
		dir, pkg = own, "."
	} else if exists(own) {
		pkg = "./" + pkg
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	return cmd
}

// Build builds the peers' programs. One that cannot be built is skipped from
// then on, with the end of what the go command said as the reason.
func (a *Arena) Build(ctx context.Context) {
	built := map[string]string{} // package to reason, "" for built
	for i := range a.peers {
		p := &a.peers[i]
		if p.Package == "" || ctx.Err() != nil {
			continue
		}
		p.binary = filepath.Join(a.folder, strings.ReplaceAll(p.Package, "/", "-"))
		reason, done := built[p.Package]
		if !done {
			a.progress("building " + p.Package)
			reason = a.build(ctx, p.Package, p.binary)
			built[p.Package] = reason
		}
		if p.Skip == "" {
			p.Skip = reason
		}
	}
}

// build returns why it has failed.
func (a *Arena) build(ctx context.Context, pkg, binary string) (reason string) {
	args := append(append([]string(nil), buildFlags...), "-o", binary)
	out, err := a.goCommand(ctx, pkg, args...).CombinedOutput()
	if err != nil {
		return fmt.Sprintf("it does not build: %v: %s", err, lastLine(out))
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lastLine is the last line of an output that says anything, cut to what fits
// a report.
func lastLine(out []byte) string {
	out = bytes.TrimSpace(out)
	out = out[bytes.LastIndexByte(out, '\n')+1:]
	return string(out[:min(len(out), 300)])
}
