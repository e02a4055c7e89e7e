package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
)

// damaged counts what became of damaged files.
type damaged struct{ files, good, empty, wrong, refused, died int }

// files is how many files are damaged in each way.
const files = 100

// damage damages copies of a file, in places that are the same in each run, and
// reads each in a process of its own.
func (o options) damage(store, path, kind string) (d damaged, err error) {
	whole, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	right, err := o.process(store, "read", path, 1000)
	if err != nil {
		return d, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	folder, err := os.MkdirTemp(filepath.Dir(path), "damage")
	if err != nil {
		return d, err
	}
	for n := range files {
		content := bytes.Clone(whole)
		at := random.IntN(len(content))
		if kind == "cut" {
			content = content[:at]
		} else {
			content[at] ^= 1 << random.IntN(8)
		}
		name := filepath.Join(folder, fmt.Sprint(n))
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return d, err
		}
		d.count(o.command(store, "read", name, 1000), right)
	}
	return d, os.RemoveAll(folder)
}

func (d *damaged) count(cmd *exec.Cmd, right result) {
	d.files++
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	var r result
	switch {
	case errors.As(err, &exit) && exit.ExitCode() != 1, bytes.Contains(stderr.Bytes(), []byte("goroutine ")):
		d.died++
	case err != nil, json.Unmarshal(out, &r) != nil:
		d.refused++
	case r.Version == "":
		d.empty++
	case r.Version == right.Version && (r.Objects != right.Objects || r.Sum != right.Sum):
		d.wrong++
	default:
		d.good++
	}
}
