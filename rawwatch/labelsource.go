package rawwatch

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/rawwatch/rawwatch/decode"
)

// labelSource says where the labels of a store's items are.
type labelSource[T any] struct {
	field []int       // of T, a map[string]string, if it has metadata.labels
	kept  *labelCache // where they are kept beside the value
}

func labelsOf[T any](keep bool) (labelSource[T], error) {
	if keep {
		kept, err := newLabelCache()
		return labelSource[T]{kept: kept}, err
	}
	return labelSource[T]{field: labelField(reflect.TypeFor[T]())}, nil
}

// known reports whether labels can be had at all.
func (l labelSource[T]) known() bool { return l.kept != nil || l.field != nil }

// get returns one label of an item.
func (l labelSource[T]) get(item *Item[T], key string) (value string, ok bool) {
	if l.field == nil {
		return item.Labels().Get(key)
	}
	v, err := reflect.ValueOf(&item.Value).Elem().FieldByIndexErr(l.field)
	if err != nil {
		return "", false // an embedded pointer is nil
	}
	labels, _ := v.Interface().(map[string]string)
	value, ok = labels[key]
	return value, ok
}

// read returns what an item has beside its value.
func (l labelSource[T]) read(raw []byte) (*itemMore, error) {
	if l.kept == nil {
		return nil, nil
	}
	return l.kept.read(raw)
}

// labelField finds the field metadata.labels of T, or nil.
func labelField(t reflect.Type) []int {
	metadata, ok := fieldNamed(t, "metadata")
	if !ok {
		return nil
	}
	labels, ok := fieldNamed(metadata.Type, "labels")
	if !ok || labels.Type != reflect.TypeFor[map[string]string]() {
		return nil
	}
	return append(append([]int(nil), metadata.Index...), labels.Index...)
}

// fieldNamed finds the exported field of a struct that has this name in JSON.
func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && tag == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// labeled is what is decoded to keep labels.
type labeled struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
}

// maxLabelSets bounds how many sets of labels are remembered to be shared.
const maxLabelSets = 4096

// labelCache reads labels, and shares equal sets of them: most objects come
// from a template with many others.
type labelCache struct {
	plan *decode.Plan[labeled]

	mu    sync.Mutex
	known map[string]*itemMore
	text  []byte
}

func newLabelCache() (*labelCache, error) {
	plan, err := decode.For[labeled]()
	return &labelCache{plan: plan, known: map[string]*itemMore{}}, err
}

// read returns the labels of an object, or nil if it has none.
func (c *labelCache) read(raw []byte) (*itemMore, error) {
	var l labeled
	if err := c.plan.Decode(raw, &l); err != nil || len(l.Metadata.Labels) == 0 {
		return nil, err
	}
	set := make(labelSet, 0, 2*len(l.Metadata.Labels))
	for _, key := range slices.Sorted(maps.Keys(l.Metadata.Labels)) {
		set = append(set, key, l.Metadata.Labels[key])
	}
	return c.share(set), nil
}

// share returns the one that equals the set, or makes it the one.
func (c *labelCache) share(set labelSet) *itemMore {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text = c.text[:0]
	for _, s := range set {
		c.text = append(append(c.text, s...), '\n') // no label holds one
	}
	if more := c.known[string(c.text)]; more != nil {
		return more
	}
	if len(c.known) >= maxLabelSets {
		clear(c.known)
	}
	more := &itemMore{labels: set}
	c.known[string(c.text)] = more
	return more
}
