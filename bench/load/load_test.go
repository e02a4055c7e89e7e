package load_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/bench/realapi"
)

// What comes back has the size and the shape that measurements are told with.
func TestPodsAsServed(t *testing.T) {
	c := realapi.Start(t, realapi.Options{})
	const pods = 40
	if err := load.Pods(t.Context(), c.Direct(), 0, pods); err != nil {
		t.Fatal(err)
	}
	if err := load.Churn(t.Context(), c.Direct(), pods, 2*pods); err != nil {
		t.Fatal(err)
	}
	body, err := c.Direct().Do(t.Context(), "GET", "/api/v1/pods", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != pods {
		t.Fatalf("%d pods, want %d", len(list.Items), pods)
	}
	t.Logf("%d bytes per pod", len(body)/pods)
	for i, item := range list.Items {
		if len(item) < 7200 || len(item) > 8200 {
			t.Fatalf("pod %d has %d bytes, want about 7,700", i, len(item))
		}
		for _, part := range []string{`"manager":"kube-controller-manager"`, `"manager":"kubelet"`, `"restartCount":2`} {
			if !bytes.Contains(item, []byte(part)) {
				t.Fatalf("pod %d lacks %s", i, part)
			}
		}
	}
}
