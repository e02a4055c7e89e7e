package rawwatch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/rawwatch/rawwatch/decode"
)

// TableColumn says what one cell of each [TableRow] is, as the server defines
// it for the kind.
type TableColumn struct {
	Name string `json:"name"`
	// Type and Format as of OpenAPI, such as "string" and "name".
	Type   string `json:"type"`
	Format string `json:"format"`
	// Priority is 0 for what kubectl always shows, and more for what only
	// "-o wide" shows.
	Priority int32 `json:"priority"`
}

// TableRow is one object as the server would print it.
type TableRow struct {
	// Columns of the row; shared by all rows, not to be written to.
	Columns []TableColumn
	// Cells as text, one for each column. An empty text stands for null.
	Cells []string
}

// TableEvent is an [Event] with the object's row. Object.Raw is the row as it
// was sent, a JSON object with "cells" and the object's metadata. Row is zero
// for Synced, Bookmark and stubs.
type TableEvent struct {
	Event
	Row TableRow
}

// ListTable is [Client.List] that yields what the server prints of the objects
// (see "Receiving resources as Tables" in the Kubernetes API concepts). The
// options' Encoding and MetadataOnly do not apply: a Table is JSON. Each page is
// in memory as a whole, at most [MaxDocument] bytes of it. A server that knows
// no Tables is an error, a [*NoTableError].
func (c *Client) ListTable(ctx context.Context, q Query, o ListOptions) iter.Seq2[TableEvent, error] {
	return func(yield func(TableEvent, error) bool) {
		t := &tables{client: c, query: q}
		for object, err := range c.list(ctx, q, o, t.form()) {
			e := TableEvent{Event: Event{Type: Added, Cause: CauseList, Object: object}}
			if err == nil {
				e.Row, err = t.row(object.Raw)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// TableEvents yields the events of a [Reflector] with the row that the server
// prints of each object. As [Reflector.Events] it can be called once.
func TableEvents(ctx context.Context, r *Reflector) iter.Seq2[TableEvent, error] {
	return func(yield func(TableEvent, error) bool) {
		t := &tables{client: r.client, query: r.query}
		r.asked = t.form()
		for event, err := range r.Events(ctx) {
			e := TableEvent{Event: event}
			if err == nil && e.Err == nil && event.Object.Raw != nil {
				e.Row, e.Err = t.row(event.Object.Raw)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// NoTableError is a server that answers with objects where a Table was asked
// for.
type NoTableError struct {
	// Kind that it answered with.
	Kind string
}

// Error implements error.
func (e *NoTableError) Error() string {
	return fmt.Sprintf("the server sends %q in place of a Table; print names or JSON instead", e.Kind)
}

// tables reads Tables in place of lists and of frames' objects.
type tables struct {
	client  *Client
	query   Query
	columns []TableColumn // of the last Table that had some
}

func (t *tables) form() form { return form{rows: t} }

// table is what is read of a Table; the rows stay as they are.
type table struct {
	Kind     string `json:"kind"`
	Metadata struct {
		ResourceVersion    string `json:"resourceVersion"`
		Continue           string `json:"continue"`
		RemainingItemCount *int64 `json:"remainingItemCount"`
	} `json:"metadata"`
	ColumnDefinitions []TableColumn     `json:"columnDefinitions"`
	Rows              []json.RawMessage `json:"rows"`
}

func (t *tables) parse(body []byte) (table, error) {
	var parsed table
	if err := json.Unmarshal(body, &parsed); err != nil {
		return parsed, &decode.ObjectError{Token: "no JSON that can be read", Want: "a Table", Err: err}
	}
	if parsed.Kind != "Table" {
		return parsed, &NoTableError{Kind: clip(parsed.Kind)}
	}
	// Only the first frame of a watch defines them.
	if len(parsed.ColumnDefinitions) > 0 {
		t.columns = parsed.ColumnDefinitions
	}
	return parsed, nil
}

// page reads one page of a list.
func (t *tables) page(body io.Reader, item func(*decode.Item) bool) (meta decode.ListMeta, more bool, err error) {
	text, err := io.ReadAll(io.LimitReader(body, MaxDocument+1))
	if err == nil && len(text) > MaxDocument {
		err = &DocumentLimitError{Limit: MaxDocument}
	}
	if err != nil {
		return meta, false, err
	}
	parsed, err := t.parse(text)
	if err != nil {
		return meta, false, err
	}
	for _, raw := range parsed.Rows {
		next := decode.Item{Object: raw}
		next.Err = metaOfRow(raw, &next.Meta)
		if !item(&next) {
			return meta, false, nil
		}
	}
	meta = decode.ListMeta{
		Kind: parsed.Kind, ResourceVersion: parsed.Metadata.ResourceVersion,
		Continue: parsed.Metadata.Continue, RemainingItemCount: -1,
	}
	if n := parsed.Metadata.RemainingItemCount; n != nil {
		meta.RemainingItemCount = *n
	}
	return meta, true, nil
}

// frame puts the one row of a frame's Table, and who it is, in place of the
// Table.
func (t *tables) frame(frame *decode.Event) error {
	parsed, err := t.parse(frame.Object)
	if err != nil {
		return err
	}
	if len(parsed.Rows) == 0 && frame.Type == decode.Bookmark {
		frame.Meta.ResourceVersion = []byte(parsed.Metadata.ResourceVersion)
		return nil
	}
	if len(parsed.Rows) != 1 {
		return &FrameTypeError{Type: fmt.Sprintf("%s with a Table of %d rows", clip(string(frame.Type)), len(parsed.Rows))}
	}
	frame.Object = parsed.Rows[0]
	frame.Err = metaOfRow(frame.Object, &frame.Meta)
	if len(frame.Meta.ResourceVersion) == 0 {
		frame.Meta.ResourceVersion = []byte(parsed.Metadata.ResourceVersion)
	}
	return nil
}

// row is what is printed of a row.
type row struct {
	Cells  []json.RawMessage `json:"cells"`
	Object json.RawMessage   `json:"object"`
}

func metaOfRow(raw []byte, meta *decode.Meta) error {
	var r row
	if err := json.Unmarshal(raw, &r); err != nil {
		return &decode.ObjectError{Token: "no JSON that can be read", Want: "a row of a Table", Err: err}
	}
	return decode.ScanMeta(r.Object, meta)
}

func (t *tables) row(raw []byte) (TableRow, error) {
	var r row
	if err := json.Unmarshal(raw, &r); err != nil {
		return TableRow{}, &decode.ObjectError{Token: "no JSON that can be read", Want: "a row of a Table", Err: err}
	}
	out := TableRow{Columns: t.columns, Cells: make([]string, len(t.columns))}
	for i := range min(len(out.Cells), len(r.Cells)) {
		out.Cells[i] = textOfCell(r.Cells[i])
	}
	return out, nil
}

// textOfCell is a string's text, nothing for null, and any other value as it
// is written.
func textOfCell(cell json.RawMessage) string {
	var text string
	if err := json.Unmarshal(cell, &text); err == nil {
		return text // null leaves it empty
	}
	return string(cell)
}
