package realapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Program is one of the servers that [Build] can make.
type Program struct {
	// Name is the program's name, which is also the name of its folder below
	// servers.
	Name string
	// Module is the Go module whose version, as required by the folder's
	// go.mod, is the program's version.
	Module string
	// stamp lists the linker flags that tell the program its own version.
	stamp func(version string) []string
}

// The programs that tests run.
var (
	KubeAPIServer = Program{Name: "kube-apiserver", Module: "k8s.io/kubernetes", stamp: stampKubernetes}
	// OldKubeAPIServer is a release that clusters still run. It is built only
	// where it is asked for.
	OldKubeAPIServer = Program{Name: "kube-apiserver-1.34", Module: "k8s.io/kubernetes", stamp: stampKubernetes}
	Etcd             = Program{Name: "etcd", Module: "go.etcd.io/etcd/server/v3"}
	Kine             = Program{Name: "kine", Module: "github.com/k3s-io/kine"}
)

// Programs returns those that every run needs, the one that takes longest to
// build last.
func Programs() []Program { return []Program{Etcd, Kine, KubeAPIServer} }

// stampKubernetes sets what the server reports at /version. Without it the
// server calls itself 0.0.0 and refuses to start.
func stampKubernetes(version string) []string {
	const pkg = "k8s.io/component-base/version."
	numbers := strings.Split(strings.TrimPrefix(version, "v"), ".")
	return []string{
		"-X", pkg + "gitVersion=" + version,
		"-X", pkg + "gitMajor=" + numbers[0],
		"-X", pkg + "gitMinor=" + numbers[1],
	}
}

// source is where a program is built from.
type source struct {
	folder  string // holds go.mod, go.sum and main.go
	version string // of Program.Module, such as "v1.37.2"
	digest  string // changes with every file in the folder
}

// locate reads the program's source folder below root, the folder of the
// bench module.
func (p Program) locate(root string) (source, error) {
	s := source{folder: filepath.Join(root, "realapi", "servers", p.Name)}
	sum := sha256.New()
	for _, name := range [...]string{"go.mod", "go.sum", "main.go"} {
		text, err := os.ReadFile(filepath.Join(s.folder, name))
		if err != nil {
			return s, fmt.Errorf("realapi: source of %s: %w", p.Name, err)
		}
		sum.Write(text)
		if name == "go.mod" {
			s.version = requiredVersion(string(text), p.Module)
		}
	}
	if !strings.HasPrefix(s.version, "v") || strings.Count(s.version, ".") < 2 {
		return s, fmt.Errorf("realapi: %s/go.mod requires no version of %s", s.folder, p.Module)
	}
	s.digest = hex.EncodeToString(sum.Sum(nil))[:8]
	return s, nil
}

func requiredVersion(goMod, module string) string {
	m := regexp.MustCompile(`(?m)^(?:require)?\s*` + regexp.QuoteMeta(module) + `\s+(v\S+)`).FindStringSubmatch(goMod)
	if m == nil {
		return ""
	}
	return m[1]
}
