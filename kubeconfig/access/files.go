package access

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
)

// Files reads kubeconfig files, with what reads YAML given to it. Package
// kubeconfig has one with a parser; programs need one of their own only to bring
// another parser. It is safe for concurrent use.
type Files struct {
	unmarshal func(text []byte, into any) error
}

// NewFiles makes one. unmarshal is to decode YAML, or only JSON, as Unmarshal of
// go.yaml.in/yaml/v2 does: mappings into map[any]any or map[string]any, lists
// into []any. It must bound what aliases multiply, and it may panic.
func NewFiles(unmarshal func(text []byte, into any) error) *Files {
	return &Files{unmarshal: unmarshal}
}

// merged is several files read as one: the first file that names an entry, or
// a current context, wins; entries are never mixed.
type merged struct {
	current, currentFile string
	clusters             map[string]clusterEntry
	users                map[string]userEntry
	contexts             map[string]contextEntry
	// files are those that were read, missing those that are not there.
	files, missing []string
}

// readAll reads the files that the options name.
func (f *Files) readAll(o Options) (*merged, error) {
	m := &merged{clusters: map[string]clusterEntry{}, users: map[string]userEntry{}, contexts: map[string]contextEntry{}}
	for _, path := range candidates(o) {
		d, err := f.readDocument(path, o)
		if errors.Is(err, fs.ErrNotExist) && o.Path == "" {
			m.missing = append(m.missing, path)
			continue
		}
		if err != nil {
			return nil, err
		}
		m.files = append(m.files, path)
		m.add(d)
	}
	return m, nil
}

// candidates are the files to read, in the order in which they win.
func candidates(o Options) []string {
	if o.Path != "" {
		return []string{o.Path}
	}
	if list := o.Getenv("KUBECONFIG"); list != "" {
		var all []string
		for _, path := range filepath.SplitList(list) {
			if path != "" && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
		return all
	}
	home := o.Getenv("HOME")
	if home == "" {
		home = o.Getenv("USERPROFILE")
	}
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".kube", "config")}
}

func (f *Files) readDocument(path string, o Options) (*document, error) {
	if path == stdin && o.Path == stdin { // a file of that name in KUBECONFIG is a file
		text, err := readAtMost(o.Stdin, o.FileLimit)
		if err != nil {
			return nil, &FieldError{File: "(standard input)", Err: err}
		}
		base, err := filepath.Abs(".")
		if err != nil {
			return nil, &FieldError{File: "(standard input)", Err: err}
		}
		return f.parse("(standard input)", base, text)
	}
	text, err := readFile(path, o.FileLimit)
	if err != nil {
		return nil, &FieldError{File: path, Err: plainPathError(err)}
	}
	base, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, &FieldError{File: path, Err: err}
	}
	return f.parse(path, base, text)
}

// plainPathError drops the path where the error's frame says it already.
func plainPathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (m *merged) add(d *document) {
	if m.current == "" && d.currentContext != "" {
		m.current, m.currentFile = d.currentContext, d.file
	}
	for _, c := range d.clusters {
		addFirst(m.clusters, c.name, c)
	}
	for _, u := range d.users {
		addFirst(m.users, u.name, u)
	}
	for _, c := range d.contexts {
		addFirst(m.contexts, c.name, c)
	}
}

func addFirst[V any](all map[string]V, name string, v V) {
	if _, taken := all[name]; !taken {
		all[name] = v
	}
}
