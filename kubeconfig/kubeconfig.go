package kubeconfig

import (
	"go.yaml.in/yaml/v2"

	"github.com/rawwatch/rawwatch/kubeconfig/access"
)

// files reads with the parser of YAML, which is what this package has over
// package access.
var files = access.NewFiles(yaml.Unmarshal)

// Load finds and reads the configuration; see [Options] for where. A
// credential's files and programs are only looked at by [Config.Open]. Errors
// name file, entry and field and say what to do: a [*FieldError], with a
// [*LimitError] or [*UnsupportedError] inside where that is the reason, a
// [*NoConfigError] or an [*OptionError].
func Load(o Options) (*Config, error) { return files.Load(o) }

// Contexts lists the contexts that Load can choose from, in no particular
// order. There may be none.
func Contexts(o Options) ([]ContextEntry, error) { return files.Contexts(o) }

// InCluster is [access.InCluster]. A program that needs nothing else of this
// package should call that one: it then links no parser of YAML.
func InCluster(o Options) (*Config, error) { return access.InCluster(o) }
