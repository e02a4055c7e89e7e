package access

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// serviceAccountDir is where Kubernetes mounts a pod's service account; see
// "Accessing the API from within a Pod".
const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// inClusterSource is Config.Source in a pod.
const inClusterSource = "in-cluster"

// InCluster is the configuration of the pod that the program runs in: the
// address of the API server from the environment, token, certificate authority
// and namespace from the files that Kubernetes mounts ("Accessing the API from
// within a Pod"). The options' overrides apply; kubeconfig files are not looked
// at, and a program that does not import package kubeconfig does not link what
// reads them. The error is a [*NoConfigError] when this is no pod.
func InCluster(o Options) (*Config, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	return loadInCluster(o, nil, "")
}

// loadInCluster is [InCluster] with what Load already knows: where it looked
// before, and the namespace of a context that names no cluster.
func loadInCluster(o Options, looked []string, namespace string) (*Config, error) {
	host, port := o.Getenv("KUBERNETES_SERVICE_HOST"), o.Getenv("KUBERNETES_SERVICE_PORT")
	dir := first(o.ServiceAccount, serviceAccountDir)
	tokenFile := filepath.Join(dir, "token")
	info, err := os.Stat(tokenFile)
	if host == "" || port == "" || err != nil || info.IsDir() {
		return nil, &NoConfigError{Looked: append(looked, inClusterSource)}
	}
	c := &Config{
		Server:          "https://" + net.JoinHostPort(strings.Trim(host, "[]"), port),
		Source:          inClusterSource,
		BearerTokenFile: tokenFile,
		origin:          &origin{options: o, looked: looked, overridden: map[string]bool{}},
	}
	if err := c.serviceAccountCA(dir); err != nil {
		return nil, err
	}
	if c.Namespace, err = podNamespace(o, dir); err != nil {
		return nil, err
	}
	c.Namespace = first(namespace, c.Namespace)
	ch := &choice{config: c, found: true}
	ch.override(o)
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// serviceAccountCA uses the pod's CA bundle; a pod may have none, when the
// server's certificate is signed by an authority that everybody knows.
func (c *Config) serviceAccountCA(dir string) error {
	file := filepath.Join(dir, "ca.crt")
	switch _, err := os.Stat(file); {
	case err == nil:
		c.CAFile = file
	case errors.Is(err, fs.ErrNotExist):
		c.note(file + " does not exist: the server's certificate is checked against the system's authorities")
	default:
		return c.fault(memberCAFile, fmt.Errorf("cannot be read: %w", err))
	}
	return nil
}

// podNamespace is POD_NAMESPACE, which pods may set from the downward API, or
// the service account's.
func podNamespace(o Options, dir string) (string, error) {
	if name := o.Getenv("POD_NAMESPACE"); name != "" {
		return name, nil
	}
	file := filepath.Join(dir, "namespace")
	text, err := readFile(file, o.FileLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", &FieldError{File: inClusterSource, Field: "namespace", Err: err}
	}
	return strings.TrimSpace(string(text)), nil
}
