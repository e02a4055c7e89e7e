package realapi_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/bench/realapi"
	"github.com/rawwatch/rawwatch/kubeconfig"
)

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func configMap(name string) []byte {
	return []byte(`{"metadata":{"name":"` + name + `"},"data":{"a":"b"}}`)
}

const configMaps = "/api/v1/namespaces/default/configmaps"

// What was written is still there after a crash, and a stop, on the same
// port, whatever the store.
func TestClusterKeepsItsStateAcrossRestarts(t *testing.T) {
	for _, kind := range []realapi.StoreKind{realapi.OnEtcd, realapi.OnKine} {
		t.Run(string(kind), func(t *testing.T) {
			ctx := bounded(t)
			c := realapi.Start(t, realapi.Options{Store: kind})
			server := c.Config().Server
			if _, err := c.Direct().Do(ctx, "POST", configMaps, configMap("one")); err != nil {
				t.Fatal(err)
			}
			if err := c.Restart(ctx); err != nil {
				t.Fatal(err)
			}
			c.Stop()
			if err := c.Start(ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Direct().Do(ctx, "GET", configMaps+"/one", nil); err != nil {
				t.Fatal(err)
			}
			if got := c.Config().Server; got != server {
				t.Errorf("server moved from %s to %s", server, got)
			}
		})
	}
}

// After a compaction and a restart the old history is really gone.
func TestCompactExpiresOldVersions(t *testing.T) {
	ctx := bounded(t)
	c := realapi.Start(t, realapi.Options{})
	body, err := c.Direct().Do(ctx, "POST", configMaps, configMap("old"))
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(body, &object); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Direct().Do(ctx, "PATCH", configMaps+"/old", []byte(`{"data":{"a":"c"}}`)); err != nil {
		t.Fatal(err)
	}
	if revision, err := c.Compact(ctx); err != nil || revision == 0 {
		t.Fatalf("compacted revision %d: %v", revision, err)
	}
	if err := c.Restart(ctx); err != nil { // whose cache remembers more than etcd
		t.Fatal(err)
	}
	path := configMaps + "?limit=1&resourceVersionMatch=Exact&resourceVersion=" + object.Metadata.ResourceVersion
	if _, err := c.Direct().Do(ctx, "GET", path, nil); realapi.Code(err) != 410 {
		t.Errorf("list at a compacted version: %v, want 410", err)
	}
}

// Users without a role are known, and may do nothing; the kubeconfig file
// says the same as the Config.
func TestUsersAndKubeconfigFile(t *testing.T) {
	guest := realapi.User{Name: "guest", Token: "guest-token"}
	c := realapi.Start(t, realapi.Options{Users: []realapi.User{guest}})
	path, err := c.WriteKubeconfig("guest.kubeconfig", c.As(guest))
	if err != nil {
		t.Fatal(err)
	}
	config, err := kubeconfig.Load(kubeconfig.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if config.Server != c.Config().Server || config.BearerToken != guest.Token || config.CAFile != c.Config().CAFile {
		t.Errorf("loaded %v", config)
	}
	resp, err := c.Direct().Open(bounded(t), "GET", configMaps, map[string][]string{"Authorization": {"Bearer " + guest.Token}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 403 {
		t.Errorf("guest's list: %s, want 403", resp.Status)
	}
}

// A server that cannot start says why, and leaves nothing behind.
func TestLaunchFailureIsExplained(t *testing.T) {
	folder := t.TempDir()
	_, err := realapi.Launch(bounded(t), realapi.Options{Folder: folder, Flags: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("error %v does not tell of the flag", err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Error("a folder that the caller gave was removed")
	}
}
