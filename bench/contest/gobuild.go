package contest

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/bench/trial"
)

// built is a program whose build is measured.
type built struct {
	name, pkg string
	cold      bool // it is built from an empty cache, too, which takes long
}

// agents are the smallest program that lists and watches, the same agent in
// all libraries, and with what can be added to it.
var agents = []built{
	{"rawwatch, examples/minimal", "github.com/rawwatch/rawwatch/examples/minimal", false},
	{"rawwatch informer", "cmd/agent", true},
	{"rawwatch informer, checkpoint", "cmd/agent/checkpointed", false},
	{Base, "cmd/peer/typed", true},
	{"client-go dynamic", "cmd/peer/dynamic", false},
	{"client-go metadata", "cmd/peer/metadata", false},
	{"controller-runtime cache", "cmd/peer/runtime", false},
	{"ericchiang/k8s", "peers/ericchiang", false},
}

// GoBuild is what a program weighs, and how long its build takes. It needs no
// server.
func (a *Arena) GoBuild(cold bool) trial.Job {
	j := trial.Job{
		Name: "build", Runs: 1,
		What: "Programs built stripped, with default build tags and without cgo: bytes of the binary; modules and packages in it, those of the standard library " +
			"apart; seconds of `go build` from an empty build cache (the standard library included, all modules downloaded), " +
			"and again when nothing but the linking is left to do.",
	}
	for _, b := range agents {
		j.Contestants = append(j.Contestants, trial.Contestant{Name: b.name, Run: func(ctx context.Context, _ int) (trial.Outcome, error) {
			return a.goBuild(ctx, b, cold && b.cold)
		}})
	}
	return j
}

func (a *Arena) goBuild(ctx context.Context, b built, cold bool) (o trial.Outcome, err error) {
	binary := a.file("built")
	o.Figures = trial.Figures{}
	if cold {
		if err := a.coldBuild(ctx, b, binary, o.Figures); err != nil {
			return o, err
		}
	}
	if _, _, err := a.timedBuild(ctx, b, binary, ""); err != nil {
		return o, err
	}
	// Another value for the linker is what makes the go command link again.
	took, cpu, err := a.timedBuild(ctx, b, binary, "", "-X", "main.built=again")
	if err != nil {
		return o, err
	}
	o.Figures["build_again_s"], o.Figures["build_again_cpu_s"] = took.Seconds(), cpu.Seconds()
	return o, errors.Join(a.weigh(ctx, b, binary, o.Figures), os.Remove(binary))
}

func (a *Arena) coldBuild(ctx context.Context, b built, binary string, f trial.Figures) error {
	cache := a.file("gocache")
	took, cpu, err := a.timedBuild(ctx, b, binary, cache)
	if err := errors.Join(err, os.RemoveAll(cache)); err != nil {
		return err
	}
	f["build_cold_s"], f["build_cold_cpu_s"] = took.Seconds(), cpu.Seconds()
	return nil
}

// timedBuild builds, with another build cache if one is given.
func (a *Arena) timedBuild(ctx context.Context, b built, binary, cache string, link ...string) (took, cpu time.Duration, err error) {
	args := append([]string(nil), buildFlags...)
	args[len(args)-1] = strings.Join(append([]string{args[len(args)-1]}, link...), " ")
	cmd := a.goCommand(ctx, b.pkg, append(args, "-o", binary)...)
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, lastLine(out))
	}
	return time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// weigh counts what is in the binary.
func (a *Arena) weigh(ctx context.Context, b built, binary string, f trial.Figures) error {
	info, err := os.Stat(binary)
	if err != nil {
		return err
	}
	f["binary_mb"] = float64(info.Size()) / 1e6
	modules, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	f["modules"] = float64(len(modules.Deps))
	out, err := a.goCommand(ctx, b.pkg, "list", "-deps", "-f", "{{.Standard}}").Output()
	if err != nil {
		return err
	}
	f["packages_std"] = float64(bytes.Count(out, []byte("true\n")))
	f["packages"] = float64(bytes.Count(out, []byte("false\n")))
	return nil
}

// Versions are those of the modules that the peers are made of.
func (a *Arena) Versions() map[string]string {
	wanted := map[string]bool{"k8s.io/client-go": true, "sigs.k8s.io/controller-runtime": true, "github.com/ericchiang/k8s": true}
	versions := map[string]string{}
	for _, p := range a.peers {
		if p.Package == "" {
			continue // not built here
		}
		info, err := buildinfo.ReadFile(p.binary)
		if err != nil {
			continue // it does not build
		}
		for _, m := range info.Deps {
			if wanted[m.Path] {
				versions[filepath.ToSlash(m.Path)] = m.Version
			}
		}
	}
	return versions
}
