package decode

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestFieldsOfTomorrow checks that what the table does not know is said, where
// it would be missing from JSON, and does not matter where nobody asks for it.
func TestFieldsOfTomorrow(t *testing.T) {
	pod := object("v1", "Pod", sub(1, str(1, "a")), sub(2, str(10, "node-7"), str(4000, "x"), sub(2, str(1, "c"), num(4001, 7))), str(4002, "y"))
	text, err := ToJSON(nil, pod)
	var unknown *UnknownError
	if !errors.As(err, &unknown) || fmt.Sprint(unknown.Paths) != "[#4002 spec.#4000 spec.containers.#4001]" {
		t.Errorf("%v", err)
	}
	if !strings.Contains(string(text), `"nodeName":"node-7"`) {
		t.Errorf("what is known: %s", text)
	}
	var v five
	if err := planFor[five](t).Decode(pod, &v); err != nil || v.Spec.NodeName != "node-7" {
		t.Errorf("%+v, %v", v, err)
	}
	type rawSpec struct {
		Spec struct {
			Containers any `json:"containers"`
		} `json:"spec"`
	}
	err = planFor[rawSpec](t).Decode(pod, new(rawSpec))
	if !errors.As(err, &unknown) || fmt.Sprint(unknown.Paths) != "[spec.containers.#4001]" || unknown.Kind != "Pod" {
		t.Errorf("%v", err)
	}
}

// TestWireErrors is what Decode says about protobuf that does not fit.
func TestWireErrors(t *testing.T) {
	type view struct {
		Metadata struct {
			Identity
			Generation int8              `json:"generation"`
			Labels     map[string]string `json:"labels"`
			Created    Time              `json:"creationTimestamp"`
			Fields     []struct {
				Raw any `json:"fieldsV1"`
			} `json:"managedFields"`
		} `json:"metadata"`
		Spec struct {
			Containers []struct {
				Env []struct {
					Value string `json:"value"`
				} `json:"env"`
			} `json:"containers"`
			NodeSelector struct {
				Zone string `json:"zone"`
			} `json:"nodeSelector"`
			HostPID bool `json:"hostPID"`
		} `json:"spec"`
	}
	name := str(1, "a")
	for _, c := range []struct {
		raw  []byte
		want string
	}{
		{sub(1, name, num(7, 128)), "object a: metadata.generation at offset 23 is a number, want an integer of 8 bits"},
		{sub(1, name, str(7, "x")), "object a: metadata.generation at offset 24 is bytes with a length, want an integer of 8 bits"},
		{sub(1, name, num(11, 1)), "object a: metadata.labels at offset 23 is a varint, want a map's entry"},
		{sub(1, name, sub(11, []byte{9})), "object a: metadata.labels at offset 24 is a number cut off, want a protobuf message"},
		{sub(1, name, sub(11, str(1, "app"), num(2, 1))), "object a: metadata.labels[app] at offset 30 is a varint, want a string"},
		{sub(1, name, sub(8, []byte{0xff})), "object a: metadata.creationTimestamp at offset 24 is no field's tag, want a protobuf message"},
		{sub(1, name, sub(17, sub(7, str(1, `s3cret`)))), "object a: metadata.managedFields[0].fieldsV1 at offset 27 is an embedded object in another encoding, want JSON"},
		{cat(sub(1, name), sub(2, sub(2, sub(7, str(1, "x"))), sub(2, sub(7), sub(7, num(2, 1))))), "object a: spec.containers[1].env[1].value at offset 38 is a varint, want a string"},
		{cat(sub(1, name), sub(2, sub(7, str(1, "zone"), num(2, 1)))), "object a: spec.nodeSelector.zone at offset 33 is a varint, want a string"},
		{cat(sub(1, name), sub(2, str(12, "s3cret"))), "object a: spec.hostPID at offset 26 is bytes with a length, want a boolean"},
		{cat(sub(1, name), num(2, 5)), "object a: spec at offset 23 is a varint, want an object"},
		{cat(sub(1, name), []byte{0x12, 0x7f}), "object a: the object at offset 22 is a length beyond the end, want a protobuf message"},
	} {
		var v view
		err := planFor[view](t).Decode(object("v1", "Pod", c.raw), &v)
		var oe *ObjectError
		if !errors.As(err, &oe) || !strings.Contains(err.Error(), c.want+";") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// TestPacked reads numbers that stand together, as every decoder must.
func TestPacked(t *testing.T) {
	type view struct {
		Spec struct {
			Security struct {
				Groups []int64 `json:"supplementalGroups"`
			} `json:"securityContext"`
		} `json:"spec"`
	}
	raw := sub(2, sub(14, num(4, 1), sub(4, []byte{2, 0xac, 0x02}), num(4, 3)))
	pod := object("v1", "Pod", raw)
	text, err := ToJSON(nil, pod)
	if err != nil || !strings.Contains(string(text), `"supplementalGroups":[1,2,300,3]`) {
		t.Errorf("%s, %v", text, err)
	}
	var v view
	if err := planFor[view](t).Decode(pod, &v); err != nil || fmt.Sprint(v.Spec.Security.Groups) != "[1 2 300 3]" {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestToJSONErrors is what ToJSON says about protobuf that it cannot write.
func TestToJSONErrors(t *testing.T) {
	for _, c := range []struct {
		object []byte
		want   string
	}{
		{object("v1", "Pod", num(2, 5)), "spec at offset 18 is a varint"},
		{object("v1", "Pod", sub(1, num(1, 0))), "metadata.name at offset 20 is a varint"},
		{object("v1", "Pod", sub(1, str(7, "x"))), "metadata.generation at offset 21 is bytes with a length"},
		{object("v1", "Pod", sub(2, num(2, 0))), "spec.containers[0] at offset 20 is a varint"},
		{object("v1", "Pod", sub(2, num(1, 1))), "spec.volumes[0] at offset 20 is a varint"},
		{object("v1", "Pod", sub(2, sub(1, num(2, 1)))), "spec.volumes[0] at offset 22 is a varint"},
		{object("v1", "Pod", sub(1, num(11, 1))), "metadata.labels at offset 20 is a varint"},
		{object("v1", "Pod", sub(1, sub(11, str(1, "a"), num(2, 1)))), "metadata.labels[a] at offset 25 is a varint"},
		{object("v1", "Pod", sub(1, sub(8, []byte{0xff}))), "metadata.creationTimestamp at offset 21 is no field's tag"},
		{object("v1", "Pod", sub(2, sub(14, sub(4, []byte{0xff})))), "spec.securityContext.supplementalGroups at offset 23 is a number cut off"},
		{object("apiextensions.k8s.io/v1", "CustomResourceDefinition", sub(2, sub(7, sub(4, sub(1, []byte{3<<3 | 3}))))), "spec.versions[0].schema.openAPIV3Schema at offset 67 is an unknown wire type"},
		{cat([]byte(magic), []byte{0xff}), "the object at offset 4 is no field's tag"},
		{cat([]byte(magic), sub(1, []byte{0x0a})), "the object at offset 6 is a length beyond the end"},
	} {
		got, err := ToJSON([]byte("x"), c.object)
		var oe *ObjectError
		if !errors.As(err, &oe) || !strings.Contains(err.Error(), c.want) || string(got) != "x" {
			t.Errorf("%s, %v\nwant %s", got, err, c.want)
		}
	}
	if _, err := ToJSON(nil, object("example.com/v1", "Gadget")); !errors.As(err, new(*UnknownError)) {
		t.Error(err)
	}
	if _, err := ToJSON(nil, []byte(magic)); !errors.As(err, new(*UnknownError)) {
		t.Error(err)
	}
	deep := nested(28, DefaultDepth+1) // "not": a schema in a schema
	crd := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", sub(2, sub(7, sub(4, sub(1, deep)))))
	if _, err := ToJSON(nil, crd); !errors.As(err, new(*LimitError)) {
		t.Error(err)
	}
	type tree struct {
		Not *tree `json:"not"`
	}
	type view struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					Root tree `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := planFor[view](t).Decode(crd, new(view)); !errors.As(err, new(*LimitError)) {
		t.Error(err)
	}
}

// TestUnions: what is inside a message that can be one of several things in
// JSON is left to JSON.
func TestUnions(t *testing.T) {
	type schemaView struct {
		Items *struct {
			Type string `json:"type"`
		} `json:"items"`
	}
	type view struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					Root schemaView `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	err := planFor[view](t).Protobuf("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || fmt.Sprint(unknown.Paths) != "[spec.versions[].schema.openAPIV3Schema.items]" {
		t.Error(err)
	}
}

// TestOwnForms reads the messages with a JSON form of their own as protobuf
// has it: by number, the last of equal fields, whatever else is there.
func TestOwnForms(t *testing.T) {
	for _, c := range []struct {
		object []byte
		want   string
	}{
		{object("apps/v1", "ControllerRevision", sub(2, str(2, "no"), str(1, `"a"`), str(1, ` {"b" : "<" } `))), `"data":{"b":"\u003c"}`},
		{object("apps/v1", "ControllerRevision", sub(2)), `"data":null`},
		{object("coordination.k8s.io/v1", "Lease", sub(2, sub(3, num(1, 1), num(2, 5999)))), `"acquireTime":"1970-01-01T00:00:01.000005Z"`},
		{object("coordination.k8s.io/v1", "Lease", sub(2, sub(3))), `"acquireTime":null`},
		{object("v1", "Service", sub(2, sub(1, sub(4, num(1, 1), num(2, 80), str(1, "no"), str(3, "http"))))), `"targetPort":"http"`},
		{object("v1", "Service", sub(2, sub(1, sub(4, num(2, 80), str(3, "http"))))), `"targetPort":80`},
		{object("v1", "ResourceQuota", sub(2, sub(1, str(1, "cpu"), sub(2, str(2, "no"), str(1, "100m"))), sub(1, str(1, "pods"), sub(2)))), `"hard":{"cpu":"100m","pods":"0"}`},
	} {
		text, err := ToJSON(nil, c.object)
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s, %v\nwant %s", text, err, c.want)
		}
	}
}
