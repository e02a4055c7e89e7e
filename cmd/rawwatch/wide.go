package main

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

// wideRows is how many rows wait for each other, so that their columns can be
// aligned before the first of them is printed.
const wideRows = 500

// columnGap stands between two columns, as kubectl has it.
const columnGap = 3

// wideTable prints rows in aligned columns. Its columns only ever grow: rows
// that were printed before cannot be moved.
type wideTable struct {
	out     *output
	lead    []string // headings of the columns before the server's
	headed  bool
	widths  []int
	waiting [][]string
}

// add takes the lead cells and the server's row.
func (t *wideTable) add(lead []string, row rawwatch.TableRow) error {
	if !t.headed {
		t.headed = true
		heading := append([]string(nil), t.lead...)
		for _, c := range row.Columns {
			heading = append(heading, strings.ToUpper(c.Name))
		}
		t.waiting = append(t.waiting, heading)
	}
	t.waiting = append(t.waiting, append(lead, row.Cells...))
	if len(t.waiting) > wideRows {
		return t.print()
	}
	return nil
}

// print writes the rows that wait.
func (t *wideTable) print() error {
	for _, cells := range t.waiting {
		for i, cell := range cells {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			cells[i] = string(appendWord(nil, cell))
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cells[i]))
		}
	}
	for _, cells := range t.waiting {
		if err := t.out.writeLine(func(dst []byte) ([]byte, error) { return t.line(dst, cells), nil }); err != nil {
			return err
		}
	}
	clear(t.waiting)
	t.waiting = t.waiting[:0]
	return nil
}

func (t *wideTable) line(dst []byte, cells []string) []byte {
	for i, cell := range cells {
		dst = append(dst, cell...)
		if i < len(cells)-1 {
			pad := t.widths[i] - utf8.RuneCountInString(cell) + columnGap
			dst = append(dst, strings.Repeat(" ", pad)...)
		}
	}
	return bytes.TrimRight(dst, " ")
}

// inNamespaces tells whether a name alone would not say which object.
func inNamespaces(q rawwatch.Query) bool { return q.Resource.Namespaced && q.Namespace == "" }

// wide prints a list as the server would print it.
func (l *listing) wide(ctx context.Context, client *rawwatch.Client, options rawwatch.ListOptions) error {
	t := &wideTable{out: l.out}
	if inNamespaces(l.query) {
		t.lead = []string{"NAMESPACE"}
	}
	onPage := options.OnPage
	var failed error
	options.OnPage = func(meta decode.ListMeta) {
		failed = t.print()
		onPage(meta)
	}
	for e, err := range client.ListTable(ctx, l.query, options) {
		switch _, unread := err.(*decode.ObjectError); {
		case unread:
			l.leaveOut(err)
			continue
		case err != nil:
			return err
		case failed != nil:
			return failed
		}
		l.printed++
		var lead []string
		if t.lead != nil {
			lead = []string{e.Object.Namespace}
		}
		if err := t.add(lead, e.Row); err != nil {
			return err
		}
	}
	return t.print()
}

// wide prints a watch as the server would print its objects.
func (w *watching) wide(ctx context.Context, q rawwatch.Query, r *rawwatch.Reflector) error {
	t := &wideTable{out: w.out, lead: []string{"TIME", "EVENT"}}
	if inNamespaces(q) {
		t.lead = append(t.lead, "NAMESPACE")
	}
	w.waiting = t.print
	w.format = func(dst []byte, e rawwatch.Event) ([]byte, error) { return appendEventName(dst, e, w.now()), nil }
	for e, err := range rawwatch.TableEvents(ctx, r) {
		if err != nil {
			return err
		}
		if len(e.Row.Cells) == 0 { // a milestone, a stub, or what cannot be read
			if err := w.event(e.Event); err != nil {
				return err
			}
			continue
		}
		lead := []string{w.now().Format("15:04:05"), string(e.Type)}
		if inNamespaces(q) {
			lead = append(lead, e.Object.Namespace)
		}
		if err := t.add(lead, e.Row); err != nil {
			return err
		}
		if e.Cause == rawwatch.CauseStream {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}
