package access

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// document is one kubeconfig file as it is written, its paths made absolute.
type document struct {
	file           string
	currentContext string
	clusters       []clusterEntry
	users          []userEntry
	contexts       []contextEntry
}

// entry is what all named entries have.
type entry struct{ name, file string }

type clusterEntry struct {
	entry
	server, tlsServerName, caFile, proxyURL string
	caData                                  []byte
	insecure, disableCompression            bool
	execConfig                              any // the extension for exec plugins
}

type userEntry struct {
	entry
	certFile, keyFile, token, tokenFile, username, password string
	certData, keyData                                       []byte
	impersonate                                             Impersonation
	provider                                                *AuthProvider
	exec                                                    *ExecConfig
}

type contextEntry struct {
	entry
	cluster, user, namespace string
}

// parse reads the text of a file; base is the folder that its relative paths
// start from.
func (f *Files) parse(file, base string, text []byte) (*document, error) {
	tree, err := f.tree(text)
	if err != nil {
		return nil, &FieldError{File: file, Err: err}
	}
	wrong := &failure{}
	top := newSection("", tree, wrong)
	d := &document{file: file, currentContext: top.text("current-context")}
	top.checkKind()
	top.sub("preferences").flag("colors")
	top.sub("preferences").extensions()
	top.extensions()
	for name, s := range top.named("clusters", "cluster") {
		d.clusters = append(d.clusters, s.cluster(entry{name, file}, base))
	}
	for name, s := range top.named("users", "user") {
		u := s.user(entry{name, file}, base)
		if u.exec != nil {
			u.exec.answers = f
		}
		d.users = append(d.users, u)
	}
	for name, s := range top.named("contexts", "context") {
		s.extensions()
		d.contexts = append(d.contexts, contextEntry{entry{name, file}, s.text("cluster"), s.text("user"), s.text("namespace")})
	}
	if wrong.err != nil {
		return nil, &FieldError{File: file, Field: wrong.field, Err: wrong.err}
	}
	return d, nil
}

// checkKind refuses what is another kind of file.
func (s section) checkKind() {
	if v := s.text("apiVersion"); v != "" && v != "v1" {
		s.failure.set("apiVersion", fmt.Errorf("is %q, but kubeconfigs are v1; is this another kind of file?", short(v)))
	}
	if k := s.text("kind"); k != "" && k != "Config" {
		s.failure.set("kind", fmt.Errorf("is %q, but a kubeconfig is a Config; is this another kind of file?", short(k)))
	}
}

// named yields the entries of a list of {name, member}.
func (s section) named(list, member string) func(yield func(string, section) bool) {
	return func(yield func(string, section) bool) {
		seen := map[string]bool{}
		for i, item := range s.list(list) {
			at := s.path(list) + "[" + strconv.Itoa(i) + "]"
			outer := newSection(at, item, s.failure)
			name := outer.text("name")
			if name != "" {
				at = entryPath(s.path(list), name)
			}
			if seen[name] {
				s.failure.set(at, fmt.Errorf("stands there twice; rename or remove one of them"))
			}
			seen[name] = true
			inner := newSection(at, outer.members[member], s.failure)
			if !yield(name, inner) {
				return
			}
		}
	}
}

// entryPath is the path of a named entry, such as "users[edge]".
func entryPath(list, name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == ']' || r == '"' || !strconv.IsPrint(r) }) {
		name = strconv.Quote(name)
	}
	return list + "[" + short(name) + "]"
}

// short keeps a name from the file from flooding an error.
func short(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

// extensions is a list of {name, extension}.
func (s section) extensions() map[string]any {
	all := map[string]any{}
	for i, item := range s.list("extensions") {
		e := newSection(s.path("extensions")+"["+strconv.Itoa(i)+"]", item, s.failure)
		name := e.text("name")
		if all[name] != nil {
			s.failure.set(e.at, fmt.Errorf("has the name of an earlier extension; rename or remove one of them"))
		}
		all[name] = e.members["extension"]
	}
	return all
}

// execExtension is the cluster extension that is passed to exec plugins
// (KEP-541).
const execExtension = "client.authentication.k8s.io/exec"

func (s section) cluster(e entry, base string) clusterEntry {
	return clusterEntry{
		entry:              e,
		server:             s.text("server"),
		tlsServerName:      s.text("tls-server-name"),
		insecure:           s.flag("insecure-skip-tls-verify"),
		caFile:             within(base, s.text("certificate-authority")),
		caData:             s.data("certificate-authority-data"),
		proxyURL:           s.text("proxy-url"),
		disableCompression: s.flag("disable-compression"),
		execConfig:         s.extensions()[execExtension],
	}
}

func (s section) user(e entry, base string) userEntry {
	s.extensions()
	u := userEntry{
		entry:     e,
		certFile:  within(base, s.text("client-certificate")),
		certData:  s.data("client-certificate-data"),
		keyFile:   within(base, s.text("client-key")),
		keyData:   s.data("client-key-data"),
		token:     s.text("token"),
		tokenFile: within(base, s.text("tokenFile")),
		username:  s.text("username"),
		password:  s.text("password"),
		impersonate: Impersonation{
			UserName: s.text("as"), UID: s.text("as-uid"), Groups: s.texts("as-groups"), Extra: s.textsMap("as-user-extra"),
		},
	}
	if s.has("auth-provider") {
		p := s.sub("auth-provider")
		u.provider = &AuthProvider{Name: p.text("name"), Config: p.textMap("config")}
	}
	if s.has("exec") {
		u.exec = s.sub("exec").execConfig(base)
	}
	return u
}

func (s section) execConfig(base string) *ExecConfig {
	x := &ExecConfig{
		Command:            s.text("command"),
		Args:               s.texts("args"),
		APIVersion:         s.text("apiVersion"),
		InstallHint:        s.text("installHint"),
		ProvideClusterInfo: s.flag("provideClusterInfo"),
		InteractiveMode:    s.text("interactiveMode"),
	}
	for i, item := range s.list("env") {
		e := newSection(fmt.Sprintf("%s[%d]", s.path("env"), i), item, s.failure)
		x.Env = append(x.Env, EnvVar{e.text("name"), e.text("value")})
	}
	if strings.ContainsRune(x.Command, filepath.Separator) {
		x.Command = within(base, x.Command) // a bare name is looked up in PATH
	}
	return x
}

// within resolves a path against the folder of the file that holds it.
func within(base, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}
