package decode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/rawwatch/rawwatch/decode"
)

// Pod is all that this agent wants to know of a pod.
type Pod struct {
	Metadata decode.Identity `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// The struct is the schema: only what it names is decoded, from JSON...
func ExampleFor() {
	plan, err := decode.For[Pod]()
	if err != nil {
		fmt.Println(err) // the type cannot be decoded into
		return
	}
	var pod Pod
	err = plan.Decode([]byte(`{"kind":"Pod","metadata":{"namespace":"edge","name":"a","labels":{"app":"web"}},"spec":{"nodeName":"node-7"},"status":{"phase":"Running"}}`), &pod)
	fmt.Println(pod.Metadata.Key(), pod.Spec.NodeName, pod.Status.Phase, err)
	// Output: edge/a node-7 Running <nil>
}

// ...and from protobuf, through the same tags.
func ExamplePlan_Decode_protobuf() {
	object, err := os.ReadFile("testdata/pod.pb") // as Event.Object and Item.Object hold it
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := decode.For[Pod]()
	if err != nil {
		fmt.Println(err)
		return
	}
	var pod Pod
	err = plan.Decode(object, &pod)
	fmt.Println(decode.EncodingOf(object), pod.Metadata.Key(), pod.Spec.NodeName, pod.Status.Phase, err)
	// Output: protobuf edge-7/web-7d4b9c6f5d-00007 node-7 Running <nil>
}

// A value that does not fit is one object's error. It says where, and what is
// there, but not the value.
func ExamplePlan_Decode_error() {
	plan, err := decode.For[Pod]()
	if err != nil {
		fmt.Println(err)
		return
	}
	var pod Pod
	err = plan.Decode([]byte(`{"metadata":{"namespace":"edge","name":"a"},"spec":{"nodeName":7}}`), &pod)
	var bad *decode.ObjectError
	if errors.As(err, &bad) {
		fmt.Println(bad.Key, bad.Path, "is", bad.Token, "at", bad.Offset)
	}
	// Output: edge/a spec.nodeName is a number at 63
}

// Before asking for protobuf, a client asks the plan: what the built-in API
// groups do not have can only be read as JSON.
func ExamplePlan_Protobuf() {
	plan, err := decode.For[Pod]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Protobuf("", "v1", "Pod"))
	fmt.Println(plan.Protobuf("", "v1", "Node"))
	fmt.Println(plan.Protobuf("example.com", "v1", "Gadget"))
	// Output:
	// <nil>
	// decode: of v1 Node this is not known in protobuf: spec.nodeName; check the spelling, or ask for JSON
	// decode: example.com/v1 Gadget has no known form in protobuf; ask for JSON
}

// Of a type that names only metadata, a server need not send more.
func ExamplePlan_MetadataOnly() {
	plan, err := decode.For[struct {
		Metadata decode.Identity `json:"metadata"`
	}]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.MetadataOnly())
	// Output: true
}

// Items of a list in JSON do not say what they are; the list has.
func ExamplePlan_DecodeItem() {
	body := bytes.NewReader([]byte(`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`))
	list := decode.NewListReader(body, decode.Options{})
	defer list.Close()
	plan, err := decode.For[struct {
		Kind     string          `json:"kind"`
		Metadata decode.Identity `json:"metadata"`
	}]()
	if err != nil {
		fmt.Println(err)
		return
	}
	item, err := list.Next()
	if err != nil {
		fmt.Println(err)
		return
	}
	var v struct {
		Kind     string          `json:"kind"`
		Metadata decode.Identity `json:"metadata"`
	}
	err = plan.DecodeItem(item.Object, &item.Meta, &v)
	fmt.Println(v.Kind, v.Metadata.Name, err)
	// Output: Pod a <nil>
}

// One label of many: a struct in place of a map takes the entries that it
// names.
func ExamplePlan_Decode_label() {
	plan, err := decode.For[struct {
		Metadata struct {
			Labels struct {
				App string `json:"app"`
			} `json:"labels"`
		} `json:"metadata"`
	}]()
	if err != nil {
		fmt.Println(err)
		return
	}
	object, err := os.ReadFile("testdata/pod.pb")
	if err != nil {
		fmt.Println(err)
		return
	}
	var v struct {
		Metadata struct {
			Labels struct {
				App string `json:"app"`
			} `json:"labels"`
		} `json:"metadata"`
	}
	err = plan.Decode(object, &v)
	fmt.Println(v.Metadata.Labels.App, err)
	// Output: web <nil>
}

// What came as protobuf is shown as JSON, as the API server would write it.
func ExampleToJSON() {
	object, err := os.ReadFile("testdata/pod.pb")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := decode.ToJSON(nil, object)
	fmt.Println(json.Valid(text), string(text[:30]), err)
	// Output: true {"kind":"Pod","apiVersion":"v1 <nil>
}

// The body's encoding is what the response's Content-Type says.
func ExampleEncodingOfType() {
	fmt.Println(decode.EncodingOfType("application/vnd.kubernetes.protobuf;stream=watch"))
	fmt.Println(decode.EncodingOfType("application/json"))
	fmt.Println(decode.EncodingOfType("text/html"))
	// Output:
	// protobuf true
	// JSON true
	// JSON false
}

func ExampleQuantity() {
	for _, q := range []decode.Quantity{"1500Mi", "100m", "2"} {
		whole, err := q.Value()
		milli, _ := q.MilliValue()
		fmt.Println(q, whole, milli, err)
	}
	// Output:
	// 1500Mi 1572864000 1572864000000 <nil>
	// 100m 1 100 <nil>
	// 2 2 2000 <nil>
}

func ExampleIntOrString() {
	var ports []decode.IntOrString
	err := json.Unmarshal([]byte(`[8080,"http"]`), &ports)
	fmt.Println(ports[0].Int, ports[1].Text, err)
	// Output: 8080 http <nil>
}
