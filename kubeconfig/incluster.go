package kubeconfig

import (
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"
)

// serviceAccountDir is where Kubernetes mounts a pod's service account; see
// "Accessing the API from within a Pod".
const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// inCluster is the configuration of the pod that the program runs in. It is
// empty when a server is given by an option, [ErrNoConfig] when this is no pod.
func inCluster(o Options) (*Config, error) {
	if o.Server != "" {
		return &Config{}, nil
	}
	host, port := o.Getenv("KUBERNETES_SERVICE_HOST"), o.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, ErrNoConfig
	}
	dir := first(o.ServiceAccount, serviceAccountDir)
	tokenFile := filepath.Join(dir, "token")
	if _, err := readBounded(tokenFile); err != nil {
		return nil, &FieldError{File: "in-cluster", Field: "token", Err: err}
	}
	namespace, err := readBounded(filepath.Join(dir, "namespace"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &FieldError{File: "in-cluster", Field: "namespace", Err: err}
	}
	return &Config{
		Server:          "https://" + net.JoinHostPort(host, port),
		Namespace:       strings.TrimSpace(string(namespace)),
		Source:          "in-cluster",
		CAFile:          filepath.Join(dir, "ca.crt"),
		BearerTokenFile: tokenFile,
	}, nil
}

func sorted(s []string) []string { slices.Sort(s); return s }
