package decode

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// goldens are objects of many kinds in both encodings, written by the API's
// own types: see bench/schematest.
func goldens(t testing.TB) (texts, wires [][]byte) {
	texts = bytes.Split(bytes.TrimSpace(testFile(t, "objects.jsonl")), []byte("\n"))
	for b := testFile(t, "objects.pb"); len(b) > 0; {
		end := 4 + int(binary.BigEndian.Uint32(b))
		wires = append(wires, b[4:end])
		b = b[end:]
	}
	if len(texts) != len(wires) || len(texts) < 30 {
		t.Fatalf("%d texts, %d in protobuf", len(texts), len(wires))
	}
	return texts, wires
}

func testFile(t testing.TB, name string) []byte {
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestToJSONGolden(t *testing.T) {
	texts, wires := goldens(t)
	for i, wire := range wires {
		got, err := ToJSON([]byte("before"), wire)
		if err != nil || string(got) != "before"+string(texts[i]) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, texts[i])
		}
		again, err := ToJSON(nil, texts[i])
		if err != nil || !bytes.Equal(again, texts[i]) {
			t.Errorf("JSON itself: %v, %s", err, again)
		}
	}
}

// wide takes most of what there is in a pod, in ways that differ from how the
// API's types are made.
type wide struct {
	Kind       string          `json:"kind"`
	APIVersion json.RawMessage `json:"apiVersion"`
	Metadata   struct {
		*Identity
		Labels      map[string]string          `json:"labels"`
		Annotations map[string]json.RawMessage `json:"annotations"`
		Created     *Time                      `json:"creationTimestamp"`
		Deleted     Time                       `json:"deletionTimestamp"`
		Owners      []struct {
			UID        string `json:"uid"`
			Controller *bool  `json:"controller"`
		} `json:"ownerReferences"`
		Finalizers []text `json:"finalizers"`
		Fields     []any  `json:"managedFields"`
		Generation uint16 `json:"generation"`
	} `json:"metadata"`
}

type text string

// TestSameFromBothGolden decodes each object from both encodings into types of
// all sorts.
func TestSameFromBothGolden(t *testing.T) {
	texts, wires := goldens(t)
	for i := range wires {
		same[any](t, texts[i], wires[i])
		same[map[string]any](t, texts[i], wires[i])
		same[json.RawMessage](t, texts[i], wires[i])
		same[*map[string]json.RawMessage](t, texts[i], wires[i])
		same[struct{}](t, texts[i], wires[i])
		same[five](t, texts[i], wires[i])
		same[wide](t, texts[i], wires[i])
		same[podView](t, texts[i], wires[i])
		same[nodeView](t, texts[i], wires[i])
		same[leaseView](t, texts[i], wires[i])
		same[serviceView](t, texts[i], wires[i])
		same[secretView](t, texts[i], wires[i])
		same[crdView](t, texts[i], wires[i])
		same[volumeView](t, texts[i], wires[i])
	}
	for name, n := range sameCount {
		if n == 0 {
			t.Errorf("no object had all that %s names", name)
		}
	}
}

type podView struct {
	Spec struct {
		Containers []struct {
			Name      string `json:"name"`
			Image     string `json:"image"`
			Resources struct {
				Limits   map[string]Quantity `json:"limits"`
				Requests map[text]string     `json:"requests"`
			} `json:"resources"`
			Ports []struct {
				Port     int64 `json:"containerPort"`
				HostPort *int8 `json:"hostPort"`
			} `json:"ports"`
			Probe *struct {
				Period *uint32 `json:"periodSeconds"`
				Get    *struct {
					Port IntOrString `json:"port"`
				} `json:"httpGet"`
			} `json:"livenessProbe"`
		} `json:"containers"`
		Volumes []struct {
			Name      string `json:"name"`
			ConfigMap *struct {
				Optional *bool `json:"optional"`
			} `json:"configMap"`
			Empty json.RawMessage `json:"emptyDir"`
		} `json:"volumes"`
		NodeSelector struct {
			Zone  string  `json:"a"`
			Other *string `json:"0"`
		} `json:"nodeSelector"`
		Priority  any                   `json:"priority"`
		Grace     float64               `json:"terminationGracePeriodSeconds"`
		Host      json.Number           `json:"hostname"`
		HostPID   *bool                 `json:"hostPID"`
		NodeName  *string               `json:"nodeName"`
		Overhead  *map[string]*Quantity `json:"overhead"`
		Readiness [2]struct {
			Type string `json:"conditionType"`
		} `json:"readinessGates"`
	} `json:"spec"`
}

type nodeView struct {
	Status struct {
		Capacity   map[string]Quantity `json:"capacity"`
		Conditions []struct {
			Type string `json:"type"`
			Seen Time   `json:"lastHeartbeatTime"`
			When *Time  `json:"lastTransitionTime"`
		} `json:"conditions"`
		Images []struct {
			Names []string `json:"names"`
			Size  int64    `json:"sizeBytes"`
		} `json:"images"`
	} `json:"status"`
	Spec struct {
		Taints json.RawMessage `json:"taints"`
		CIDRs  *[]string       `json:"podCIDRs"`
	} `json:"spec"`
}

type leaseView struct {
	Spec struct {
		Holder  *string    `json:"holderIdentity"`
		Seconds int        `json:"leaseDurationSeconds"`
		Renewed MicroTime  `json:"renewTime"`
		Got     *MicroTime `json:"acquireTime"`
	} `json:"spec"`
}

type serviceView struct {
	Spec struct {
		Ports []struct {
			Target IntOrString `json:"targetPort"`
		} `json:"ports"`
		Selector any `json:"selector"`
	} `json:"spec"`
}

type secretView struct {
	Data   map[string][]byte `json:"data"`
	String map[string]string `json:"stringData"`
	Type   text              `json:"type"`
	Fixed  *bool             `json:"immutable"`
}

type crdView struct {
	Spec struct {
		Versions []struct {
			Schema *struct {
				Root json.RawMessage `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
		Names struct {
			Short []string `json:"shortNames"`
		} `json:"names"`
	} `json:"spec"`
}

type volumeView struct {
	Spec struct {
		Capacity map[string]json.RawMessage `json:"capacity"`
		HostPath *struct {
			Path string  `json:"path"`
			Type *string `json:"type"`
		} `json:"hostPath"`
		NFS struct {
			Server string `json:"server"`
		} `json:"nfs"`
		Claim *struct {
			Name string `json:"name"`
		} `json:"claimRef"`
	} `json:"spec"`
}

// sameCount is how many objects of each type were compared.
var sameCount = map[string]int{}

func same[T any](t *testing.T, text, wire []byte) {
	t.Helper()
	p, err := For[T]()
	if err != nil {
		t.Fatal(err)
	}
	name := reflect.TypeFor[T]().String()
	sameCount[name] += 0
	var fromText, fromWire T
	textErr := p.Decode(text, &fromText)
	wireErr := p.Decode(wire, &fromWire)
	if _, unknown := wireErr.(*UnknownError); unknown {
		return
	}
	sameCount[name]++
	if (textErr == nil) != (wireErr == nil) {
		t.Fatalf("%s: JSON %v, protobuf %v", name, textErr, wireErr)
	}
	if textErr != nil {
		a, b := textErr.(*ObjectError), wireErr.(*ObjectError)
		if a.Key != b.Key || a.Path != b.Path || a.Want != b.Want {
			t.Errorf("%s:\n%v\n%v", name, a, b)
		}
		return
	}
	if !reflect.DeepEqual(fromText, fromWire) {
		x, _ := json.Marshal(fromText)
		y, _ := json.Marshal(fromWire)
		t.Errorf("%s:\n%s\nprotobuf\n%s\n%s", name, x, y, text)
	}
}
