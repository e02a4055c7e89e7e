package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/rawwatch/rawwatch/bench/contest"
	"github.com/rawwatch/rawwatch/bench/trial"
)

// machine is what may be known of this one: no names and no paths.
func machine() trial.Machine {
	m := trial.Machine{CPU: "unknown CPU", Cores: runtime.NumCPU(), MemoryMB: contest.Memory() >> 20, Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, after, found := bytes.Cut(text, []byte("model name")); found {
			line, _, _ := bytes.Cut(after, []byte("\n"))
			m.CPU = strings.Join(strings.Fields(strings.TrimLeft(string(line), "\t :")), " ")
		}
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		first, _, _ := strings.Cut(string(text), " ")
		m.Load, _ = strconv.ParseFloat(first, 64)
	}
	return m
}

// versions are those of all that takes part, as far as it says so.
func versions(ctx context.Context, a *contest.Arena, server bool) map[string]string {
	all := a.Versions()
	if server {
		if v, err := a.ServerVersion(ctx); err == nil {
			all["kube-apiserver"] = v
		}
	}
	if out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--tags", "--dirty").Output(); err == nil {
		all["rawwatch"] = strings.TrimSpace(string(out))
	}
	if out, err := exec.CommandContext(ctx, "kubectl", "version", "--client").Output(); err == nil {
		line, _, _ := strings.Cut(string(out), "\n")
		all["kubectl"] = strings.TrimSpace(strings.TrimPrefix(line, "Client Version:"))
	}
	return all
}
