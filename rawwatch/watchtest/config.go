package watchtest

import (
	"bytes"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// Config is what a client of package rawwatch needs: server, authority, and
// the first valid token in alphabetical order (set another BearerToken for
// another user). In the Memory modes the client must also be given
// [Server.DialContext]. The caller owns the value.
func (s *Server) Config() *kubeconfig.Config {
	return &kubeconfig.Config{Server: s.URL(), CAData: bytes.Clone(s.CAData()), BearerToken: s.access.token()}
}

// Kubeconfig is the same as the text of a kubeconfig file, for programs that
// are given one. It holds the token. In the Plain modes kubectl, and
// kubeconfig.Load, do not send a token from a file: use Options.Anonymous there.
func (s *Server) Kubeconfig() []byte {
	cluster := map[string]any{"server": s.URL()}
	if s.authority != nil {
		cluster["certificate-authority-data"] = s.CAData()
	}
	const name = "watchtest"
	return append(marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": name,
		"clusters": []any{map[string]any{"name": name, "cluster": cluster}},
		"users":    []any{map[string]any{"name": name, "user": map[string]string{"token": s.access.token()}}},
		"contexts": []any{map[string]any{"name": name, "context": map[string]string{"cluster": name, "user": name, "namespace": "default"}}},
	}), '\n')
}
