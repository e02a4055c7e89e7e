package checkpointtest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// State is the state of one watch as a value that can be compared: what a test
// expects of [resume.Checkpoint.Load].
type State struct {
	ResourceVersion string
	// Objects is "uid version bytes" by key.
	Objects map[decode.Key]string
}

// Fold reads a saved state to its end. It is an error when a key comes twice.
func Fold(s *resume.Saved) (State, error) {
	state := State{ResourceVersion: s.ResourceVersion, Objects: map[decode.Key]string{}}
	for r, err := range s.Objects {
		if err != nil {
			return state, err
		}
		key := r.Meta.Identity().Key()
		if _, twice := state.Objects[key]; twice {
			return state, fmt.Errorf("%v comes twice", key)
		}
		if r.Deleted {
			return state, fmt.Errorf("%v comes as deleted", key)
		}
		state.Objects[key] = describe(&r)
	}
	return state, nil
}

// Load loads a watch and folds it.
func Load(ctx context.Context, c resume.Checkpoint, watch string) (State, error) {
	saved, err := c.Load(ctx, watch)
	if err != nil {
		return State{}, err
	}
	return Fold(saved)
}

func describe(r *resume.Record) string {
	object := string(r.Object)
	if r.Object == nil {
		object = "(none)"
	}
	return fmt.Sprintf("%s %s %s", r.Meta.UID, r.Meta.ResourceVersion, object)
}

// Apply changes the state as a commit of the batch does.
func (s *State) Apply(b *resume.Batch, resourceVersion string) error {
	if resourceVersion != "" {
		s.ResourceVersion = resourceVersion
	}
	if b == nil {
		return nil
	}
	reader := resume.BatchReader{Data: b.Bytes()}
	var r resume.Record
	for {
		more, err := reader.Next(&r)
		if !more || err != nil {
			return err
		}
		if key := r.Meta.Identity().Key(); r.Deleted {
			delete(s.Objects, key)
		} else {
			s.Objects[key] = describe(&r)
		}
	}
}

// Clone is a copy that shares nothing.
func (s *State) Clone() State {
	return State{s.ResourceVersion, maps.Clone(s.Objects)}
}

// Diff is "" when the states are equal, and otherwise says where they differ.
func (s *State) Diff(want State) string {
	if s.ResourceVersion != want.ResourceVersion {
		return fmt.Sprintf("version %q, want %q", s.ResourceVersion, want.ResourceVersion)
	}
	for key, object := range want.Objects {
		if got, ok := s.Objects[key]; !ok {
			return fmt.Sprintf("%v is missing", key)
		} else if got != object {
			return fmt.Sprintf("%v is %.80q, want %.80q", key, got, object)
		}
	}
	if len(s.Objects) != len(want.Objects) {
		return fmt.Sprintf("%d objects, want %d", len(s.Objects), len(want.Objects))
	}
	return ""
}

// Pod fills r with the state of pod number n at a version. Its object is what
// an agent keeps of a pod: five fields as JSON.
func Pod(r *resume.Record, n, version int) {
	*r = resume.Record{Meta: decode.Meta{
		Namespace:       fmt.Appendf(nil, "team-%02d", n%20),
		Name:            fmt.Appendf(nil, "web-%d-7d9c5b8f4-%05x", n%300, uint32(n)*2654435761>>12),
		UID:             fmt.Appendf(nil, "%08x-%04x-4%03x-a%03x-%012x", uint32(n)*2246822519, uint16(n*31), n*7&0xfff, n*13&0xfff, uint64(n)*0x9E3779B97F4A7C15>>16),
		ResourceVersion: fmt.Append(nil, version),
	}}
	phase := [...]string{"Pending", "Running", "Succeeded", "Failed"}[version%4]
	r.Object = fmt.Appendf(nil, `{"metadata":{"namespace":%q,"name":%q,"uid":%q,"resourceVersion":"%d"},"spec":{"nodeName":"node-%d"},"status":{"phase":%q,"podIP":"10.%d.%d.%d"}}`,
		r.Meta.Namespace, r.Meta.Name, r.Meta.UID, version, n%100, phase, n>>16&255, n>>8&255, n&255)
}

// Pods yields pods 0 to n-1 at versions 1 to n.
func Pods(n int) iter.Seq2[resume.Record, error] {
	return func(yield func(resume.Record, error) bool) {
		var r resume.Record
		for i := range n {
			if Pod(&r, i, i+1); !yield(r, nil) {
				return
			}
		}
	}
}

// PodsIdentity is the identity of a watch of all pods.
func PodsIdentity(watch string) resume.WatchIdentity {
	return resume.WatchIdentity{
		Watch: watch, Cluster: "2f1c7d1e-9a44-4c6f-8d8e-3b1f0a5c7e11", Version: "v1",
		Resource: "pods", Schema: "5-fields", Format: "json",
	}
}

// Churn makes commits as a cluster does: states of few objects out of many,
// deletions, odd uids and versions, now and then nothing but a version. The
// same seed gives the same commits.
type Churn struct {
	rand    *rand.Rand
	objects int
	version int
}

// NewChurn changes objects many objects.
func NewChurn(seed uint64, objects int) *Churn {
	return &Churn{rand: rand.New(rand.NewPCG(seed, 0)), objects: objects, version: objects}
}

// Next fills an empty batch with up to most changes, and gives the version
// that goes with them.
func (c *Churn) Next(b *resume.Batch, most int) (resourceVersion string) {
	var r resume.Record
	for range c.rand.IntN(most + 1) {
		c.version++
		Pod(&r, c.rand.IntN(c.objects), c.version)
		switch c.rand.IntN(12) {
		case 0:
			r.Deleted = true
		case 1:
			r.Object = nil
		case 2:
			r.Meta.UID = []byte("an-odd-uid")
		case 3:
			r.Meta.ResourceVersion = []byte("opaque-" + fmt.Sprint(c.version))
		case 4:
			r.Object = []byte{}
		case 5:
			r.Meta.Namespace = nil
		}
		b.Add(&r)
	}
	c.version++
	return fmt.Sprint(c.version)
}

// Keys are the keys of a state in order, for messages.
func (s *State) Keys() []decode.Key {
	return slices.SortedFunc(maps.Keys(s.Objects), func(a, b decode.Key) int {
		return slices.Compare([]string{a.Namespace, a.Name}, []string{b.Namespace, b.Name})
	})
}
