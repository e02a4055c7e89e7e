package rawwatch

import (
	"bytes"
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
		t := &tables{client: r.client, query: *r.asks()}
		r.rows = t.form().rows
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
	// Small elements are many more bytes as values than as text: these are
	// taken one by one.
	ColumnDefinitions json.RawMessage `json:"columnDefinitions"`
	Rows              json.RawMessage `json:"rows"`
}

// maxColumns bounds how many columns a Table may have. That of a custom
// resource has what its author wrote down, a dozen as a rule.
const maxColumns = 1000

// elements yields what a JSON list holds, until take returns false.
func elements(list json.RawMessage, take func(*json.Decoder) (bool, error)) error {
	if len(list) == 0 || string(list) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(list))
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return &decode.ObjectError{Token: "something else", Want: "a list in a Table"}
	}
	for d.More() {
		if more, err := take(d); err != nil || !more {
			return err
		}
	}
	return nil
}

func unreadable(want string, err error) error {
	return &decode.ObjectError{Token: "no JSON that can be read", Want: want, Err: err}
}

// columnsOf reads the definitions of columns.
func columnsOf(list json.RawMessage) (columns []TableColumn, err error) {
	err = elements(list, func(d *json.Decoder) (bool, error) {
		if len(columns) == maxColumns {
			return false, &decode.ObjectError{Token: fmt.Sprintf("more than %d columns", maxColumns), Want: "a Table"}
		}
		var column TableColumn
		if err := d.Decode(&column); err != nil {
			return false, unreadable("a column of a Table", err)
		}
		columns = append(columns, column)
		return true, nil
	})
	return columns, err
}

func (t *tables) parse(body []byte) (table, error) {
	var parsed table
	if err := json.Unmarshal(body, &parsed); err != nil {
		return parsed, unreadable("a Table", err)
	}
	if parsed.Kind != "Table" {
		return parsed, &NoTableError{Kind: clip(parsed.Kind)}
	}
	// Only the first frame of a watch defines them.
	columns, err := columnsOf(parsed.ColumnDefinitions)
	if len(columns) > 0 {
		t.columns = columns
	}
	return parsed, err
}

// page reads one page of a list.
func (t *tables) page(body io.Reader, item func(*decode.Item) bool) (meta decode.ListMeta, more bool, err error) {
	more = true
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
	err = elements(parsed.Rows, func(d *json.Decoder) (bool, error) {
		var raw json.RawMessage // the item's own: some keep it
		if err := d.Decode(&raw); err != nil {
			return false, unreadable("a row of a Table", err)
		}
		next := decode.Item{Object: raw}
		next.Err = metaOfRow(raw, &next.Meta)
		more = item(&next)
		return more, nil
	})
	if err != nil || !more {
		return meta, false, err
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
	rows := 0
	var only json.RawMessage
	err = elements(parsed.Rows, func(d *json.Decoder) (bool, error) {
		if rows++; rows > 1 {
			return false, nil
		}
		return true, d.Decode(&only)
	})
	switch {
	case err != nil:
		return unreadable("a row of a Table", err)
	case rows == 0 && frame.Type == decode.Bookmark:
		frame.Meta.ResourceVersion = []byte(parsed.Metadata.ResourceVersion)
		return nil
	case rows == 0:
		return &FrameTypeError{Type: clip(string(frame.Type)) + " with a Table without a row"}
	case rows > 1:
		return &FrameTypeError{Type: clip(string(frame.Type)) + " with a Table of several rows"}
	}
	frame.Object = only
	frame.Err = metaOfRow(frame.Object, &frame.Meta)
	if len(frame.Meta.ResourceVersion) == 0 {
		frame.Meta.ResourceVersion = []byte(parsed.Metadata.ResourceVersion)
	}
	return nil
}

func metaOfRow(raw []byte, meta *decode.Meta) error {
	var row struct {
		Object json.RawMessage `json:"object"`
	}
	if err := json.Unmarshal(raw, &row); err != nil {
		return unreadable("a row of a Table", err)
	}
	return decode.ScanMeta(row.Object, meta)
}

// row reads the cells of a row that have a column.
func (t *tables) row(raw []byte) (TableRow, error) {
	var row struct {
		Cells json.RawMessage `json:"cells"`
	}
	if err := json.Unmarshal(raw, &row); err != nil {
		return TableRow{}, unreadable("a row of a Table", err)
	}
	out := TableRow{Columns: t.columns, Cells: make([]string, len(t.columns))}
	cell := 0
	err := elements(row.Cells, func(d *json.Decoder) (bool, error) {
		if cell == len(out.Cells) {
			return false, nil
		}
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return false, unreadable("a cell of a Table", err)
		}
		out.Cells[cell] = textOfCell(text)
		cell++
		return true, nil
	})
	return out, err
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
