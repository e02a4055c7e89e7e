package access

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// execCluster is spec.cluster of an ExecCredential (KEP-541).
type execCluster struct {
	Server                string          `json:"server"`
	TLSServerName         string          `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify bool            `json:"insecure-skip-tls-verify,omitempty"`
	CAData                []byte          `json:"certificate-authority-data,omitempty"`
	ProxyURL              string          `json:"proxy-url,omitempty"`
	DisableCompression    bool            `json:"disable-compression,omitempty"`
	Config                json.RawMessage `json:"config"`
}

// execInfo is what the plugin is told in KUBERNETES_EXEC_INFO.
func execInfo(c *Config, limit int64) (string, error) {
	type spec struct {
		Cluster     *execCluster `json:"cluster,omitempty"`
		Interactive bool         `json:"interactive"`
	}
	x := c.Exec
	info := struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
		Spec       spec   `json:"spec"`
	}{"ExecCredential", x.APIVersion, spec{Interactive: x.Stdin != nil}}
	if x.ProvideClusterInfo {
		ca, err := pemOf(c.CAData, c.CAFile, limit)
		if err != nil {
			return "", c.fault(memberCAFile, err)
		}
		info.Spec.Cluster = &execCluster{
			Server: withoutQuery(c.Server), TLSServerName: c.TLSServerName, InsecureSkipTLSVerify: c.InsecureSkipTLSVerify,
			CAData: ca, ProxyURL: c.ProxyURL, DisableCompression: c.DisableCompression,
			Config: x.ClusterConfig,
		}
		if x.ClusterConfig == nil {
			info.Spec.Cluster.Config = json.RawMessage("null")
		}
	}
	text, err := json.Marshal(info)
	if err != nil {
		return "", c.fault(execMember("config", "ClusterConfig"), errors.New("is not JSON"))
	}
	return string(text), nil
}

// withoutQuery is a server's URL as requests are made from it.
func withoutQuery(server string) string {
	server, _, _ = strings.Cut(server, "#")
	server, _, _ = strings.Cut(server, "?")
	return server
}

// execCredential is the credential of a user with an exec entry. The plugin
// runs when it is needed first.
func (s *Session) execCredential(c *Config) (credential, error) {
	x := *c.Exec
	switch {
	case x.InteractiveMode == interactiveNever:
		x.Stdin = nil
	case x.InteractiveMode == interactiveAlways && x.Stdin == nil:
		return nil, c.fault(execMember("interactiveMode", "InteractiveMode"), errors.New("is Always, but there is no terminal to ask; log in once by hand with a plugin that keeps what it got, or use another credential"))
	}
	seen := *c
	seen.Exec = &x
	info, err := execInfo(&seen, s.options.FileLimit)
	if err != nil {
		return nil, err
	}
	p := &plugin{config: x, info: info, timeout: s.options.PluginTimeout, output: s.options.PluginOutput, token: s.options.TokenLimit}
	if p.timeout == 0 {
		p.timeout = DefaultPluginTimeout
		if x.Stdin != nil {
			p.timeout = DefaultInteractiveTimeout
		}
	}
	r := &renewal{session: s, leeway: s.options.Leeway, changed: s.rotate}
	r.source = s.watched("the exec plugin", func(ctx context.Context) (*issued, error) {
		got, err := p.run(ctx)
		if err != nil {
			return nil, c.fault(member{list: users, name: "exec", config: "Exec"}, err)
		}
		return got, nil
	})
	return r, nil
}
