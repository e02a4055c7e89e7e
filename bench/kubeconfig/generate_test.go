package kubeconfig

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// generated is how many configurations are made up. With the same seed they
// are the same in each run.
const (
	generated = 600
	seed      = 20
)

func TestGenerated(t *testing.T) {
	w := newWorld(t)
	w.words["jwt"] = jwt(time.Now().Add(time.Hour))
	works := 0
	for i := range generated {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		in := g.input()
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			ours, theirs := w.run(t, in)
			if !ours.same(theirs) {
				t.Errorf("rawwatch  %v\nclient-go %v\nflags %+v\nfiles %v", ours, theirs, in.flags, in.files)
			}
			if ours.err == nil {
				works++
			}
		})
	}
	t.Logf("%d of %d configurations work, the others fail in both", works, generated)
	if works < generated/5 || works > generated*4/5 {
		t.Errorf("%d of %d work: the generator says too little", works, generated)
	}
}

// generator makes up configurations that are mostly, but not always, right.
type generator struct {
	*rand.Rand
	plugins int
}

// often is true in n of 100 cases.
func (g *generator) often(n int) bool { return g.IntN(100) < n }

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

type object = map[string]any

// input is one to three files, and sometimes flags. Their entries share three
// names, so that files overlap; contexts name only entries that are there,
// since missing ones are an intended difference.
func (g *generator) input() input {
	in := input{files: map[string]string{}}
	count := 1 + g.IntN(3)
	folders := []string{"", "a/", "a/b/"}
	clusters, users := map[string]bool{}, map[string]bool{}
	files := make([]object, count)
	for i := range files {
		files[i] = object{"apiVersion": "v1", "kind": "Config"}
		files[i]["clusters"] = g.entries("cluster", clusters, g.cluster)
		files[i]["users"] = g.entries("user", users, g.user)
		if g.often(3) {
			files[i]["clusters"] = nil
		}
	}
	// null lists may have taken entries away again
	clusters, users = there(files, "clusters"), there(files, "users")
	for i := range files {
		files[i]["contexts"] = g.entries("context", map[string]bool{}, func() any { return g.context(clusters, users) })
		if g.often(80) {
			files[i]["current-context"] = pick(g, "x", "x", "x", "x", "y", "y", "y", "z", "", "nope")
		}
	}
	for i, file := range files {
		name := fmt.Sprintf("%sconfig%d", folders[i], i)
		text, _ := json.Marshal(file)
		in.files[name] = string(text)
		in.list = append(in.list, name)
		in.files[folders[i]+"token"] = fmt.Sprintf("token-%d\n", i)
	}
	if g.often(10) {
		in.list = append(in.list, "missing", "")
	}
	if g.often(10) {
		in.explicit = in.list[0]
	}
	if in.explicit != "" {
		// what only the other files hold is missing now
		clusters, users = there(files[:1], "clusters"), there(files[:1], "users")
		if !whole(files[0], clusters, users) {
			in.explicit = ""
		}
	}
	if g.often(40) {
		in.flags = g.flags()
	}
	return in
}

// there are the names of all entries.
func there(files []object, list string) map[string]bool {
	all := map[string]bool{}
	for _, file := range files {
		entries, _ := file[list].([]any)
		for _, e := range entries {
			all[e.(object)["name"].(string)] = true
		}
	}
	return all
}

// whole reports whether a file's contexts name only what is there.
func whole(file object, clusters, users map[string]bool) bool {
	for _, e := range file["contexts"].([]any) {
		c, _ := e.(object)["context"].(object)
		cluster, _ := c["cluster"].(string)
		user, _ := c["user"].(string)
		if cluster != "" && !clusters[cluster] || user != "" && !users[user] {
			return false
		}
	}
	return true
}

func (g *generator) entries(kind string, names map[string]bool, make func() any) []any {
	all := []any{}
	for _, name := range []string{"x", "y", "z"} {
		if g.often(70) {
			names[name] = true
			all = append(all, object{"name": name, kind: make()})
		}
	}
	if g.often(1) && len(all) > 0 {
		all = append(all, all[0])
	}
	return all
}

func (g *generator) context(clusters, users map[string]bool) any {
	c := object{}
	for range 3 {
		if name := pick(g, "x", "y", "z"); clusters[name] {
			c["cluster"] = name
		}
		if name := pick(g, "x", "y", "z"); users[name] {
			c["user"] = name
		}
	}
	if g.often(50) {
		c["namespace"] = pick[any](g, "shop", "", nil, "default")
	}
	return c
}

func (g *generator) cluster() any {
	c := object{"server": pick(g, "{tls}", "{tls}", "{tls}", "{tls}/prefix", "{tls}/a/b/", "https://localhost:{port}", "{plain}", "{plain}/p", "{plainhost}", "{tls}?q=1")}
	switch g.IntN(30) {
	case 0:
		c["insecure-skip-tls-verify"] = true
	case 1:
		c["insecure-skip-tls-verify"] = true
		c["certificate-authority"] = "{ca.crt}"
	case 2:
		c["certificate-authority"] = pick(g, "{other-ca.crt}", "{empty}", "/nowhere", "{nonsense}")
	case 3:
		c["certificate-authority"], c["certificate-authority-data"] = "{ca.crt}", "{ca.crt:data}"
	case 4, 5, 6, 7, 8, 9, 10, 11, 12:
		c["certificate-authority-data"] = "{ca.crt:data}"
	default:
		c["certificate-authority"] = "{ca.crt}"
	}
	g.maybe(c, 10, "tls-server-name", "api.internal", "localhost", "api.internal", "", "wrong.name", nil)
	g.maybe(c, 10, "proxy-url", "{proxy}", "", nil, "ftp://x", "{proxy}/")
	g.maybe(c, 10, "disable-compression", true, false, nil)
	g.maybe(c, 5, "unknown", 1, "x", nil, []any{})
	g.maybe(c, 10, "extensions", nil, []any{}, []any{object{"name": "client.authentication.k8s.io/exec", "extension": object{"a": 1}}})
	g.maybe(c, 1, "server", nil, "", 7, "https://")
	return c
}

func (g *generator) user() any {
	u := object{}
	g.maybe(u, 40, "token", "t1", "t2", "", nil)
	g.maybe(u, 15, "tokenFile", "{token}", "token", "{token2}", "{token}", "token", "/nowhere", "{empty}", "")
	g.maybe(u, 8, "username", "joe", "", nil)
	g.maybe(u, 8, "password", "pass", "", nil)
	if g.often(35) {
		who := pick(g, "alice", "bob")
		u[pick(g, "client-certificate", "client-certificate-data")] = ""
		for _, part := range []struct{ field, file string }{{"client-certificate", who + ".crt"}, {"client-key", who + ".key"}} {
			delete(u, part.field)
			if g.often(50) {
				u[part.field] = "{" + part.file + "}"
			}
			if _, ok := u[part.field]; !ok || g.often(4) {
				u[part.field+"-data"] = "{" + part.file + ":data}"
			}
		}
		g.maybe(u, 4, "client-key", "/nowhere", "{alice.key}", nil)
	}
	if g.often(15) {
		u["as"] = pick[any](g, "jane", "", nil)
		g.maybe(u, 30, "as-uid", "7", "")
		g.maybe(u, 30, "as-groups", []any{"dev", "ops"}, []any{}, nil)
		g.maybe(u, 30, "as-user-extra", object{"scopes": []any{"a", "b"}}, object{"A/b c": []any{"x"}}, nil)
	}
	if g.often(15) {
		u["exec"] = g.exec()
	}
	if g.often(5) {
		// client-go keeps one provider per issuer and client, for ever
		g.plugins++
		issuer := fmt.Sprintf("https://issuer.invalid/%d", g.Uint64())
		u["auth-provider"] = pick[any](g, nil, object{"name": "gcp"}, object{"name": "oidc", "config": object{"idp-issuer-url": issuer, "client-id": "me", "id-token": "{jwt}"}})
	}
	return u
}

func (g *generator) exec() any {
	x := object{
		"command":         "{plugin}",
		"args":            []any{"answer:" + pick(g, "token", "token", "info", "env", "expiring", "exit", "cert")},
		"apiVersion":      "client.authentication.k8s.io/" + pick(g, "v1", "v1", "v1beta1", "v1beta1", "v1beta1", "v1alpha1"),
		"interactiveMode": pick(g, "Never", "IfAvailable"),
		"env":             []any{object{"name": "PLUGIN_CERT", "value": "{alice.crt}"}, object{"name": "PLUGIN_KEY", "value": "{alice.key}"}, object{"name": "PLUGIN_A", "value": "a"}},
	}
	g.maybe(x, 30, "provideClusterInfo", true, false, nil)
	g.maybe(x, 10, "interactiveMode", nil, "", "Never")
	g.maybe(x, 3, "apiVersion", nil, "")
	g.maybe(x, 3, "command", nil, "", "no-such-plugin-here")
	g.maybe(x, 5, "installHint", "install it", nil)
	return x
}

// maybe sets a member in n of 100 cases.
func (g *generator) maybe(o object, n int, name string, values ...any) {
	if g.often(n) {
		o[name] = pick(g, values...)
	}
}

func (g *generator) flags() (o kubeconfig.Options) {
	for _, flag := range []func(){
		func() { o.Context = pick(g, "x", "y", "z") },
		func() { o.Cluster = pick(g, "x", "y", "z") },
		func() { o.User = pick(g, "x", "y", "z") },
		func() { o.Namespace = "flag" },
		func() { o.Server = pick(g, "{tls}", "https://localhost:{port}", "{plain}") },
		func() { o.CertificateAuthority = pick(g, "{ca.crt}", "{other-ca.crt}") },
		func() { o.TLSServerName = pick(g, "api.internal", "localhost") },
		func() { o.Insecure = true },
		func() { o.Username, o.Password = "flag", "word" },
		func() { o.ClientCertificate, o.ClientKey = "{bob.crt}", "{bob.key}" },
		func() { o.ImpersonateUser = "flag" },
		func() { o.ImpersonateGroups = []string{"f", "g"} },
		func() { o.Timeout = 9 * time.Second },
		func() { o.ProxyURL = "{proxy}" },
		func() { o.DisableCompression = true },
	} {
		if g.often(9) {
			flag()
		}
	}
	return o
}
