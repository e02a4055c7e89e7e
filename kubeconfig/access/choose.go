package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// choice is the configuration while it is put together.
type choice struct {
	config *Config
	found  bool // there is a cluster entry
}

// choose takes the entries that the context names. Like client-go it accepts
// entries whose name is empty, which is what a file without a current-context
// then means.
func (m *merged) choose(f *Files, o Options) (*choice, error) {
	c := &Config{Context: first(o.Context, m.current), Follow: o.Follow, providers: allProviders}
	c.origin = &origin{options: o, reload: f.Load, follow: (*Session).followFiles, looked: append(slices.Clone(m.files), m.missing...), overridden: map[string]bool{}}
	ch := &choice{config: c}
	context, ok := m.contexts[c.Context]
	if !ok && c.Context != "" {
		file := m.currentFile
		if o.Context != "" {
			file = strings.Join(m.files, ", ")
		}
		return nil, &FieldError{File: file, Field: entryPath("contexts", c.Context), Err: fmt.Errorf("does not exist; choose one of: %s", names(m.contexts))}
	}
	c.Source, c.Namespace = context.file, context.namespace
	if err := ch.takeCluster(m, first(o.Cluster, context.cluster), o); err != nil {
		return nil, err
	}
	if err := ch.takeUser(m, first(o.User, context.user), o); err != nil {
		return nil, err
	}
	c.Source = first(c.Source, c.origin.clusterFile, strings.Join(m.files, ", "))
	return ch, nil
}

func (ch *choice) takeCluster(m *merged, name string, o Options) error {
	c := ch.config
	from, ok := m.clusters[name]
	if !ok {
		if name == "" || o.Cluster == "" && o.Server != "" {
			return nil
		}
		return ch.missing(clusters, "cluster", name, o.Cluster, names(m.clusters))
	}
	ch.found = true
	c.ClusterName, c.origin.clusterFile = name, from.file
	c.Server, c.TLSServerName, c.InsecureSkipTLSVerify = from.server, from.tlsServerName, from.insecure
	c.CAFile, c.CAData = from.caFile, from.caData
	c.ProxyURL, c.DisableCompression = from.proxyURL, from.disableCompression
	return nil
}

func (ch *choice) takeUser(m *merged, name string, o Options) error {
	c := ch.config
	from, ok := m.users[name]
	if !ok {
		if name == "" || o.User == "" && o.authenticates() {
			return nil
		}
		return ch.missing(users, "user", name, o.User, names(m.users))
	}
	c.UserName, c.origin.userFile = name, from.file
	c.CertFile, c.CertData, c.KeyFile, c.KeyData = from.certFile, from.certData, from.keyFile, from.keyData
	c.BearerToken, c.BearerTokenFile, c.Username, c.Password = from.token, from.tokenFile, from.username, from.password
	c.Impersonate, c.AuthProvider = from.impersonate, from.provider
	if from.exec == nil {
		return nil
	}
	c.Exec = from.exec
	if c.Exec.APIVersion == execV1beta1 && c.Exec.InteractiveMode == "" {
		c.Exec.InteractiveMode = interactiveIfAvailable
	}
	var err error
	c.Exec.ClusterConfig, err = extensionJSON(m.clusters[c.ClusterName].execConfig)
	if err != nil {
		return &FieldError{File: c.origin.clusterFile, Field: entryPath(clusters, c.ClusterName) + ".extensions", Err: err}
	}
	return nil
}

// missing is an entry that something names but no file holds.
func (ch *choice) missing(list, kind, name, option, there string) error {
	if option != "" {
		return &FieldError{File: strings.Join(ch.config.origin.looked, ", "), Field: entryPath(list, name), Err: fmt.Errorf("does not exist; choose one of: %s", there)}
	}
	return &FieldError{
		File: ch.config.Source, Field: entryPath("contexts", ch.config.Context) + "." + kind,
		Err: fmt.Errorf("names %q, which no file holds; the %s are: %s", short(name), list, there),
	}
}

// names lists the first entries for an error.
func names[V any](all map[string]V) string {
	if len(all) == 0 {
		return "(there is none)"
	}
	const most = 10
	var quoted []string
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i == most {
			quoted = append(quoted, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		quoted = append(quoted, strconv.Quote(short(name)))
	}
	return strings.Join(quoted, ", ")
}

// extensionJSON writes an extension as JSON, within a bound: aliases may have
// multiplied it.
func extensionJSON(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	budget := maxExtension
	tree, err := jsonTree(v, &budget)
	if err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

func jsonTree(v any, budget *int) (any, error) {
	if *budget--; *budget < 0 {
		return nil, &LimitError{What: "extension", Limit: maxExtension}
	}
	switch t := v.(type) {
	case string:
		*budget -= len(t)
	case []any:
		list := make([]any, len(t))
		for i, item := range t {
			var err error
			if list[i], err = jsonTree(item, budget); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[any]any, map[string]any:
		s := newSection("", t, &failure{})
		object := make(map[string]any, len(s.members))
		for key, item := range s.members {
			*budget -= len(key)
			var err error
			if object[key], err = jsonTree(item, budget); err != nil {
				return nil, err
			}
		}
		return object, nil
	case nil, bool, int, int64, uint64, float64, json.Number:
	default:
		return nil, errors.New("holds a value that JSON does not know")
	}
	return v, nil
}
