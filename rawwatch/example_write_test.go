package rawwatch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// Read, edit, write back; again from the start if somebody else was faster.
func ExampleClient_Change() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()
	ctx, camera := context.Background(), decode.Key{Namespace: "edge", Name: "camera"}

	pod, err := client.Change(ctx, rawwatch.Pods, camera, func(fields rawwatch.Fields) error {
		return fields.Set("on", "metadata", "annotations", "edge.example.com/light")
	}, rawwatch.WriteOptions{})
	fmt.Println(pod.Key(), err)
	// Output: edge/camera <nil>
}

// The same in single steps.
func ExampleRetryOnConflict() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()
	camera := decode.Key{Namespace: "edge", Name: "camera"}

	err := rawwatch.RetryOnConflict(context.Background(), rawwatch.ConflictOptions{}, func(ctx context.Context) error {
		pod, err := client.Get(ctx, rawwatch.Pods, camera, rawwatch.GetOptions{})
		if err != nil {
			return err
		}
		pod, err = pod.Edit(func(fields rawwatch.Fields) error {
			return fields.Set("Running", "status", "phase")
		})
		if err != nil {
			return err
		}
		_, err = client.Update(ctx, rawwatch.Pods, pod, rawwatch.WriteOptions{Subresource: "status"})
		return err
	})
	fmt.Println(err)
	// Output: <nil>
}

// A struct of some fields is not sent back as an object, but as what changed
// in it; the server refuses if the object is not the one that was seen.
func ExampleDiffPatch() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()
	ctx, camera := context.Background(), decode.Key{Namespace: "edge", Name: "camera"}

	type view struct {
		Metadata struct {
			decode.Identity
			Labels map[string]string `json:"labels,omitempty"`
		} `json:"metadata"`
	}
	var seen view
	pod, err := client.Get(ctx, rawwatch.Pods, camera, rawwatch.GetOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(pod.Raw, &seen); err != nil {
		log.Fatal(err)
	}
	wanted := seen
	wanted.Metadata.Labels = map[string]string{"light": "on"}
	patch, err := rawwatch.DiffPatch(seen, wanted, seen.Metadata.ResourceVersion)
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Patch(ctx, rawwatch.Pods, camera, patch, rawwatch.WriteOptions{})
	fmt.Println("first:", err)
	_, err = client.Patch(ctx, rawwatch.Pods, camera, patch, rawwatch.WriteOptions{})
	fmt.Println("again: in conflict", rawwatch.IsConflict(err))
	// Output:
	// first: <nil>
	// again: in conflict true
}

// Server-side apply: this agent owns one label, and nothing else.
func ExampleApplyPatch() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()
	ctx, camera := context.Background(), decode.Key{Namespace: "edge", Name: "camera"}

	for _, manager := range []string{"light-agent", "other-agent"} {
		patch := rawwatch.ApplyPatch([]byte(`{"metadata":{"labels":{"light":"set by ` + manager + `"}}}`))
		_, err := client.Patch(ctx, rawwatch.Pods, camera, patch, rawwatch.WriteOptions{FieldManager: manager})
		var refused *rawwatch.InvalidError
		switch {
		case rawwatch.IsApplyConflict(err) && errors.As(err, &refused):
			fmt.Println(manager, "is refused:", refused.Fields[0].Field, refused.Fields[0].Message)
		default:
			fmt.Println(manager, err)
		}
	}
	// Output:
	// light-agent <nil>
	// other-agent is refused: .metadata.labels.light conflict with "light-agent"
}

// What is wrong with an object, field by field, and without its values.
func ExampleInvalidError() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()

	_, err := client.Create(context.Background(), rawwatch.ConfigMaps, rawwatch.Object{
		Raw: []byte(`{"metadata":{"namespace":"edge","name":"Not_A_Name"}}`),
	}, rawwatch.WriteOptions{})
	var invalid *rawwatch.InvalidError
	if errors.As(err, &invalid) {
		for _, field := range invalid.Fields {
			fmt.Println(field.Field, field.Type)
		}
	}
	// Output: metadata.name FieldValueInvalid
}

// A delete that cannot hit the next object of the name.
func ExampleClient_Delete() {
	client, server := cluster()
	defer server.Close()
	defer client.Close()
	ctx, camera := context.Background(), decode.Key{Namespace: "edge", Name: "camera"}

	_, err := client.Delete(ctx, rawwatch.Pods, camera, rawwatch.DeleteOptions{UID: "the-one-that-I-saw"})
	fmt.Println("another one has the name:", rawwatch.IsConflict(err))
	_, err = client.Delete(ctx, rawwatch.Pods, camera, rawwatch.DeleteOptions{GracePeriodSeconds: new(int64(0))})
	fmt.Println(err)
	_, err = client.Get(ctx, rawwatch.Pods, camera, rawwatch.GetOptions{})
	fmt.Println("gone:", rawwatch.IsNotFound(err))
	// Output:
	// another one has the name: true
	// <nil>
	// gone: true
}
