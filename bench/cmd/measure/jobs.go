package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// job is one program with its arguments.
type job struct {
	name   string
	binary string
	size   int64
	args   []string
	// until ends the process cleanly once a line of its output holds this
	// text; "" lets it end by itself.
	until string
	// pods: the output has one line for each pod.
	pods bool
}

// buildJobs builds the programs, stripped, with default build tags.
func buildJobs(ctx context.Context, folder string) ([]job, error) {
	jobs := []job{
		{name: "`rawwatch list pods -A -o name`", binary: "rawwatch", args: []string{"list", "pods", "-A", "-o", "name"}, pods: true},
		{name: "`rawwatch list pods -A -o json`", binary: "rawwatch", args: []string{"list", "pods", "-A", "-o", "json"}, pods: true},
		{name: "`rawwatch watch pods -A`, in sync", binary: "rawwatch", args: []string{"watch", "pods", "-A", "-o", "json", "--sync-line"}, until: `{"type":"SYNCED"`, pods: true},
		{name: "client-go typed informer, in sync", binary: "peer"},
	}
	sizes, err := buildPrograms(ctx, folder, jobs, map[string][2]string{"rawwatch": {"..", "./cmd/rawwatch"}, "peer": {".", "./cmd/peer"}, "minimal": {"..", "./examples/minimal"}})
	if err != nil {
		return nil, err
	}
	fmt.Printf("stripped binaries: examples/minimal %d bytes, rawwatch %d bytes, client-go typed informer %d bytes\n\n",
		sizes["minimal"], sizes["rawwatch"], sizes["peer"])
	return jobs, nil
}

// buildPrograms builds each of the programs, a folder and a package, and points
// the jobs at them.
func buildPrograms(ctx context.Context, folder string, jobs []job, sources map[string][2]string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for name, source := range sources {
		path := filepath.Join(folder, name)
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source[1])
		cmd.Dir = source[0]
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s (run measure in the folder bench): %w\n%s", source[1], err, out)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		sizes[name] = info.Size()
	}
	for i := range jobs {
		jobs[i].size = sizes[jobs[i].binary]
		jobs[i].binary = filepath.Join(folder, jobs[i].binary)
	}
	return sizes, nil
}
