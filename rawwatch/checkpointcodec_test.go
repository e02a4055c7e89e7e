package rawwatch

import (
	"compress/flate"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/decode"
)

// TestCheckpointCodecBringsBack: what a store keeps of an object comes back as
// it was: value, labels, and error.
func TestCheckpointCodecBringsBack(t *testing.T) {
	bringsBack(t, StoreOptions[thing]{KeepLabels: true})
	bringsBack(t, StoreOptions[RawObject]{Keep: KeepRaw()})
	packed, err := KeepCompressed(flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	bringsBack(t, StoreOptions[CompressedObject]{Keep: packed})
	bringsBack(t, StoreOptions[struct{}]{Keep: KeepIdentity(), KeepLabels: true})
	type custom struct {
		At    time.Time
		Nodes map[string][]int
	}
	bringsBack(t, StoreOptions[custom]{Keep: func(o Object, c *custom) error {
		*c = custom{At: time.Unix(7, 0).UTC(), Nodes: map[string][]int{o.Name: {1, 2}}}
		return nil
	}})
	bringsBack(t, StoreOptions[thing]{Keep: func(Object, *thing) error { return errors.New("unclear") }})
}

func bringsBack[T any](t *testing.T, o StoreOptions[T]) {
	t.Helper()
	s, err := NewStore(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Apply(thingEvent(Added, CauseStream, "n", "a", "u", 1, "node-<1>"), nil)
	item, _ := s.Get(aKey)
	codec, err := codecFor[T](nil, o.Keep == nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := codec.encode([]byte("before"), item)
	if err != nil || string(data[:6]) != "before" {
		t.Fatal(string(data), err)
	}
	data = data[6:]
	again := &Item[T]{Identity: item.Identity}
	if err := codec.read(data, again, s.labels.share); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(item.Value, again.Value) || !reflect.DeepEqual(item.Labels(), again.Labels()) {
		t.Errorf("%+v came back as %+v", item.Value, again.Value)
	}
	if was, is := item.Err(), again.Err(); (was == nil) != (is == nil) || was != nil && was.Error() != is.Error() {
		t.Errorf("error %v came back as %v", was, is)
	}
	for n := range data { // nothing that is cut off is read as if it were whole, nor panics
		cut := &Item[T]{Identity: item.Identity}
		if err := codec.read(data[:n:n], cut, s.labels.share); err == nil && codec.format == "json" {
			t.Errorf("%d of %d bytes are read", n, len(data))
		}
	}
}

// TestCheckpointTypes: a type that would lose something is refused.
func TestCheckpointTypes(t *testing.T) {
	refused := func(problem string, err error) {
		t.Helper()
		var e *CheckpointTypeError
		if !errors.As(err, &e) || !strings.Contains(e.Problem, problem) {
			t.Errorf("%q: %v", problem, err)
		}
	}
	_, err := codecFor[struct{ hidden int }](nil, false)
	refused("hidden is not exported", err)
	_, err = codecFor[struct {
		Out int `json:"-"`
	}](nil, false)
	refused("Out is left out", err)
	_, err = codecFor[struct{ Any []any }](nil, false)
	refused("interface", err)
	if _, err := codecFor(&CheckpointCodec[int]{}, false); !errors.As(err, new(*OptionError)) {
		t.Errorf("an empty codec: %v", err)
	}
	type chain struct{ Next *chain }
	if _, err := codecFor[chain](nil, false); err != nil {
		t.Errorf("a list: %v", err)
	}
}

// TestCheckpointSchema: what a T means is in its name.
func TestCheckpointSchema(t *testing.T) {
	type one struct {
		A string `json:"a"`
	}
	type two struct {
		B string `json:"a"`
	}
	type three struct {
		A string `json:"b"`
	}
	type self struct{ Next []self }
	names := map[string]string{}
	for what, name := range map[string]string{
		"one": schemaOf[one]("", false), "two": schemaOf[two]("", false), "three": schemaOf[three]("", false),
		"version": schemaOf[one]("2", false), "labels": schemaOf[one]("", true), "self": schemaOf[self]("", false),
		"identity": schemaOf[decode.Identity]("", false),
	} {
		if other, twice := names[name]; twice {
			t.Errorf("%s and %s have one name", what, other)
		}
		names[name] = what
	}
	const once = "468dc2740c21d0979eb6fa35b7f61e80" // files that exist have it
	if name := schemaOf[struct{}]("", false); name != once {
		t.Errorf("the name is another than it was: %s", name)
	}
}
