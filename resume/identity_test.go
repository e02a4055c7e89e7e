package resume

import (
	"reflect"
	"strings"
	"testing"
)

// Each field counts: one that is forgotten would let a watch go on from a state
// that is not its own.
func TestDifferencesKnowEachField(t *testing.T) {
	var zero WatchIdentity
	kind := reflect.TypeFor[WatchIdentity]()
	for i := range kind.NumField() {
		id := zero
		reflect.ValueOf(&id).Elem().Field(i).SetString("x")
		if got := zero.Differences(id); len(got) != 1 || got[0] != kind.Field(i).Name {
			t.Errorf("%s differs, said %v", kind.Field(i).Name, got)
		}
	}
	if got := zero.Differences(zero); len(got) != 0 {
		t.Errorf("equal ones differ in %v", got)
	}
}

func TestIdentityCheck(t *testing.T) {
	good := WatchIdentity{Watch: "pods", Resource: "pods"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for field, set := range map[string]func(*WatchIdentity){
		"empty name":  func(id *WatchIdentity) { id.Watch = "" },
		"long name":   func(id *WatchIdentity) { id.Watch = strings.Repeat("x", MaxWatchName+1) },
		"zero byte":   func(id *WatchIdentity) { id.Watch = "a\x00" },
		"no resource": func(id *WatchIdentity) { id.Resource = "" },
		"long field":  func(id *WatchIdentity) { id.LabelSelector = strings.Repeat("x", maxIdentityField+1) },
	} {
		id := good
		set(&id)
		if id.Check() == nil {
			t.Errorf("%s is accepted", field)
		}
	}
}

func TestSensitive(t *testing.T) {
	for id, want := range map[WatchIdentity]bool{
		{Resource: "secrets"}:                     true,
		{Resource: "pods"}:                        false,
		{Resource: "secrets", Group: "x.example"}: false,
	} {
		if id.Sensitive() != want {
			t.Errorf("%+v: %v", id, !want)
		}
	}
}
