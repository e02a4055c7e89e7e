package decode

import "io"

// listHead is the body without its items. It is read as a Status, which has
// what a list has and more; at the end it is known which of the two it was.
type listHead struct {
	status    Status
	items     bool // there was an array of items
	noItems   bool // "items" was null
	badItems  *NotListError
	metaError error // of the last "metadata"
}

func newListHead() listHead {
	return listHead{status: Status{Metadata: unknownListMeta()}}
}

// set takes one member other than an array of items.
func (h *listHead) set(name, value []byte, offset int64) {
	switch string(name) {
	case "metadata":
		h.status.Metadata, h.metaError = listMetaOf(value, offset)
	case "items":
		h.noItems, h.badItems = value[0] == 'n', nil
		if !h.noItems {
			h.badItems = &NotListError{Offset: offset, Token: token(value[0])}
		}
	default:
		h.status.set(name, value)
	}
}

func (h *listHead) meta() ListMeta {
	m := h.status.Metadata
	m.Kind, m.APIVersion = h.status.Kind, h.status.APIVersion
	return m
}

// verdict is io.EOF for a complete list, or says what the body is instead.
func (h *listHead) verdict() error {
	kind := h.status.Kind
	switch {
	case kind == kindStatus && !h.items:
		return &StatusError{Status: h.status}
	case h.badItems != nil:
		h.badItems.Kind = kind
		return h.badItems
	case !h.items && !h.noItems && kindOfItems(kind) == "":
		return &NotListError{Kind: kind, Token: "nothing"}
	case h.metaError != nil:
		return h.metaError
	}
	return io.EOF
}
