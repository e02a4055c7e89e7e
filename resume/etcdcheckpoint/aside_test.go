package etcdcheckpoint_test

import (
	"encoding/json"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/rawwatch/rawwatch/resume"
	"github.com/rawwatch/rawwatch/resume/checkpointtest"
	"github.com/rawwatch/rawwatch/resume/etcdcheckpoint"
)

// kept are the generations of the watch pods whose batches are in etcd.
func kept(t *testing.T, client *clientv3.Client, prefix string) map[string]int {
	t.Helper()
	folder := prefix + "/pods/"
	r, err := client.Get(t.Context(), folder+"g", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	ok(t, err)
	generations := map[string]int{}
	for _, kv := range r.Kvs {
		generations[string(kv.Key[len(folder):len(kv.Key)-len("/000000000001")])]++
	}
	return generations
}

// aside is what is under the key of that name.
type aside struct {
	Reason, ResourceVersion, Generation string
	Last                                int
}

func asideOf(t *testing.T, client *clientv3.Client, prefix string) (a aside) {
	t.Helper()
	r, err := client.Get(t.Context(), prefix+"/pods/aside")
	ok(t, err)
	if len(r.Kvs) != 1 {
		t.Fatal("nothing is set aside")
	}
	ok(t, json.Unmarshal(r.Kvs[0].Value, &a))
	return a
}

// What is set aside stays, with its batches, while other states come and are
// compacted, until the next one is: then that one stays.
func TestSetAsideIsKept(t *testing.T) {
	client := connect(t)
	o := etcdcheckpoint.Options{Prefix: "/" + t.Name(), CompactFrom: 1 << 10}
	s := etcdcheckpoint.New(client, o)
	churn := checkpointtest.NewChurn(5, 50)
	var b resume.Batch
	for round := range 3 {
		want := begin(t, s, 50+round)
		why := fmt.Sprint("reason ", round)
		for range 3 { // killed each time
			s = etcdcheckpoint.New(client, o)
			ok(t, s.SetAside(t.Context(), "pods", why))
			holds(t, s, want)
		}
		was := asideOf(t, client, o.Prefix)
		if was.Reason != why || was.ResourceVersion != want.ResourceVersion || was.Last == 0 {
			t.Errorf("set aside: %+v", was)
		}
		if all := kept(t, client, o.Prefix); len(all) != 1 || all[was.Generation] != was.Last {
			t.Errorf("%v is there, and %+v was set aside", all, was)
		}
		want = begin(t, s, 20)
		for range 100 {
			b.Reset()
			version := churn.Next(&b, 20)
			ok(t, want.Apply(&b, version))
			ok(t, s.Commit(t.Context(), "pods", &b, version))
		}
		holds(t, s, want)
		if all := kept(t, client, o.Prefix); len(all) != 2 || all[was.Generation] != was.Last {
			t.Errorf("%v is there, and %+v was set aside", all, was)
		}
		if now := asideOf(t, client, o.Prefix); now != was {
			t.Errorf("set aside: %+v, and before %+v", now, was)
		}
	}
	if s.Status().Compactions == 0 {
		t.Error("nothing was compacted")
	}
}
