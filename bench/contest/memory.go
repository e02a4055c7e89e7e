package contest

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// availableMemory is what the kernel says a new program can have, in bytes.
func availableMemory() (int64, error) { return memoryInfo("MemAvailable:") }

// Memory is what the machine has, in bytes; 0 where the kernel does not say.
func Memory() int64 {
	total, err := memoryInfo("MemTotal:")
	if err != nil {
		return 0
	}
	return total
}

// memoryInfo reads a line of /proc/meminfo.
func memoryInfo(name string) (int64, error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	_, after, found := bytes.Cut(text, []byte(name))
	if !found {
		return 0, errors.New("/proc/meminfo has no " + name)
	}
	number, _, _ := bytes.Cut(after, []byte("kB"))
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 64)
	return kib << 10, err
}
