package access

import "slices"

// Load finds and reads the configuration; see [Options] for where. A
// credential's files and programs are only looked at by [Config.Open]. Errors
// name file, entry and field and say what to do: a [*FieldError], with a
// [*LimitError] or [*UnsupportedError] inside where that is the reason, a
// [*NoConfigError] or an [*OptionError].
func (f *Files) Load(o Options) (*Config, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	m, err := f.readAll(o)
	if err != nil {
		return nil, err
	}
	chosen, err := m.choose(f, o)
	if err != nil {
		return nil, err
	}
	namespace := chosen.config.Namespace
	chosen.override(o)
	if !chosen.found && o.Server == "" {
		if err := chosen.config.checkUser(); err != nil {
			return nil, err
		}
		return loadInCluster(o, slices.Concat(m.files, m.missing), namespace)
	}
	c := chosen.config
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.hasKey() && !c.hasCert() {
		c.note("client-key is not used, since there is no client-certificate")
	}
	c.withholdFromPlainHTTP()
	return c, nil
}

// ContextEntry is a context of the kubeconfig files.
type ContextEntry struct {
	// Name of the context; Cluster, User and Namespace are what it names.
	Name, Cluster, User, Namespace string
	// File that holds it.
	File string
	// Current is true for the one that Load would choose.
	Current bool
}

// Contexts lists the contexts that Load can choose from, in no particular
// order. There may be none.
func (f *Files) Contexts(o Options) ([]ContextEntry, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	m, err := f.readAll(o)
	if err != nil {
		return nil, err
	}
	current := first(o.Context, m.current)
	all := make([]ContextEntry, 0, len(m.contexts))
	for name, c := range m.contexts {
		all = append(all, ContextEntry{
			Name: name, Cluster: c.cluster, User: c.user, Namespace: c.namespace, File: c.file, Current: name == current,
		})
	}
	return all, nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
