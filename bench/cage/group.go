//go:build linux

package cage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// file names of a cgroup, which differ between the versions.
var files = map[Kind]struct{ limit, swap, peak string }{
	V2: {"memory.max", "memory.swap.max", "memory.peak"},
	V1: {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.max_usage_in_bytes"},
}

// makeGroup makes a cgroup with a limit, beside nothing else.
func makeGroup(k Kind, limit int64) (string, error) {
	root, err := mounted(k)
	if err != nil {
		return "", err
	}
	if k == V2 {
		// Refused where the root's processes are somebody else's to move.
		if err := write(root, "cgroup.subtree_control", "+memory"); err != nil {
			return "", err
		}
	}
	group, err := os.MkdirTemp(root, "rawwatch-bench-")
	if err != nil {
		return "", err
	}
	err = write(group, files[k].limit, strconv.FormatInt(limit, 10))
	if err == nil {
		swap := strconv.FormatInt(limit, 10) // of memory and swap together
		if k == V2 {
			swap = "0"
		}
		if e := write(group, files[k].swap, swap); e != nil && !errors.Is(e, os.ErrNotExist) {
			err = e
		}
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(group))
	}
	return group, nil
}

// mounted finds where the memory controller is.
func mounted(k Kind) (string, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if len(f) < 4 {
			continue
		}
		folder, kind, options := f[1], f[2], ","+f[3]+","
		if k == V1 && kind == "cgroup" && strings.Contains(options, ",memory,") {
			return folder, nil
		}
		if k == V2 && kind == "cgroup2" {
			controllers, err := os.ReadFile(filepath.Join(folder, "cgroup.controllers"))
			if err == nil && strings.Contains(" "+strings.TrimSpace(string(controllers))+" ", " memory ") {
				return folder, nil
			}
		}
	}
	return "", fmt.Errorf("%s: its memory controller is not mounted", k)
}

func write(group, name, text string) error {
	f, err := os.OpenFile(filepath.Join(group, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// peak is the most that was charged; what was seen where there is no cgroup.
func (c *Cage) peak(seen int64) int64 {
	if c.group == "" {
		return seen
	}
	text, err := os.ReadFile(filepath.Join(c.group, files[c.kind].peak))
	if err != nil {
		return 0 // memory.peak came with Linux 5.19
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// Close removes the cgroup. Its program has ended by then; the kernel may take a
// moment to see that.
func (c *Cage) Close() (err error) {
	if c.group == "" {
		return nil
	}
	for range 100 {
		if err = os.Remove(c.group); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}
