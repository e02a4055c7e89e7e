package kubeconfig

import (
	"os"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/kubeconfig"
)

// differences are meant. Each title stands in the table of docs/kubeconfig.md.
var differences = []struct {
	title string
	in    input
	// ours is what rawwatch does: part of the error, or of what the server saw.
	ours string
}{
	{
		"a context names a user that no file holds",
		named("config", `{current-context: c, contexts: [{name: c, context: {cluster: k, user: gone}}], clusters: [{name: k, cluster: `+good+`}]}`),
		`contexts[c].user: names "gone"`,
	},
	{
		"`--token` and a user with `tokenFile`",
		one(good, `{tokenFile: "{token}"}`).with(func(o *kubeconfig.Options) { o.Token = "flag-token" }),
		"Authorization:Bearer flag-token",
	},
	{
		"`!!binary`, `%TAG`",
		one(good, `{token: !!binary YWJj}`),
		"uses !!binary or %TAG",
	},
	{
		"a kubeconfig larger than 8 MiB",
		one(good, token).with(func(*kubeconfig.Options) {}).and("big", "# "+strings.Repeat("x", 9<<20)),
		"larger than",
	},
	{
		"nesting deeper than 100 levels",
		one(good, `{token: t, extensions: [{name: a, extension: `+strings.Repeat("[", 150)+strings.Repeat("]", 150)+`}]}`),
		"nesting",
	},
	{
		"an exec plugin prints more than 1 MiB",
		one(good, plugin("v1", "huge", ", interactiveMode: Never")),
		"plugin output",
	},
}

func TestDifferences(t *testing.T) {
	w := newWorld(t)
	page, err := os.ReadFile("../../docs/kubeconfig.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Run(d.title, func(t *testing.T) {
			if d.in.files["big"] != "" {
				d.in.list = append(d.in.list, "big")
			}
			ours, theirs := w.run(t, d.in)
			if ours.same(theirs) {
				t.Errorf("there is no difference any more: %v", ours)
			}
			if !strings.Contains(ours.String(), d.ours) {
				t.Errorf("got %v, want %q in it", ours, d.ours)
			}
			if !strings.Contains(string(page), "| "+d.title+" |") {
				t.Errorf("docs/kubeconfig.md has no row for it")
			}
		})
	}
}
