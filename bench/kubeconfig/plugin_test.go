package kubeconfig

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain is an exec plugin when it is called as one: its first argument says
// what to answer.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "answer:") {
		answer(strings.TrimPrefix(os.Args[1], "answer:"))
		return
	}
	os.Exit(m.Run())
}

func answer(what string) {
	var asked struct {
		APIVersion string `json:"apiVersion"`
		Spec       struct {
			Cluster *struct {
				Server string          `json:"server"`
				CA     []byte          `json:"certificate-authority-data"`
				Name   string          `json:"tls-server-name"`
				Config json.RawMessage `json:"config"`
			} `json:"cluster"`
			Interactive bool `json:"interactive"`
		} `json:"spec"`
	}
	if err := json.Unmarshal([]byte(os.Getenv("KUBERNETES_EXEC_INFO")), &asked); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	status := map[string]string{}
	version, kind := asked.APIVersion, "ExecCredential"
	switch what {
	case "token":
		status["token"] = "plugin-token"
	case "info":
		status["token"] = "no-info"
		if c := asked.Spec.Cluster; c != nil {
			status["token"] = fmt.Sprintf("%s|%d|%s|%s|%v", strings.TrimPrefix(c.Server, "https://"), len(c.CA), c.Name, c.Config, asked.Spec.Interactive)
		}
	case "env":
		status["token"] = "env-" + os.Getenv("PLUGIN_A") + "-" + os.Getenv("PLUGIN_B")
	case "args":
		status["token"] = strings.Join(os.Args[2:], "+")
	case "cert":
		status["clientCertificateData"], status["clientKeyData"] = read("PLUGIN_CERT"), read("PLUGIN_KEY")
	case "both":
		status["token"] = "plugin-token"
		status["clientCertificateData"], status["clientKeyData"] = read("PLUGIN_CERT"), read("PLUGIN_KEY")
	case "half":
		status["token"] = "plugin-token"
		status["clientCertificateData"] = read("PLUGIN_CERT")
	case "file":
		status["token"] = read("PLUGIN_TOKEN")
	case "huge":
		status["token"], status["padding"] = "plugin-token", strings.Repeat("x", 2<<20)
	case "expiring":
		status["token"], status["expirationTimestamp"] = "plugin-token", "2999-01-01T00:00:00Z"
	case "expired":
		status["token"], status["expirationTimestamp"] = "plugin-token", "2001-01-01T00:00:00Z"
	case "badtime":
		status["token"], status["expirationTimestamp"] = "plugin-token", "tomorrow"
	case "v1":
		version, status["token"] = "client.authentication.k8s.io/v1", "plugin-token"
	case "kind":
		kind, status["token"] = "Credential", "plugin-token"
	case "yaml":
		fmt.Printf("apiVersion: %s\nkind: ExecCredential\nstatus:\n  token: plugin-token\n", version)
		return
	case "nothing":
		return
	case "garbage":
		fmt.Println("hello")
		return
	case "nostatus":
		fmt.Printf(`{"kind":"ExecCredential","apiVersion":%q}`, version)
		return
	case "empty":
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot log in")
		os.Exit(1)
	}
	text, _ := json.Marshal(map[string]any{"kind": kind, "apiVersion": version, "status": status})
	fmt.Println(string(text))
}

func read(variable string) string {
	text, err := os.ReadFile(os.Getenv(variable))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	return string(text)
}
