package rawwatch_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

// placed is what the typed tests decode.
type placed struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   decode.Identity `json:"metadata"`
	Spec       struct {
		NodeName   string `json:"nodeName"`
		Containers []struct {
			Name string `json:"name"`
		} `json:"containers"`
	} `json:"spec"`
}

func typedValues[T any](w *world, o rawwatch.ListOptions) (all []T) {
	w.Helper()
	for v, err := range rawwatch.ListAs[T](w.Context(), w.client, rawwatch.Pods.Query(), o) {
		if err != nil {
			w.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// TestTypedInBothEncodings: the same T has the same value, whatever the wire
// speaks, and kind and apiVersion even where the items do not say them.
func TestTypedInBothEncodings(t *testing.T) {
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		for _, name := range []string{"a", "b"} {
			w.create(pods, "n", name, `"spec":{"nodeName":"x","containers":[{"name":"main","image":"i"},{"name":"side","image":"j"}]}`)
		}
		wire := typedValues[placed](w, rawwatch.ListOptions{PageLimit: 1})
		text := typedValues[placed](w, rawwatch.ListOptions{Encoding: rawwatch.EncodingJSON})
		if len(wire) != 2 || !reflect.DeepEqual(wire, text) {
			w.Errorf("protobuf: %+v\nJSON: %+v", wire, text)
		}
		if v := wire[1]; v.Kind != "Pod" || v.APIVersion != "v1" || v.Metadata.Name != "b" || v.Spec.NodeName != "x" || len(v.Spec.Containers) != 2 {
			w.Errorf("got %+v", v)
		}
		if a, b := w.asked("list"), w.requests("list")[2].Header.Get("Accept"); a == b {
			w.Errorf("both were asked for with %s", a)
		}
	})
}

// TestFieldThatProtobufDoesNotKnow: a T with a path that is not in the table is
// read as JSON, and the status says why; it is never silently zero.
func TestFieldThatProtobufDoesNotKnow(t *testing.T) {
	type newer struct {
		Metadata decode.Identity `json:"metadata"`
		Spec     struct {
			NodeName string `json:"nodeName"`
			Newer    string `json:"newerThanTheTable"`
		} `json:"spec"`
	}
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		w.create(pods, "n", "a", `"spec":{"nodeName":"x","newerThanTheTable":"there"}`)
		r := rawwatch.NewReflector(w.client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{})
		for e, err := range rawwatch.EventsAs[newer](w.Context(), r) {
			if err != nil {
				w.Fatal(err)
			}
			if e.Type == rawwatch.Synced {
				break
			}
			if e.Value.Spec.Newer != "there" || e.Value.Spec.NodeName != "x" {
				w.Errorf("got %+v", e.Value)
			}
		}
		var unknown *decode.UnknownError
		s := r.Status()
		if !errors.As(s.Plain, &unknown) || !slices.Equal(unknown.Paths, []string{"spec.newerThanTheTable"}) || s.Encoding != decode.JSON {
			w.Errorf("status: encoding %v, plain %v", s.Encoding, s.Plain)
		}
	})
}

// TestObjectThatDoesNotFit: it comes with its key, its error and its bytes, and
// the others flow.
func TestObjectThatDoesNotFit(t *testing.T) {
	type sized struct {
		Spec struct {
			Size int `json:"size"`
		} `json:"spec"`
	}
	inProtobufWorld(t, watchtest.Options{}, func(w *world) {
		w.server.Register(gadgets)
		w.create(gadgets, "n", "a", `"spec":{"size":1}`)
		w.create(gadgets, "n", "b", `"spec":{"size":"two"}`)
		w.create(gadgets, "n", "c", `"spec":{"size":3}`)
		var sizes []int
		for e, err := range rawwatch.ListWatchAs[sized](w.Context(), w.client, customGadgets.Query(), rawwatch.ListWatchOptions{}) {
			if err != nil {
				w.Fatal(err)
			}
			if e.Type == rawwatch.Synced {
				break
			}
			var problem *decode.ObjectError
			if bad := e.Object.Name == "b"; bad != errors.As(e.Err, &problem) {
				w.Errorf("%s: %v", e.Object.Key(), e.Err)
			} else if bad && (problem.Path != "spec.size" || problem.Key != e.Object.Key() || len(e.Object.Raw) == 0) {
				w.Errorf("%+v, %d bytes", problem, len(e.Object.Raw))
			}
			sizes = append(sizes, e.Value.Spec.Size)
		}
		if !slices.Equal(sizes, []int{1, 0, 3}) {
			w.Errorf("sizes %v", sizes)
		}
	})
}

// TestTypeThatCannotBeDecodedInto ends the iteration at once.
func TestTypeThatCannotBeDecodedInto(t *testing.T) {
	inWorld(t, watchtest.Options{}, func(w *world) {
		var wrong *decode.TypeError
		for _, err := range rawwatch.ListWatchAs[chan int](w.Context(), w.client, rawwatch.Pods.Query(), rawwatch.ListWatchOptions{}) {
			if !errors.As(err, &wrong) {
				w.Errorf("ListWatchAs: %v", err)
			}
		}
		for _, err := range rawwatch.ListAs[func()](w.Context(), w.client, rawwatch.Pods.Query(), rawwatch.ListOptions{}) {
			if !errors.As(err, &wrong) {
				w.Errorf("ListAs: %v", err)
			}
		}
		if len(w.server.Journal()) != 0 {
			w.Error("something was sent")
		}
	})
}
