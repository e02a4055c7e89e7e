package resume_test

import (
	"fmt"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// What is committed together travels as one batch, and is read as it was
// written.
func ExampleBatch() {
	var batch resume.Batch
	batch.Put(&decode.Meta{
		Namespace: []byte("shop"), Name: []byte("web-0"),
		UID: []byte("0f8fad5b-d9cb-469f-a165-70867728950e"), ResourceVersion: []byte("4711"),
	}, []byte(`{"phase":"Running"}`))
	batch.Delete(&decode.Meta{Namespace: []byte("shop"), Name: []byte("web-1")})

	reader := resume.BatchReader{Data: batch.Bytes()}
	var r resume.Record
	for {
		more, err := reader.Next(&r)
		if err != nil {
			panic(err)
		}
		if !more {
			break
		}
		fmt.Printf("%s %q deleted=%v\n", r.Meta.Identity().Key(), r.Object, r.Deleted)
	}
	// Output:
	// shop/web-0 "{\"phase\":\"Running\"}" deleted=false
	// shop/web-1 "" deleted=true
}

// A state is gone on from when it is the state of the same thing.
func ExampleWatchIdentity_Differences() {
	stored := resume.WatchIdentity{Watch: "pods", Cluster: "one", Version: "v1", Resource: "pods"}
	asked := stored
	asked.LabelSelector = "app=web"
	fmt.Println(asked.Differences(stored))
	// Output: [LabelSelector]
}
