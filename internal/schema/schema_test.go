package schema

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"
)

// table is what the blocks hold.
func table() string {
	var text []byte
	var r reading
	for _, b := range blocks {
		text = append(text, r.inflate(b)...)
	}
	return string(text)
}

// names are the messages of the table, in its order.
func names() (all []string) {
	for line := range strings.Lines(table()) {
		if line[0] != ' ' {
			name, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			all = append(all, name)
		}
	}
	return all
}

func byNumber(t *Type, number int) *Field {
	if i := t.Index(number); i >= 0 {
		return &t.Fields[i]
	}
	return nil
}

// TestPacked: what is linked is the table that can be read and compared.
func TestPacked(t *testing.T) {
	want, err := os.ReadFile("table.txt")
	if err != nil {
		t.Fatal(err)
	}
	if table() != string(want) {
		t.Error("table.bin does not hold table.txt; run go run ./cmd/schemagen in bench")
	}
	var before string
	var r reading
	for i, b := range blocks {
		text := string(r.inflate(b))
		if before >= b.first || !strings.HasPrefix(text, b.first+" ") && !strings.HasPrefix(text, b.first+"\n") {
			t.Errorf("block %d says it begins with %q, behind %q", i, b.first, before)
		}
		before = b.first
	}
}

// TestInflatedIsLetGo: what has been read of the table is not kept for good.
func TestInflatedIsLetGo(t *testing.T) {
	if len(blockOf("v1.Pod")) == 0 {
		t.Fatal("the block of v1.Pod is empty")
	}
	for range 2 {
		runtime.GC()
	}
	current.Lock()
	defer current.Unlock()
	if current.reading.Value() != nil {
		t.Error("the block is still there")
	}
}

// BenchmarkFirstLookup is what the first message costs whose block is not there.
func BenchmarkFirstLookup(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		current.Lock()
		current.reading = weak.Pointer[reading]{}
		current.Unlock()
		if _, ok := find("v1.PodSpec"); !ok {
			b.Fatal("v1.PodSpec is not there")
		}
	}
}

// TestTable checks what parse relies on.
func TestTable(t *testing.T) {
	all := names()
	if len(all) < 1000 || !slices.IsSorted(all) || len(slices.Compact(all)) != len(all) {
		t.Fatalf("%d messages; sorted %v", len(all), slices.IsSorted(all))
	}
	for _, name := range all {
		m, ok := Lookup(name)
		if !ok {
			t.Errorf("%s is not found", name)
			continue
		}
		seen := map[int]bool{}
		for _, f := range m.Fields {
			if f.Number <= 0 || seen[f.Number] || byNumber(m, f.Number).Name != f.Name || (f.Name == "") != f.Inline {
				t.Errorf("%s: %+v", name, f)
			}
			seen[f.Number] = true
			if f.Kind != Message {
				continue
			}
			if _, ok := Lookup(f.Ref); !ok {
				t.Errorf("%s.%s refers to %s, which is not there", name, f.Name, f.Ref)
			}
			if f.Inline && f.Shape > Pointer {
				t.Errorf("%s: an inlined field of shape %d", name, f.Shape)
			}
		}
	}
}

// TestReadersAssumptions checks the few numbers that readers know by heart,
// since they need no table: metadata and items of everything that is listed.
func TestReadersAssumptions(t *testing.T) {
	lists := 0
	for _, name := range names() {
		m, _ := Lookup(name)
		items := slices.IndexFunc(m.Fields, func(f Field) bool { return f.Name == "items" && f.Shape == List })
		if !m.isKind || !strings.HasSuffix(name, "List") || items < 0 {
			continue
		}
		lists++
		if m.Fields[items].Number != 2 || byNumber(m, 1).Ref != metaGroup+".ListMeta" {
			t.Errorf("%s: %+v", name, m.Fields)
		}
		if m.Fields[items].Kind != Message { // v1.List holds objects of any kind
			continue
		}
		item, _ := Lookup(m.Fields[items].Ref)
		if f := byNumber(item, 1); f == nil || f.Name != "metadata" || f.Ref != metaGroup+".ObjectMeta" {
			t.Errorf("%s: %+v", item.Name, f)
		}
	}
	if lists < 100 {
		t.Errorf("only %d lists", lists)
	}
	for path, number := range map[string]int{
		"ObjectMeta.name": 1, "ObjectMeta.namespace": 3, "ObjectMeta.uid": 5, "ObjectMeta.resourceVersion": 6, "ObjectMeta.annotations": 12,
		"ListMeta.resourceVersion": 2, "ListMeta.continue": 3, "ListMeta.remainingItemCount": 4,
		"Status.metadata": 1, "Status.status": 2, "Status.message": 3, "Status.reason": 4, "Status.details": 5, "Status.code": 6,
		"StatusDetails.name": 1, "StatusDetails.group": 2, "StatusDetails.kind": 3, "StatusDetails.causes": 4, "StatusDetails.retryAfterSeconds": 5, "StatusDetails.uid": 6,
		"StatusCause.reason": 1, "StatusCause.message": 2, "StatusCause.field": 3,
		"WatchEvent.type": 1, "WatchEvent.object": 2,
	} {
		message, field, _ := strings.Cut(path, ".")
		m, ok := Lookup(metaGroup + "." + message)
		if !ok || byNumber(m, number) == nil || byNumber(m, number).Name != field {
			t.Errorf("%s is not %d", path, number)
		}
	}
}

func TestObject(t *testing.T) {
	for _, c := range []struct {
		apiVersion, kind, message string
	}{
		{"v1", "Pod", "v1.Pod"},
		{"apps/v1", "Deployment", "apps/v1.Deployment"},
		{"v1", "Status", metaGroup + ".Status"},
		{metaGroup, "PartialObjectMetadata", metaGroup + ".PartialObjectMetadata"},
		{"v1", "PodSpec", ""},
		{"v1", "Deployment", ""},
		{"example.com/v1", "Gadget", ""},
		{"", "", ""},
		{"zzz", "Z", ""},
		{"v1", "Pod\n metadata", ""},
	} {
		m, ok := Object(c.apiVersion, c.kind)
		if ok != (c.message != "") || ok && m.Name != c.message {
			t.Errorf("%s %s: %v, %v", c.apiVersion, c.kind, m, ok)
		}
	}
}

func TestFields(t *testing.T) {
	m, _ := Lookup("apps/v1.DeploymentSpec")
	want := []Field{
		{Name: "replicas", Number: 1, Kind: Int32, Shape: Pointer, OmitEmpty: true},
		{Name: "selector", Number: 2, Shape: Pointer, Ref: metaGroup + ".LabelSelector"},
		{Name: "template", Number: 3, Ref: "v1.PodTemplateSpec"},
	}
	if !slices.Equal(m.Fields[:3], want) {
		t.Errorf("%+v", m.Fields)
	}
	m, _ = Lookup("v1.Volume")
	if f := byNumber(m, 2); !f.Inline || f.Ref != "v1.VolumeSource" {
		t.Errorf("%+v", f)
	}
	m, _ = Lookup("apiextensions.k8s.io/v1.JSONSchemaPropsOrBool")
	if m.Form != OrBool {
		t.Errorf("%+v", m)
	}
}
