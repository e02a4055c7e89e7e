package killtest

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// endMark begins the line that says at which version the server was when a process
// was over: it cannot have been told more.
const endMark = "END "

// Read takes in what was written since the last time.
func (j *Judge) Read() error {
	f, err := os.Open(j.path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := make([]byte, info.Size()-j.read)
	if _, err := f.ReadAt(text, j.read); err != nil {
		return err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	j.read += int64(len(text))
	lines := strings.Split(string(text), "\n")
	life := j.Lives
	for _, line := range lines {
		if line == "START" {
			life++
		} else if end, is := strings.CutPrefix(line, endMark); is && j.ends[life] == 0 {
			j.ends[life] = number(end)
		}
	}
	for i, line := range lines {
		cutOff := i+1 < len(lines) && (lines[i+1] == "START" || strings.HasPrefix(lines[i+1], endMark))
		if f := strings.Fields(line); len(f) > 0 && !cutOff {
			j.line(f)
		}
	}
	return nil
}

func (j *Judge) line(f []string) {
	switch f[0] {
	case "START":
		j.Lives++
		j.has, j.run = map[string]State{}, nil
	case "HAS":
		j.has[f[1]] = stateIn(f[2:])
	case "NOTHING":
		if j.saved != 0 {
			j.accuse("version %d is saved and was not restored", j.saved)
		}
		j.begin(0)
	case "RESTORED":
		j.restored(number(f[1]))
	case "SAVING":
		j.beforeSave(number(f[1]))
	case "SAVED":
		j.Saves++
		j.saved, j.saving = number(f[1]), nil
	case "ACKING":
		j.acking(f[1], uint64(number(f[2])))
	case "ACKED":
		j.acked(f[1], uint64(number(f[2])))
	case strings.TrimSpace(endMark):
	default:
		if j.run == nil {
			j.accuse("told before anything was restored: %v", f)
			return
		}
		if f[0] == some {
			j.some(f[1:])
			return
		}
		j.told(f[0], f[1:])
	}
}

// number is -1 for what is none.
func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// stateIn reads uid, version and, if there is one, content.
func stateIn(f []string) State {
	s := State{UID: f[0], Version: number(f[1])}
	if len(f) > 2 {
		s.Content = f[2]
	}
	return s
}
