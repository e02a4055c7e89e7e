package access

import (
	"errors"
	"io"
)

// The versions of the exec plugin protocol, KEP-541.
const (
	execV1      = "client.authentication.k8s.io/v1"
	execV1beta1 = "client.authentication.k8s.io/v1beta1"
)

// ExecConfig is a user's exec entry: a program that prints an ExecCredential
// (KEP-541, "client-go credential plugins"). It prints without its arguments
// and environment, which may be secret.
type ExecConfig struct {
	// Command is a path, or a name that is looked up in PATH. A kubeconfig's
	// relative path is relative to its file.
	Command string
	Args    []string
	// Env is added to the environment of this process, and wins.
	Env []EnvVar
	// APIVersion is client.authentication.k8s.io/v1 or …/v1beta1.
	APIVersion string
	// InstallHint is shown when the command does not exist.
	InstallHint string
	// ProvideClusterInfo passes server, CA and ClusterConfig to the plugin in
	// KUBERNETES_EXEC_INFO.
	ProvideClusterInfo bool
	// InteractiveMode is "Never", "IfAvailable" or "Always": whether the plugin
	// wants standard input. It may be "" for v1beta1, meaning IfAvailable.
	InteractiveMode string
	// ClusterConfig is JSON for the plugin, from the cluster's extension
	// client.authentication.k8s.io/exec; nil is none.
	ClusterConfig []byte

	// Stdin is the terminal that an interactive plugin may read. Nil, right for
	// everything that runs unattended, means that there is none: a plugin with
	// the mode Always then fails.
	Stdin io.Reader
	// Stderr receives what the plugin prints to its standard error, while it
	// prints; nil is nobody. The end of it is in the error in any case. Set it
	// together with Stdin, so that the plugin's questions are seen.
	Stderr io.Writer

	// answers reads what the plugin prints and is not JSON; nil refuses it. It is set by what
	// reads kubeconfig files, so that a program that reads none does not link
	// what reads YAML.
	answers *Files
}

// parseAnswer reads what the plugin printed.
func (e *ExecConfig) parseAnswer(text []byte) (tree any, err error) {
	if tree, ok := parseJSON(text); ok {
		return tree, nil
	}
	if e.answers != nil {
		return e.answers.tree(text)
	}
	return nil, errors.New("is not valid JSON")
}

// EnvVar is a variable of a plugin's environment.
type EnvVar struct{ Name, Value string }
