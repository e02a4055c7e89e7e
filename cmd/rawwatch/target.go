package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/discovery"
)

// selection says which objects a list or a watch is about: the arguments and
// flags that both have.
type selection struct {
	resource      string // as the user wrote it
	name          string // of one object; "" is all
	allNamespaces bool
	labels        string
	fields        string
	chunkSize     int64
	encoding      encodingFlag
	link          linkFlag
}

func (s *selection) bind(flags *pflag.FlagSet) {
	flags.BoolVarP(&s.allNamespaces, "all-namespaces", "A", false, "objects of all namespaces")
	flags.StringVarP(&s.labels, "selector", "l", "", "label `selector`, such as app=web,tier!=cache")
	flags.StringVar(&s.fields, "field-selector", "", "field `selector`, such as spec.nodeName=node-7")
	flags.Var(&s.encoding, "encoding", "`auto`, json or protobuf: what the server is asked for")
	flags.Var(&s.link, "link", "`average`, metered or lan: what lies between here and the server")
	flags.Int64Var(&s.chunkSize, "chunk-size", 500, "objects per request of a list; 0 for all in one")
}

// args takes RESOURCE, RESOURCE/NAME or RESOURCE NAME.
func (s *selection) args(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return misuse("%s what? Name a resource, such as pods or deployments.apps", cmd.Name())
	}
	resource, name, slash := strings.Cut(args[0], "/")
	switch {
	case len(args) > 2 || slash && len(args) > 1:
		return misuse("one resource and at most one name, not %q", args)
	case strings.Contains(resource, ","):
		return misuse("one resource at a time, not %q", resource)
	case resource == "" || slash && name == "":
		return misuse("%q is not RESOURCE/NAME", args[0])
	case len(args) == 2 && args[1] == "":
		return misuse("the name after %q is empty", resource) // as of a variable that is not set
	case len(args) == 2:
		name = args[1]
	}
	s.resource, s.name = resource, name
	if s.chunkSize < 0 {
		return misuse("--chunk-size must not be negative; 0 asks for all objects in one request")
	}
	return nil
}

// pageLimit is the chunk size as the library counts it.
func (s *selection) pageLimit() int64 {
	if s.chunkSize == 0 {
		return -1
	}
	return s.chunkSize
}

// query asks the server, if need be, what the resource is, and says what to
// request. namespace is that of flags and context.
func (s *selection) query(ctx context.Context, c *rawwatch.Client, namespace string) (rawwatch.Query, error) {
	resource, known := wellKnown[strings.ToLower(s.resource)]
	if !known {
		var err error
		if resource, err = discovery.Find(ctx, c, s.resource); err != nil {
			return rawwatch.Query{}, err
		}
	}
	q := resource.Named(s.name).WithLabel(s.labels).WithField(s.fields)
	if resource.Namespaced && !s.allNamespaces {
		if namespace == "" {
			namespace = "default"
		}
		q = q.InNamespace(namespace)
	}
	return q, nil
}

// describe says what the query is about, in words.
func describe(q rawwatch.Query) string {
	s := q.Resource.GroupResource()
	if q.ObjectName != "" {
		s += " named " + q.ObjectName
	}
	switch {
	case q.Namespace != "":
		s += " in namespace " + q.Namespace
	case q.Resource.Namespaced:
		s += " in all namespaces"
	}
	if q.LabelSelector != "" || q.FieldSelector != "" {
		s += " (selected)"
	}
	return s
}
