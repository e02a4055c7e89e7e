package decode

import (
	"testing"
	"unsafe"
)

// TestDecodeKnown: what the caller keeps of an object is not held twice, and
// what the object does not say of its kind is taken from the caller.
func TestDecodeKnown(t *testing.T) {
	type pod struct {
		Kind     string   `json:"kind"`
		Metadata Identity `json:"metadata"`
		Spec     struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	}
	plan, err := For[pod]()
	if err != nil {
		t.Fatal(err)
	}
	object := []byte(`{"metadata":{"namespace":"edge","name":"web-1","uid":"u-1","resourceVersion":"17"},"spec":{"nodeName":"node-1"}}`)
	var m Meta
	if err := ScanMeta(object, &m); err != nil {
		t.Fatal(err)
	}
	known := Known{Identity: m.Identity(), APIVersion: "v1", Kind: "Pod"}
	var p pod
	if err := plan.DecodeKnown(object, known, &p); err != nil {
		t.Fatal(err)
	}
	if p.Metadata != known.Identity || p.Kind != "Pod" || p.Spec.NodeName != "node-1" {
		t.Errorf("%+v", p)
	}
	for got, want := range map[*string]string{
		&p.Metadata.Namespace: known.Namespace, &p.Metadata.Name: known.Name,
		&p.Metadata.UID: known.UID, &p.Metadata.ResourceVersion: known.ResourceVersion,
	} {
		if unsafe.StringData(*got) != unsafe.StringData(want) {
			t.Errorf("%q is held twice", want)
		}
	}
	other := known
	other.Identity = Identity{Name: "another"}
	if err := plan.DecodeKnown(object, other, &p); err != nil || p.Metadata != known.Identity {
		t.Errorf("%+v %v", p, err)
	}
}
