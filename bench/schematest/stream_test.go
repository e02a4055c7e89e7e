package schematest

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/rawwatch/rawwatch/decode"
)

// TestLists reads lists of every kind as the API server writes them.
func TestLists(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	lists := 0
	eachKind(t, func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message) {
		if !strings.HasSuffix(gvk.Kind, "List") || !meta.IsListType(fresh()) {
			return
		}
		lists++
		obj, wire, _ := sample(t, r, gvk, fresh)
		items, err := meta.ExtractList(obj)
		if err != nil {
			t.Fatal(err)
		}
		l := decode.NewListReader(bytes.NewReader(wire), decode.Options{Encoding: decode.Protobuf, Poison: true})
		defer l.Close()
		itemKind := gvk.GroupVersion().WithKind(strings.TrimSuffix(gvk.Kind, "List"))
		for _, want := range items {
			it, err := l.Next()
			if err != nil {
				t.Fatal(err)
			}
			want.GetObjectKind().SetGroupVersionKind(itemKind)
			sameObject(t, it.Object, want)
			sameMeta(t, &it.Meta, want)
		}
		if _, err := l.Next(); err != io.EOF {
			t.Fatal(err)
		}
		m, err := meta.ListAccessor(obj)
		if err != nil {
			t.Fatal(err)
		}
		want := decode.ListMeta{Kind: gvk.Kind, APIVersion: gvk.GroupVersion().String(), ResourceVersion: m.GetResourceVersion(), Continue: m.GetContinue(), RemainingItemCount: -1}
		if n := m.GetRemainingItemCount(); n != nil {
			want.RemainingItemCount = *n
		}
		if l.Meta() != want {
			t.Errorf("%+v, want %+v", l.Meta(), want)
		}
	})
	t.Log(lists, "lists")
}

// TestWatches reads watches of every kind as the API server writes them.
func TestWatches(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	eachKind(t, func(t *testing.T, gvk schema.GroupVersionKind, fresh func() message) {
		if _, err := meta.Accessor(fresh()); err != nil {
			return
		}
		var body bytes.Buffer
		framer := protobuf.LengthDelimitedFramer.NewFrameWriter(&body)
		var objects []runtime.Object
		for range 3 {
			obj, wire, _ := sample(t, r, gvk, fresh)
			frame, err := (&metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: wire}}).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := framer.Write(frame); err != nil {
				t.Fatal(err)
			}
			objects = append(objects, obj)
		}
		e := decode.NewEventReader(&body, decode.Options{Encoding: decode.Protobuf, Poison: true})
		defer e.Close()
		for _, want := range objects {
			ev, err := e.Next()
			if err != nil || ev.Err != nil || ev.Type != decode.Modified {
				t.Fatal(err, ev)
			}
			sameObject(t, ev.Object, want)
			sameMeta(t, &ev.Meta, want)
		}
		if _, err := e.Next(); err != io.EOF {
			t.Fatal(err)
		}
	})
}

// TestStatus reads random Status objects.
func TestStatus(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Status"}
	for range 50 {
		_, wire, text := sample(t, r, gvk, func() message { return &metav1.Status{} })
		fromWire, ok1 := decode.ParseStatus(wire)
		fromText, ok2 := decode.ParseStatus(text)
		if !ok1 || !ok2 || !reflect.DeepEqual(fromWire, fromText) {
			t.Fatalf("%+v\n%+v\n%s", fromWire, fromText, text)
		}
	}
}

func sameObject(t *testing.T, wire []byte, want runtime.Object) {
	t.Helper()
	got, err := decode.ToJSON(nil, wire)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, text) {
		t.Fatalf("%s\nwant\n%s", got, text)
	}
}

func sameMeta(t *testing.T, m *decode.Meta, obj runtime.Object) {
	t.Helper()
	want, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	id := decode.Identity{Namespace: want.GetNamespace(), Name: want.GetName(), UID: string(want.GetUID()), ResourceVersion: want.GetResourceVersion()}
	apiVersion, kind := obj.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if m.Identity() != id || string(m.Kind) != kind || string(m.APIVersion) != apiVersion {
		t.Fatalf("%s %s %+v, want %s %s %+v", m.APIVersion, m.Kind, m.Identity(), apiVersion, kind, id)
	}
}
