package schematest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var update = flag.Bool("update", false, "write the files that package decode's own tests compare with")

// dataFolder is where package decode keeps them.
const dataFolder = "../../decode/testdata"

// goldenKinds show every kind of field that there is.
var goldenKinds = map[string]bool{
	"v1.Pod": true, "v1.Secret": true, "v1.Service": true, "v1.Node": true, "v1.PersistentVolume": true, "v1.Event": true,
	"apps/v1.Deployment": true, "apps/v1.ControllerRevision": true, "batch/v1.CronJob": true,
	"coordination.k8s.io/v1.Lease": true, "certificates.k8s.io/v1.CertificateSigningRequest": true,
	"networking.k8s.io/v1.NetworkPolicy": true, "resource.k8s.io/v1.ResourceClaim": true,
	"authorization.k8s.io/v1.SubjectAccessReview":           true,
	"apiextensions.k8s.io/v1.CustomResourceDefinition":      true,
	"apiextensions.k8s.io/v1beta1.CustomResourceDefinition": true,
	"apiregistration.k8s.io/v1.APIService":                  true,
	"meta.k8s.io/v1.PartialObjectMetadata":                  true,
}

// TestGolden keeps the samples of package decode: objects.jsonl holds an
// object in each line, objects.pb the same ones in protobuf, each after its
// length in four bytes; pod.pb is pod.json.
func TestGolden(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	var lines, wires bytes.Buffer
	eachKind(t, func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message) {
		if !goldenKinds[gvk.GroupVersion().String()+"."+gvk.Kind] {
			return
		}
		for range 2 {
			_, wire, text := sample(t, r, gvk, fresh)
			for len(text) > 9000 {
				_, wire, text = sample(t, r, gvk, fresh)
			}
			lines.Write(append(text, '\n'))
			wires.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(wire))), wire...))
		}
	})
	golden(t, "objects.jsonl", lines.Bytes())
	golden(t, "objects.pb", wires.Bytes())

	text, err := os.ReadFile(filepath.Join(dataFolder, "pod.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := json.Unmarshal(text, &pod); err != nil {
		t.Fatal(err)
	}
	var wire bytes.Buffer
	if err := encoder.Encode(&pod, &wire); err != nil {
		t.Fatal(err)
	}
	golden(t, "pod.pb", wire.Bytes())
}

func golden(t *testing.T, name string, content []byte) {
	t.Helper()
	file := filepath.Join(dataFolder, name)
	if *update {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, content) {
		t.Errorf("%s is stale: go test ./schematest -run TestGolden -update", file)
	}
}
