package watchtest

import (
	"encoding/json"
	"time"
)

// included is what the rows of a Table carry of their objects beside the cells
// (parameter includeObject).
type included string

const (
	includeMetadata included = "Metadata"
	includeObject   included = "Object"
	includeNone     included = "None"
)

// included reads the parameter; "" is Metadata.
func (c *call) included() (included, *StatusError) {
	switch in := included(c.query.Get("includeObject")); in {
	case "":
		return includeMetadata, nil
	case includeMetadata, includeObject, includeNone:
		return in, nil
	default:
		return "", badRequest("Unable to convert to Table as requested: includeObject: Invalid value: %q: must be 'Metadata', 'Object', 'None', or empty", string(in))
	}
}

// table is a Table under way.
type table struct {
	Kind       string            `json:"kind"`
	APIVersion string            `json:"apiVersion"`
	Metadata   json.RawMessage   `json:"metadata"`
	Columns    []column          `json:"columnDefinitions"` // null in all but the first frame of a watch
	Rows       []json.RawMessage `json:"rows"`
}

// newTable is a Table without rows; metadata is that of a list.
func newTable(apiVersion string, metadata []byte, columns []column) *table {
	return &table{Kind: "Table", APIVersion: apiVersion, Metadata: metadata, Columns: columns, Rows: []json.RawMessage{}}
}

// add appends the row of an object. The object is given whole, and as its
// metadata.
func (t *table) add(columns []column, whole, slim []byte, in included, now time.Time) {
	row := struct {
		Cells  []any           `json:"cells"`
		Object json.RawMessage `json:"object"`
	}{Object: []byte("null")}
	r := readRow(whole, now)
	for _, c := range columns {
		row.Cells = append(row.Cells, c.cell(r))
	}
	switch in {
	case includeMetadata:
		row.Object = slim
	case includeObject:
		row.Object = whole
	}
	t.Rows = append(t.Rows, marshal(row))
}

// answerTable answers with objects as a Table.
func (c *call) answerTable(code int, p page, f form) error {
	in, refusal := c.included()
	if refusal != nil {
		return refusal
	}
	columns, now := c.collection.resource.columns(), time.Now()
	t := newTable(f.meta, p.metadata(true), columns)
	for _, o := range p.objects {
		t.add(columns, o.body, o.metadataOnly(f.meta), in, now)
	}
	document := append(marshal(t), '\n')
	c.beginBody(code, len(document), f)
	_, err := c.body.Write(document)
	return err
}

// tableFrame is a frame of a watch: a Table of one row.
func (s *stream) tableFrame(eventType string, revision uint64, whole, slim []byte, in included) []byte {
	columns := s.collection.resource.columns()
	shown := columns
	if s.columnsSent {
		shown = nil
	}
	s.columnsSent = true
	t := newTable(s.watch.form.meta, page{revision: revision, remaining: -1}.metadata(true), shown)
	t.add(columns, whole, slim, in, time.Now())
	return Frame(eventType, marshal(t))
}
