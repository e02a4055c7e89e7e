package realapi

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// WriteKubeconfig writes a kubeconfig file that says what config says, and
// returns its path: name below the cluster's folder. It is JSON, which is YAML
// too.
func (c *Cluster) WriteKubeconfig(name string, config *kubeconfig.Config) (string, error) {
	type m = map[string]any
	text, err := json.MarshalIndent(m{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": "realapi",
		"clusters":        []m{{"name": "realapi", "cluster": m{"server": config.Server, "certificate-authority": config.CAFile}}},
		"users":           []m{{"name": "realapi", "user": m{"token": config.BearerToken}}},
		"contexts":        []m{{"name": "realapi", "context": m{"cluster": "realapi", "user": "realapi", "namespace": config.Namespace}}},
	}, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.folder, name)
	return path, os.WriteFile(path, append(text, '\n'), 0o600)
}
