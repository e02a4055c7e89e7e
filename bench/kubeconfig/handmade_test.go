package kubeconfig

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// one is a file with one context; cluster and user are YAML flow mappings.
func one(cluster, user string) input {
	return named("config", fmt.Sprintf(`
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: shop}}]
clusters: [{name: k, cluster: %s}]
users: [{name: u, user: %s}]
`, cluster, user))
}

// named is one file.
func named(name, text string) input {
	return input{files: map[string]string{name: text}, list: []string{name}}
}

// with adds flags.
func (in input) with(change func(*kubeconfig.Options)) input {
	change(&in.flags)
	return in
}

func (in input) and(name, text string) input {
	in.files = maps.Clone(in.files)
	in.files[name] = text
	return in
}

const (
	good  = `{server: "{tls}", certificate-authority: "{ca.crt}"}`
	plain = `{server: "{plain}"}`
	token = `{token: secret-token}`
)

// plugin is an exec user.
func plugin(version, answer, rest string) string {
	return fmt.Sprintf(`{exec: {apiVersion: client.authentication.k8s.io/%s, command: "{plugin}", args: ["answer:%s"]%s}}`, version, answer, rest)
}

// handmade are cases that somebody thought of. expect is "works" or "fails",
// for both.
var handmade = []struct {
	name, expect string
	in           input
}{
	// Clusters.
	{"CA file", "works", one(good, token)},
	{"CA data", "works", one(`{server: "{tls}", certificate-authority-data: "{ca.crt:data}"}`, token)},
	{"CA data and file", "fails", one(`{server: "{tls}", certificate-authority: "{ca.crt}", certificate-authority-data: "{ca.crt:data}"}`, token)},
	{"other CA", "fails", one(`{server: "{tls}", certificate-authority: "{other-ca.crt}"}`, token)},
	{"system roots", "fails", one(`{server: "{tls}"}`, token)},
	{"missing CA file", "fails", one(`{server: "{tls}", certificate-authority: /nowhere/ca.crt}`, token)},
	{"empty CA file", "fails", one(`{server: "{tls}", certificate-authority: "{empty}"}`, token)},
	{"nonsense CA file", "fails", one(`{server: "{tls}", certificate-authority: "{nonsense}"}`, token)},
	{"nonsense CA data", "fails", one(`{server: "{tls}", certificate-authority-data: "{nonsense:data}"}`, token)},
	{"CA data that is no base64", "fails", one(`{server: "{tls}", certificate-authority-data: "%%%"}`, token)},
	{"CA data in lines", "works", named("config", `
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters:
- name: k
  cluster:
    server: "{tls}"
    certificate-authority-data: |
      {ca.crt:data}
users: [{name: u, user: {token: t}}]
`)},
	{"insecure", "works", one(`{server: "{tls}", insecure-skip-tls-verify: true}`, token)},
	{"insecure with CA", "fails", one(`{server: "{tls}", insecure-skip-tls-verify: true, certificate-authority: "{ca.crt}"}`, token)},
	{"insecure false with CA", "works", one(`{server: "{tls}", insecure-skip-tls-verify: false, certificate-authority: "{ca.crt}"}`, token)},
	{"server name", "works", one(`{server: "{tls}", certificate-authority: "{ca.crt}", tls-server-name: api.internal}`, token)},
	{"wrong server name", "fails", one(`{server: "{tls}", certificate-authority: "{ca.crt}", tls-server-name: else.where}`, token)},
	{"localhost", "works", one(`{server: "https://localhost:{port}", certificate-authority: "{ca.crt}"}`, token)},
	{"prefix", "works", one(`{server: "{tls}/k8s/clusters/c-1", certificate-authority: "{ca.crt}"}`, token)},
	{"prefix with slash", "works", one(`{server: "{tls}/k8s/", certificate-authority: "{ca.crt}"}`, token)},
	{"bare slash", "works", one(`{server: "{tls}/", certificate-authority: "{ca.crt}"}`, token)},
	{"prefix with query", "works", one(`{server: "{tls}/k8s?a=b#c", certificate-authority: "{ca.crt}"}`, token)},
	{"query", "works", one(`{server: "{tls}?a=b", certificate-authority: "{ca.crt}"}`, token)},
	{"upper-case scheme", "works", one(`{server: "HTTPS://{tlshost}", certificate-authority: "{ca.crt}"}`, token)},
	{"user info", "works", one(`{server: "https://joe:pass@{tlshost}", certificate-authority: "{ca.crt}"}`, `{}`)},
	{"user info and token", "works", one(`{server: "https://joe:pass@{tlshost}", certificate-authority: "{ca.crt}"}`, token)},
	{"no scheme", "works", one(`{server: "{plainhost}"}`, token)},
	{"no scheme with slash", "works", one(`{server: "{plainhost}/"}`, token)},
	{"no scheme with path", "fails", one(`{server: "{plainhost}/prefix"}`, token)},
	{"plain with path", "works", one(`{server: "{plain}/prefix"}`, token)},
	{"unknown scheme", "fails", one(`{server: "ftp://{plainhost}"}`, token)},
	{"scheme only", "fails", one(`{server: "https://"}`, token)},
	{"server with spaces", "fails", one(`{server: "not a url"}`, token)},
	{"no server", "fails", one(`{}`, token)},
	{"null server", "fails", one(`{server: null}`, token)},
	{"null cluster", "fails", one(`null`, token)},
	{"proxy", "works", one(`{server: "{tls}", certificate-authority: "{ca.crt}", proxy-url: "{proxy}"}`, token)},
	{"proxy for plain", "works", one(`{server: "{plain}", proxy-url: "{proxy}"}`, token)},
	{"dead proxy", "fails", one(`{server: "{tls}", certificate-authority: "{ca.crt}", proxy-url: "http://127.0.0.1:1"}`, token)},
	{"proxy with unknown scheme", "fails", one(`{server: "{tls}", certificate-authority: "{ca.crt}", proxy-url: "ftp://127.0.0.1:1"}`, token)},
	{"proxy without scheme", "fails", one(`{server: "{tls}", certificate-authority: "{ca.crt}", proxy-url: "127.0.0.1"}`, token)},
	{"proxy that is no URL", "fails", one(`{server: "{tls}", certificate-authority: "{ca.crt}", proxy-url: "http://[::1"}`, token)},
	{"no compression", "works", one(`{server: "{tls}", certificate-authority: "{ca.crt}", disable-compression: true}`, token)},
	{"unknown cluster field", "works", one(`{server: "{tls}", certificate-authority: "{ca.crt}", color: blue}`, token)},
	{"field in the wrong case", "fails", one(`{Server: "{tls}", certificate-authority: "{ca.crt}"}`, token)},
	{"CA for plain http that is missing", "fails", one(`{server: "{plain}", certificate-authority: /nowhere}`, token)},
	{"insecure with CA for plain http", "works", one(`{server: "{plain}", insecure-skip-tls-verify: true, certificate-authority: "{ca.crt}"}`, token)},

	// Users.
	{"token", "works", one(good, token)},
	{"token over plain http", "works", one(plain, token)},
	{"nobody", "works", one(good, `{}`)},
	{"null user", "works", one(good, `null`)},
	{"empty token", "works", one(good, `{token: ""}`)},
	{"number as token", "fails", one(good, `{token: 12345}`)},
	{"boolean as token", "fails", one(good, `{token: yes}`)},
	{"quoted number as token", "works", one(good, `{token: "12345"}`)},
	{"token with line break", "fails", one(good, `{token: "a\nb"}`)},
	{"token file", "works", one(good, `{tokenFile: "{token}"}`)},
	{"token file with spaces", "works", one(good, `{tokenFile: "{token2}"}`)},
	{"missing token file", "fails", one(good, `{tokenFile: /nowhere}`)},
	{"empty token file", "fails", one(good, `{tokenFile: "{empty}"}`)},
	{"blank token file", "fails", one(good, `{tokenFile: "{space}"}`)},
	{"token and file", "works", one(good, `{token: secret-token, tokenFile: "{token}"}`)},
	{"token and missing file", "works", one(good, `{token: secret-token, tokenFile: /nowhere}`)},
	{"token and empty file", "works", one(good, `{token: secret-token, tokenFile: "{empty}"}`)},
	{"token file over plain http", "works", one(plain, `{tokenFile: /nowhere}`)},
	{"basic", "works", one(good, `{username: joe, password: pass}`)},
	{"basic without password", "works", one(good, `{username: joe}`)},
	{"password only", "works", one(good, `{password: pass}`)},
	{"basic and token", "fails", one(good, `{username: joe, password: pass, token: t}`)},
	{"password and token", "fails", one(good, `{password: pass, token: t}`)},
	{"basic and token file", "fails", one(good, `{username: joe, password: pass, tokenFile: "{token}"}`)},
	{"password and token file", "works", one(good, `{password: pass, tokenFile: "{token}"}`)},
	{"basic and token over plain http", "fails", one(plain, `{username: joe, password: pass, token: t}`)},
	{"certificate files", "works", one(good, `{client-certificate: "{alice.crt}", client-key: "{alice.key}"}`)},
	{"certificate data", "works", one(good, `{client-certificate-data: "{alice.crt:data}", client-key-data: "{alice.key:data}"}`)},
	{"certificate file, key data", "works", one(good, `{client-certificate: "{alice.crt}", client-key-data: "{alice.key:data}"}`)},
	{"certificate data, key file", "works", one(good, `{client-certificate-data: "{alice.crt:data}", client-key: "{alice.key}"}`)},
	{"certificate data and file", "fails", one(good, `{client-certificate-data: "{alice.crt:data}", client-certificate: "{alice.crt}", client-key: "{alice.key}"}`)},
	{"key data and file", "fails", one(good, `{client-certificate: "{alice.crt}", client-key: "{alice.key}", client-key-data: "{alice.key:data}"}`)},
	{"certificate without key", "fails", one(good, `{client-certificate: "{alice.crt}"}`)},
	{"key without certificate", "works", one(good, `{client-key: "{alice.key}"}`)},
	{"missing key without certificate", "works", one(good, `{client-key: /nowhere}`)},
	{"missing certificate", "fails", one(good, `{client-certificate: /nowhere, client-key: "{alice.key}"}`)},
	{"missing key", "fails", one(good, `{client-certificate: "{alice.crt}", client-key: /nowhere}`)},
	{"other key", "fails", one(good, `{client-certificate: "{alice.crt}", client-key: "{bob.key}"}`)},
	{"other key data", "fails", one(good, `{client-certificate-data: "{alice.crt:data}", client-key-data: "{bob.key:data}"}`)},
	{"swapped certificate and key", "fails", one(good, `{client-certificate: "{alice.key}", client-key: "{alice.crt}"}`)},
	{"certificate and token", "works", one(good, `{client-certificate: "{alice.crt}", client-key: "{alice.key}", token: t}`)},
	{"certificate and basic", "works", one(good, `{client-certificate: "{alice.crt}", client-key: "{alice.key}", username: joe, password: pass}`)},
	{"certificate over plain http", "works", one(plain, `{client-certificate: "{alice.crt}", client-key: "{alice.key}"}`)},
	{"missing certificate over plain http", "fails", one(plain, `{client-certificate: /nowhere, client-key: "{alice.key}"}`)},
	{"insecure with certificate", "works", one(`{server: "{tls}", insecure-skip-tls-verify: true}`, `{client-certificate: "{alice.crt}", client-key: "{alice.key}"}`)},
	{"impersonation", "works", one(good, `{token: t, as: jane, as-uid: "7", as-groups: [dev, ops], as-user-extra: {scopes: [a, b], "Acme/Pro%ject": [x]}}`)},
	{"impersonation over plain http", "works", one(plain, `{token: t, as: jane}`)},
	{"groups without user", "fails", one(good, `{token: t, as-groups: [dev]}`)},
	{"uid without user", "fails", one(good, `{token: t, as-uid: "1"}`)},
	{"extra without user", "fails", one(good, `{token: t, as-user-extra: {a: [b]}}`)},
	{"number as uid", "fails", one(good, `{token: t, as: jane, as-uid: 7}`)},
	{"group that is null", "works", one(good, `{token: t, as: jane, as-groups: [null, dev]}`)},
	{"groups that are text", "fails", one(good, `{token: t, as: jane, as-groups: dev}`)},
	{"extra whose key is a number", "works", one(good, `{token: t, as: jane, as-user-extra: {1: [b]}}`)},

	// Exec plugins.
	{"plugin v1", "works", one(good, plugin("v1", "token", ", interactiveMode: Never"))},
	{"plugin v1beta1", "works", one(good, plugin("v1beta1", "token", ""))},
	{"plugin v1 without mode", "fails", one(good, plugin("v1", "token", ""))},
	{"plugin with unknown mode", "fails", one(good, plugin("v1", "token", ", interactiveMode: Sometimes"))},
	{"plugin that must ask", "fails", one(good, plugin("v1", "token", ", interactiveMode: Always"))},
	{"plugin that may ask", "works", one(good, plugin("v1", "token", ", interactiveMode: IfAvailable"))},
	{"plugin v1alpha1", "fails", one(good, plugin("v1alpha1", "token", ""))},
	{"plugin v2", "fails", one(good, plugin("v2", "token", ", interactiveMode: Never"))},
	{"plugin without version", "fails", one(good, `{exec: {command: "{plugin}", args: ["answer:token"], interactiveMode: Never}}`)},
	{"plugin without command", "fails", one(good, `{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}`)},
	{"plugin with nulls", "works", one(good, `{exec: {apiVersion: client.authentication.k8s.io/v1, command: "{plugin}", args: ["answer:token"], env: null, installHint: null, interactiveMode: Never}}`)},
	{"null plugin", "works", one(good, `{exec: null, token: t}`)},
	{"plugin with environment", "works", one(good, plugin("v1", "env", `, interactiveMode: Never, env: [{name: PLUGIN_A, value: one}, {name: PLUGIN_B, value: two}]`))},
	{"environment that repeats", "works", one(good, plugin("v1", "env", `, interactiveMode: Never, env: [{name: PLUGIN_A, value: one}, {name: PLUGIN_A, value: two}]`))},
	{"environment without name", "fails", one(good, plugin("v1", "env", `, interactiveMode: Never, env: [{value: one}]`))},
	{"plugin with arguments", "works", one(good, `{exec: {apiVersion: client.authentication.k8s.io/v1, command: "{plugin}", args: ["answer:args", a, "", "b c"], interactiveMode: Never}}`)},
	{"plugin told of its cluster", "works", one(`{server: "{tls}/x?y", certificate-authority: "{ca.crt}", tls-server-name: localhost, extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: "a b", n: [1, 2.5, null, true]}}]}`, plugin("v1", "info", ", interactiveMode: Never, provideClusterInfo: true"))},
	{"plugin told of its cluster, no extension", "works", one(good, plugin("v1beta1", "info", ", provideClusterInfo: true"))},
	{"plugin not told of its cluster", "works", one(good, plugin("v1", "info", ", interactiveMode: Never"))},
	{"plugin with certificate", "works", one(good, plugin("v1", "cert", `, interactiveMode: Never, env: [{name: PLUGIN_CERT, value: "{alice.crt}"}, {name: PLUGIN_KEY, value: "{alice.key}"}]`))},
	{"plugin with both", "works", one(good, plugin("v1", "both", `, interactiveMode: Never, env: [{name: PLUGIN_CERT, value: "{bob.crt}"}, {name: PLUGIN_KEY, value: "{bob.key}"}]`))},
	{"plugin with half a pair", "fails", one(good, plugin("v1", "half", `, interactiveMode: Never, env: [{name: PLUGIN_CERT, value: "{alice.crt}"}]`))},
	{"plugin with another's key", "fails", one(good, plugin("v1", "both", `, interactiveMode: Never, env: [{name: PLUGIN_CERT, value: "{alice.crt}"}, {name: PLUGIN_KEY, value: "{bob.key}"}]`))},
	{"plugin with expiry", "works", one(good, plugin("v1", "expiring", ", interactiveMode: Never"))},
	{"plugin past expiry", "works", one(good, plugin("v1", "expired", ", interactiveMode: Never"))},
	{"plugin with bad expiry", "fails", one(good, plugin("v1", "badtime", ", interactiveMode: Never"))},
	{"plugin that speaks v1 when asked for v1beta1", "fails", one(good, plugin("v1beta1", "v1", ""))},
	{"plugin with another kind", "fails", one(good, plugin("v1", "kind", ", interactiveMode: Never"))},
	{"plugin that speaks YAML", "works", one(good, plugin("v1", "yaml", ", interactiveMode: Never"))},
	{"plugin that says nothing", "fails", one(good, plugin("v1", "nothing", ", interactiveMode: Never"))},
	{"plugin that says garbage", "fails", one(good, plugin("v1", "garbage", ", interactiveMode: Never"))},
	{"plugin without status", "fails", one(good, plugin("v1", "nostatus", ", interactiveMode: Never"))},
	{"plugin with empty status", "fails", one(good, plugin("v1", "empty", ", interactiveMode: Never"))},
	{"plugin that fails", "fails", one(good, plugin("v1", "exit", ", interactiveMode: Never"))},
	{"plugin that is not there", "fails", one(good, `{exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin-here, interactiveMode: Never}}`)},
	{"token and plugin", "works", one(good, strings.Replace(plugin("v1", "exit", ", interactiveMode: Never"), "{exec:", "{token: t, exec:", 1))},
	{"token and plugin of unknown version", "fails", one(good, strings.Replace(plugin("v7", "exit", ", interactiveMode: Never"), "{exec:", "{token: t, exec:", 1))},
	{"token file and plugin", "works", one(good, strings.Replace(plugin("v1", "exit", ", interactiveMode: Never"), "{exec:", `{tokenFile: "{token}", exec:`, 1))},
	{"basic and plugin", "works", one(good, strings.Replace(plugin("v1", "exit", ", interactiveMode: Never"), "{exec:", `{username: joe, exec:`, 1))},
	{"certificate and plugin", "works", one(good, strings.Replace(plugin("v1", "exit", ", interactiveMode: Never"), "{exec:", `{client-certificate: "{alice.crt}", client-key: "{alice.key}", exec:`, 1))},
	{"key and plugin", "works", one(good, strings.Replace(plugin("v1", "token", ", interactiveMode: Never"), "{exec:", `{client-key: "{alice.key}", exec:`, 1))},
	{"plugin over plain http", "works", one(plain, plugin("v1", "exit", ", interactiveMode: Never"))},
	{"bad plugin over plain http", "fails", one(plain, `{exec: {command: x}}`)},
	{"plugin of unknown version over plain http", "works", one(plain, plugin("v7", "exit", ", interactiveMode: Never"))},
	{"plugin and auth-provider", "fails", one(good, strings.Replace(plugin("v1", "token", ", interactiveMode: Never"), "{exec:", "{auth-provider: {name: oidc}, exec:", 1))},

	// Auth-providers.
	{"gcp", "fails", one(good, `{auth-provider: {name: gcp}}`)},
	{"azure", "fails", one(good, `{auth-provider: {name: azure}}`)},
	{"unknown provider", "fails", one(good, `{auth-provider: {name: acme}}`)},
	{"provider without name", "fails", one(good, `{auth-provider: {}}`)},
	{"null provider", "works", one(good, `{auth-provider: null, token: t}`)},
	{"gcp and token", "fails", one(good, `{auth-provider: {name: gcp}, token: t}`)},
	{"gcp over plain http", "works", one(plain, `{auth-provider: {name: gcp}}`)},
	{"oidc", "works", one(good, `{auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/1", client-id: me, id-token: "{jwt}"}}}`)},
	{"oidc and token", "works", one(good, `{token: t, auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/2", client-id: me, id-token: "{jwt}"}}}`)},
	{"oidc and certificate", "works", one(good, `{client-certificate: "{alice.crt}", client-key: "{alice.key}", auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/3", client-id: me, id-token: "{jwt}"}}}`)},
	{"oidc without issuer", "fails", one(good, `{auth-provider: {name: oidc, config: {client-id: me, id-token: "{jwt}"}}}`)},
	{"oidc without client", "fails", one(good, `{auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/4", id-token: "{jwt}"}}}`)},
	{"oidc, expired", "fails", one(good, `{auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/5", client-id: me, id-token: "{oldjwt}"}}}`)},
	{"oidc, no token at all", "fails", one(good, `{auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/6", client-id: me}}}`)},
	{"oidc, nonsense token", "fails", one(good, `{auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/7", client-id: me, id-token: abc}}}`)},
	{"oidc, bad CA data", "fails", one(good, `{auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/8", client-id: me, id-token: "{jwt}", idp-certificate-authority-data: "%%"}}}`)},
	{"oidc, numbers in config", "fails", one(good, `{auth-provider: {name: oidc, config: {idp-issuer-url: "https://issuer.invalid/9", client-id: 7, id-token: "{jwt}"}}}`)},

	// Contexts.
	{"unknown current context", "fails", named("config", `{current-context: nope, clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"no current context", "fails", named("config", `{clusters: [{name: k, cluster: `+plain+`}], contexts: [{name: c, context: {cluster: k}}]}`)},
	{"no current context, empty names", "works", named("config", `{clusters: [{name: "", cluster: `+plain+`}]}`)},
	{"context without cluster", "fails", named("config", `{current-context: c, contexts: [{name: c, context: {user: u}}], users: [{name: u, user: {token: t}}]}`)},
	{"context without user", "works", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+good+`}]}`)},
	{"null context", "fails", named("config", `{current-context: c, contexts: [{name: c, context: null}]}`)},
	{"null lists", "fails", named("config", `{current-context: c, contexts: null, clusters: null, users: null}`)},
	{"null entries", "fails", named("config", `{current-context: c, contexts: [null], clusters: [null], users: [null]}`)},
	{"two null clusters", "fails", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}, null, null]}`)},
	{"duplicate cluster", "fails", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}, {name: k, cluster: `+plain+`}]}`)},
	{"duplicate user elsewhere", "fails", one(good, token).and("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}], users: [{name: a}, {name: a}]}`)},
	{"duplicate extension", "fails", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}], extensions: [{name: a, extension: {b: c}}, {name: a, extension: {b: c}}]}`)},
	{"duplicate null extension", "works", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}], extensions: [{name: a, extension: null}, {name: a}]}`)},
	{"flag chooses context", "works", named("config", two).with(func(o *kubeconfig.Options) { o.Context = "b" })},
	{"flag chooses missing context", "fails", named("config", two).with(func(o *kubeconfig.Options) { o.Context = "z" })},
	{"flag chooses cluster", "works", named("config", two).with(func(o *kubeconfig.Options) { o.Cluster = "k2" })},
	{"flag chooses missing cluster", "fails", named("config", two).with(func(o *kubeconfig.Options) { o.Cluster = "z" })},
	{"flag chooses missing cluster, server too", "fails", named("config", two).with(func(o *kubeconfig.Options) { o.Cluster = "z"; o.Server = "{plain}" })},
	{"flag chooses user", "works", named("config", two).with(func(o *kubeconfig.Options) { o.User = "u2" })},
	{"flag chooses missing user", "fails", named("config", two).with(func(o *kubeconfig.Options) { o.User = "z" })},
	{"flag chooses missing user, token too", "fails", named("config", two).with(func(o *kubeconfig.Options) { o.User = "z"; o.Token = "t" })},
	{"flag chooses namespace", "works", named("config", two).with(func(o *kubeconfig.Options) { o.Namespace = "other" })},

	// Flags.
	{"server flag", "works", one(good, token).with(func(o *kubeconfig.Options) { o.Server = "https://localhost:{port}" })},
	{"server flag drops server name", "fails", one(`{server: "https://x", certificate-authority: "{ca.crt}", tls-server-name: api.internal}`, token).with(func(o *kubeconfig.Options) { o.Server = "https://127.0.0.2:{port}" })},
	{"server flag without file", "works", input{}.with(func(o *kubeconfig.Options) { o.Server = "{plain}" })},
	{"server, CA and token flags without file", "works", input{}.with(func(o *kubeconfig.Options) {
		o.Server, o.CertificateAuthority, o.Token = "{tls}", "{ca.crt}", "flag-token"
	})},
	{"server and insecure flags without file", "works", input{}.with(func(o *kubeconfig.Options) { o.Server, o.Insecure = "{tls}", true })},
	{"CA flag replaces data", "works", one(`{server: "{tls}", certificate-authority-data: "{other-ca.crt:data}"}`, token).with(func(o *kubeconfig.Options) { o.CertificateAuthority = "{ca.crt}" })},
	{"CA flag replaces insecure", "fails", one(`{server: "{tls}", insecure-skip-tls-verify: true}`, token).with(func(o *kubeconfig.Options) { o.CertificateAuthority = "{other-ca.crt}" })},
	{"insecure flag replaces CA", "works", one(`{server: "{tls}", certificate-authority: "{other-ca.crt}"}`, token).with(func(o *kubeconfig.Options) { o.Insecure = true })},
	{"insecure and CA flags", "fails", one(good, token).with(func(o *kubeconfig.Options) { o.Insecure, o.CertificateAuthority = true, "{ca.crt}" })},
	{"server name flag", "works", one(good, token).with(func(o *kubeconfig.Options) { o.TLSServerName = "api.internal" })},
	{"proxy flag", "works", one(good, token).with(func(o *kubeconfig.Options) { o.ProxyURL = "{proxy}" })},
	{"compression flag", "works", one(good, token).with(func(o *kubeconfig.Options) { o.DisableCompression = true })},
	{"token flag", "works", one(good, token).with(func(o *kubeconfig.Options) { o.Token = "flag-token" })},
	{"token flag and plugin", "works", one(good, plugin("v1", "exit", ", interactiveMode: Never")).with(func(o *kubeconfig.Options) { o.Token = "flag-token" })},
	{"token flag and basic", "fails", one(good, `{username: joe, password: p}`).with(func(o *kubeconfig.Options) { o.Token = "flag-token" })},
	{"token flag and certificate", "works", one(good, `{client-certificate: "{alice.crt}", client-key: "{alice.key}"}`).with(func(o *kubeconfig.Options) { o.Token = "flag-token" })},
	{"user name flag", "works", one(good, `{password: p}`).with(func(o *kubeconfig.Options) { o.Username = "flag" })},
	{"basic flags", "works", one(good, `{username: joe, password: p}`).with(func(o *kubeconfig.Options) { o.Username, o.Password = "flag", "word" })},
	{"certificate flags", "works", one(good, `{client-certificate-data: "{bob.crt:data}", client-key-data: "{bob.key:data}"}`).with(func(o *kubeconfig.Options) { o.ClientCertificate, o.ClientKey = "{alice.crt}", "{alice.key}" })},
	{"certificate flag without key", "fails", one(good, token).with(func(o *kubeconfig.Options) { o.ClientCertificate = "{alice.crt}" })},
	{"certificate flag with another's key", "fails", one(good, `{client-certificate-data: "{bob.crt:data}", client-key-data: "{bob.key:data}"}`).with(func(o *kubeconfig.Options) { o.ClientCertificate = "{alice.crt}" })},
	{"impersonation flags", "works", one(good, `{token: t, as: jane, as-groups: [dev], as-user-extra: {a: [b], c: [d]}}`).with(func(o *kubeconfig.Options) {
		o.ImpersonateUser, o.ImpersonateGroups, o.ImpersonateUID = "root", []string{"x", "y"}, "9"
	})},
	{"group flag only", "fails", one(good, token).with(func(o *kubeconfig.Options) { o.ImpersonateGroups = []string{"x"} })},
	{"timeout flag", "works", one(good, token).with(func(o *kubeconfig.Options) { o.Timeout = 7 * time.Second })},

	// Files.
	{"nothing", "fails", input{}},
	{"missing explicit file", "fails", input{explicit: "nowhere"}},
	{"explicit file", "works", func() input { in := one(good, token); in.list, in.explicit = nil, "config"; return in }()},
	{"explicit file before KUBECONFIG", "works", func() input {
		in := one(good, token).and("other", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)
		in.explicit = "other"
		return in
	}()},
	{"explicit folder", "fails", func() input { in := one(good, token).and("sub/x", ""); in.explicit = "sub"; return in }()},
	{"folder in KUBECONFIG", "fails", func() input {
		in := one(good, token).and("sub/x", "")
		in.list = []string{"sub", "config"}
		return in
	}()},
	{"missing files in KUBECONFIG", "works", func() input { in := one(good, token); in.list = []string{"a", "", "config", "b"}; return in }()},
	{"all files missing", "fails", input{list: []string{"a", "b"}}},
	{"same file twice", "works", func() input { in := one(good, token); in.list = []string{"config", "config"}; return in }()},
	{"empty file beside a good one", "works", func() input {
		in := one(good, token).and("empty", "")
		in.list = []string{"empty", "config"}
		return in
	}()},
	{"blank file beside a good one", "works", func() input {
		in := one(good, token).and("blank", "\n# nothing\n")
		in.list = []string{"blank", "config"}
		return in
	}()},
	{"broken file beside a good one", "fails", func() input {
		in := one(good, token).and("broken", "clusters: [")
		in.list = []string{"config", "broken"}
		return in
	}()},
	{"list as file", "fails", named("config", "- a\n- b\n")},
	{"text as file", "fails", named("config", "hello")},
	{"other kind", "fails", one(good, token).and("config", "{kind: Pod, apiVersion: v1}")},
	{"other version", "fails", named("config", `{apiVersion: v2, current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"no kind, no version", "works", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"kind without version", "works", named("config", `{kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"JSON", "works", named("config", `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":""}}],"clusters":[{"name":"k","cluster":{"server":"{plain}"}}]}`)},
	{"JSON with tabs", "works", named("config", "{\n\t\"current-context\": \"c\",\n\t\"contexts\": [{\"name\": \"c\", \"context\": {\"cluster\": \"k\"}}],\n\t\"clusters\": [{\"name\": \"k\", \"cluster\": {\"server\": \"{plain}\"}}]\n}")},
	{"two documents", "works", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`+"\n---\n{current-context: d}\n")},
	{"anchors and merges", "works", named("config", `
base: &base {server: "{plain}"}
current-context: c
contexts: [{name: c, context: {cluster: k}}]
clusters: [{name: k, cluster: {<<: *base, tls-server-name: x}}]
`)},
	{"lists that are mappings", "fails", named("config", `{current-context: c, clusters: {k: `+plain+`}}`)},
	{"wrong type in an unused entry", "fails", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}, {name: l, cluster: {server: 7}}]}`)},
	{"number as name", "fails", named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}, {name: 7}]}`)},
	{"wrong type in preferences", "fails", named("config", `{preferences: {colors: blue}, current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"wrong type of extensions", "fails", named("config", `{extensions: {}, current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"tab", "fails", named("config", "clusters:\n\t- name: k\n")},
	{"invalid UTF-8", "fails", named("config", "current-context: \xff\xfe\n")},
	{"infinity", "fails", named("config", `{x: .inf, current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"list as key", "fails", named("config", `{? [a] : b, current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},
	{"null as key", "fails", named("config", `{~: b, current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: `+plain+`}]}`)},

	// Several files.
	{"entries from three files", "works", merge3},
	{"first current context wins", "works", func() input {
		in := merge3
		return in.and("1", "current-context: d\ncontexts: [{name: d, context: {cluster: k2}}]\n").and("2", merge3.files["2"]+"\nclusters: [{name: k2, cluster: "+plain+"}]\n")
	}()},
	{"entries are not mixed", "fails", input{
		files: map[string]string{
			"1": `{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], clusters: [{name: k, cluster: {server: "{tls}"}}]}`,
			"2": `{clusters: [{name: k, cluster: {certificate-authority: "{ca.crt}"}}], users: [{name: u, user: {token: t}}]}`,
		}, list: []string{"1", "2"},
	}},
	{"first user wins whole", "works", input{
		files: map[string]string{
			"1": `{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], clusters: [{name: k, cluster: ` + good + `}], users: [{name: u, user: {username: joe}}]}`,
			"2": `{users: [{name: u, user: {token: t, password: p}}]}`,
		}, list: []string{"1", "2"},
	}},
	{"null entry in the first file", "fails", input{
		files: map[string]string{
			"1": `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: null}]}`,
			"2": `{clusters: [{name: k, cluster: ` + plain + `}]}`,
		}, list: []string{"1", "2"},
	}},
	{"relative paths, each to its file", "works", relative},
	{"relative paths, files exchanged", "works", func() input { in := relative; in.list = []string{"b/config", "a/config"}; return in }()},
	{"relative path to nothing", "fails", named("a/config", `{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: {server: "{tls}", certificate-authority: pki/ca.crt}}]}`).and("pki/ca.crt", "x")},
}

const two = `
current-context: a
contexts:
- {name: a, context: {cluster: k1, user: u1, namespace: one}}
- {name: b, context: {cluster: k2, user: u2}}
clusters:
- {name: k1, cluster: {server: "{tls}", certificate-authority: "{ca.crt}"}}
- {name: k2, cluster: {server: "{tls}/two", certificate-authority: "{ca.crt}"}}
users:
- {name: u1, user: {token: first}}
- {name: u2, user: {token: second}}
`

var merge3 = input{
	files: map[string]string{
		"1": "current-context: c\n",
		"2": "current-context: d\nusers: [{name: u, user: {token: merged}}]\n",
		"3": "contexts: [{name: c, context: {cluster: k, user: u, namespace: three}}]\nclusters: [{name: k, cluster: " + good + "}]\n",
	},
	list: []string{"1", "2", "3"},
}

var relative = input{
	files: map[string]string{
		"a/config":       `{current-context: c, contexts: [{name: c, context: {cluster: k, user: u}}], clusters: [{name: k, cluster: {server: "{tls}", certificate-authority: pki/../../shared/ca.crt}}]}`,
		"b/config":       `{users: [{name: u, user: {tokenFile: ./secret/token}}]}`,
		"b/secret/token": "relative-token",
		"shared/ca.crt":  "{ca.crt:pem}",
	},
	list: []string{"a/config", "b/config"},
}

func TestHandmade(t *testing.T) {
	w := newWorld(t)
	w.words["jwt"], w.words["oldjwt"] = jwt(time.Now().Add(time.Hour)), jwt(time.Now().Add(-time.Hour))
	w.words["ca.crt:pem"] = readWord(t, w.words["ca.crt"])
	for _, test := range handmade {
		t.Run(test.name, func(t *testing.T) {
			ours, theirs := w.run(t, test.in)
			if !ours.same(theirs) {
				t.Fatalf("rawwatch  %v\nclient-go %v", ours, theirs)
			}
			if (ours.err == nil) != (test.expect == "works") {
				t.Errorf("expected that it %s, but: %v", test.expect, ours)
			}
		})
	}
	if len(handmade) < 100 {
		t.Errorf("only %d hand-made cases", len(handmade))
	}
}
