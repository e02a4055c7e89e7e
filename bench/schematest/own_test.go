package schematest

import (
	"math/rand"
	"reflect"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/decode"
)

// Types as users write them, with this package's own values in place of the
// API's.

type ownPod struct {
	Kind     string `json:"kind"`
	Metadata struct {
		decode.Identity
		Created decode.Time        `json:"creationTimestamp"`
		Deleted *decode.Time       `json:"deletionTimestamp"`
		Labels  *map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Containers []struct {
			Name  string `json:"name"`
			Ports []struct {
				Port int `json:"containerPort"`
			} `json:"ports"`
			Resources struct {
				Limits   map[string]decode.Quantity  `json:"limits"`
				Requests map[string]*decode.Quantity `json:"requests"`
			} `json:"resources"`
			Liveness *struct {
				Get *struct {
					Port decode.IntOrString `json:"port"`
				} `json:"httpGet"`
				Grace *int64 `json:"terminationGracePeriodSeconds"`
			} `json:"livenessProbe"`
		} `json:"containers"`
		NodeName string `json:"nodeName"`
		Host     *bool  `json:"hostNetwork"`
		Volumes  []struct {
			Name string `json:"name"`
			NFS  *struct {
				Path string `json:"path"`
			} `json:"nfs"`
			Empty any `json:"emptyDir"`
		} `json:"volumes"`
	} `json:"spec"`
	Status struct {
		Phase      *string `json:"phase"`
		Conditions []struct {
			Type  string       `json:"type"`
			Since decode.Time  `json:"lastTransitionTime"`
			Probe *decode.Time `json:"lastProbeTime"`
		} `json:"conditions"`
	} `json:"status"`
}

type ownLease struct {
	Metadata decode.Identity `json:"metadata"`
	Spec     struct {
		Holder   string            `json:"holderIdentity"`
		Renewed  decode.MicroTime  `json:"renewTime"`
		Acquired *decode.MicroTime `json:"acquireTime"`
		Seconds  uint64            `json:"leaseDurationSeconds"`
	} `json:"spec"`
}

// TestOwnTypes decodes random objects into such types from both encodings, and
// looks at some values.
func TestOwnTypes(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	leases, pods := coordinationv1.SchemeGroupVersion.WithKind("Lease"), corev1.SchemeGroupVersion.WithKind("Pod")
	decoded := 0
	for range 20 * rounds {
		obj, v := both[ownLease](t, r, leases, func() message { return &coordinationv1.Lease{} })
		if v == nil {
			continue // a negative number of seconds
		}
		decoded++
		if at := obj.(*coordinationv1.Lease).Spec.RenewTime; at != nil && !at.Time.Equal(v.Spec.Renewed.Time) {
			t.Fatalf("%v, want %v", v.Spec.Renewed, at)
		}
	}
	for range 20 * rounds {
		obj, v := both[ownPod](t, r, pods, func() message { return &corev1.Pod{} })
		decoded++
		for i, c := range obj.(*corev1.Pod).Spec.Containers {
			for name, want := range c.Resources.Limits {
				if got := v.Spec.Containers[i].Resources.Limits[string(name)]; got.String() != want.String() {
					t.Fatalf("%s, want %s", got, want.String())
				}
			}
		}
	}
	if decoded < 20*rounds {
		t.Errorf("only %d objects", decoded)
	}
}

// both decodes one random object from both encodings; v is nil when it cannot
// be from either.
func both[T any](t *testing.T, r *rand.Rand, gvk schema.GroupVersionKind, fresh func() message) (obj message, v *T) {
	t.Helper()
	obj, wire, text := sample(t, r, gvk, fresh)
	a, known, err1 := typed[T](text, gvk)
	b, _, err2 := typed[T](wire, gvk)
	if known != nil || (err1 == nil) != (err2 == nil) {
		t.Fatalf("%v; JSON %v, protobuf %v", known, err1, err2)
	}
	if err1 != nil {
		return obj, nil
	}
	if !reflect.DeepEqual(a, b) {
		t.Fatalf("%+v\nprotobuf\n%+v\n%s", a, b, text)
	}
	return obj, a.(*T)
}
