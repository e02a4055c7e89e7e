package realapi

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// CacheVariable names the environment variable that moves the cache folder,
// for instance to one that outlives a fresh clone.
const CacheVariable = "RAWWATCH_CACHE"

// Cache is the folder in which built programs are kept: what [CacheVariable]
// says, or .cache in the bench module.
func Cache() (string, error) {
	if folder := os.Getenv(CacheVariable); folder != "" {
		return filepath.Abs(folder)
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, ".cache"), nil
}

var benchModule = regexp.MustCompile(`(?m)^module\s+github\.com/rawwatch/rawwatch/bench\s*$`)

// moduleRoot finds the bench module, at or above the working folder, or in
// the folder bench beside it. Tests run in their package's folder, commands
// anywhere in the repository.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		for _, candidate := range [...]string{folder, filepath.Join(folder, "bench")} {
			text, err := os.ReadFile(filepath.Join(candidate, "go.mod"))
			if err == nil && benchModule.Match(text) {
				return candidate, nil
			}
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("realapi: no bench module at or above the working folder: run inside the repository")
		}
		folder = parent
	}
}
