package kubeconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// maxFile bounds a kubeconfig file, a certificate file and a CA bundle.
const maxFile = 4 << 20

// file is one kubeconfig file as it is written.
type file struct {
	path           string
	CurrentContext string         `json:"current-context"`
	Clusters       []namedCluster `json:"clusters"`
	Users          []namedUser    `json:"users"`
	Contexts       []namedContext `json:"contexts"`
}

type namedCluster struct {
	Name    string   `json:"name"`
	Cluster *cluster `json:"cluster"`
	file    string
}

type cluster struct {
	Server             string `json:"server"`
	CAData             []byte `json:"certificate-authority-data"`
	CAFile             string `json:"certificate-authority"`
	TLSServerName      string `json:"tls-server-name"`
	Insecure           bool   `json:"insecure-skip-tls-verify"`
	ProxyURL           string `json:"proxy-url"`
	DisableCompression bool   `json:"disable-compression"`
}

type namedUser struct {
	Name string `json:"name"`
	User *user  `json:"user"`
	file string
}

type user struct {
	Token        string              `json:"token"`
	TokenFile    string              `json:"tokenFile"`
	CertData     []byte              `json:"client-certificate-data"`
	CertFile     string              `json:"client-certificate"`
	KeyData      []byte              `json:"client-key-data"`
	KeyFile      string              `json:"client-key"`
	Username     string              `json:"username"`
	Password     string              `json:"password"`
	As           string              `json:"as"`
	AsUID        string              `json:"as-uid"`
	AsGroups     []string            `json:"as-groups"`
	AsUserExtra  map[string][]string `json:"as-user-extra"`
	Exec         *struct{}           `json:"exec"`
	AuthProvider *struct {
		Name string `json:"name"`
	} `json:"auth-provider"`
}

type namedContext struct {
	Name    string   `json:"name"`
	Context *context `json:"context"`
	file    string
}

type context struct {
	Cluster   string `json:"cluster"`
	User      string `json:"user"`
	Namespace string `json:"namespace"`
}

// readFile reads one file; a missing one is fs.ErrNotExist, an empty one empty.
func readFile(path string) (*file, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = readAtMost(os.Stdin, "standard input")
	} else {
		text, err = readBounded(path)
	}
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

func parse(path string, text []byte) (*file, error) {
	f := &file{path: path}
	if err := yaml.Unmarshal(text, f); err != nil {
		return nil, &FieldError{File: path, Field: "file", Err: plain(err)}
	}
	for i := range f.Clusters {
		f.Clusters[i].file = path
		if c := f.Clusters[i].Cluster; c != nil {
			c.CAFile = relativeTo(path, c.CAFile)
		}
	}
	for i := range f.Users {
		f.Users[i].file = path
		if u := f.Users[i].User; u != nil {
			u.TokenFile, u.CertFile, u.KeyFile = relativeTo(path, u.TokenFile), relativeTo(path, u.CertFile), relativeTo(path, u.KeyFile)
		}
	}
	for i := range f.Contexts {
		f.Contexts[i].file = path
	}
	return f, nil
}

// plain keeps the position but not the text around it, which may be a secret.
func plain(err error) error {
	return errors.New("is not a kubeconfig: the YAML does not parse, or a field has the wrong type; check it with `kubectl config view`")
}

// relativeTo resolves a path in an entry against the file that holds it.
func relativeTo(file, path string) string {
	if path == "" || filepath.IsAbs(path) || file == "-" {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is a directory")}
	}
	return readAtMost(f, path)
}

func readAtMost(r io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return text, nil
}
