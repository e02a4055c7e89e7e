package fleet

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/rawwatch/rawwatch/bench/load"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// TestFleet: pods are as large as the template, each has a name and an address
// of its own, and a change changes the address.
func TestFleet(t *testing.T) {
	t.Chdir("..")
	f, err := Start(300)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	template, err := os.ReadFile(Template)
	if err != nil {
		t.Fatal(err)
	}
	get := func(n int) (ip string, size int) {
		o, err := f.Get(watchtest.Pods, load.Namespace(n), name(n))
		if err != nil {
			t.Fatal(err)
		}
		var pod struct{ Status struct{ PodIP string } }
		if err := json.Unmarshal(o.JSON, &pod); err != nil {
			t.Fatal(err)
		}
		return pod.Status.PodIP, len(o.JSON)
	}
	before := map[string]int{}
	for n := range 300 {
		ip, size := get(n)
		if other, ok := before[ip]; ok {
			t.Fatalf("pods %d and %d have the address %s", other, n, ip)
		}
		before[ip] = n
		if size < len(template)*9/10 || size > len(template)*11/10 {
			t.Fatalf("pod %d has %d bytes, the template %d", n, size, len(template))
		}
	}
	if err := f.Churn(301, 1); err != nil {
		t.Fatal(err)
	}
	first, _ := get(0)
	second, _ := get(1)
	if _, ok := before[first]; ok || second == first {
		t.Errorf("after changes: %s, %s", first, second)
	}
	if err := f.Mark(); err != nil {
		t.Fatal(err)
	}
}
