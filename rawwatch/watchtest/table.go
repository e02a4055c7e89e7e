package watchtest

import (
	"encoding/json"
	"strconv"
	"time"
)

// column is one column of a Table (API concepts, "Receiving resources as
// Tables"). Those of priority 1 are what kubectl shows with "-o wide".
type column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int    `json:"priority"`

	cell func(*tableRow) any
}

// tableRow is an object as the cells of its row look at it.
type tableRow struct {
	now      time.Time
	Metadata struct {
		Name              string
		CreationTimestamp string
		DeletionTimestamp string
		Labels            map[string]string
	}
	Spec   json.RawMessage
	Status json.RawMessage
	Type   string
	Data   map[string]json.RawMessage
	Binary map[string]json.RawMessage `json:"binaryData"`
}

const (
	unknownCell = "<unknown>"
	noneCell    = "<none>"
)

func readRow(text []byte, now time.Time) *tableRow {
	r := &tableRow{now: now}
	// What does not fit its type is not there: a row has a cell for each column
	// whatever the object looks like.
	_ = json.Unmarshal(text, r)
	return r
}

func nameCell(r *tableRow) any { return r.Metadata.Name }

// ageCell is the time since the object was created, in at most two units.
func ageCell(r *tableRow) any {
	t, err := time.Parse(time.RFC3339, r.Metadata.CreationTimestamp)
	if err != nil {
		return unknownCell
	}
	return shortDuration(r.now.Sub(t))
}

// shortDuration writes a duration as kubectl does: the second unit is left out
// once it says little.
func shortDuration(d time.Duration) string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	if d < 0 {
		return "0s" // younger than this clock
	}
	for _, u := range []struct {
		below      time.Duration // this line is for shorter durations
		unit, rest time.Duration
		name, next string
	}{
		{2 * time.Minute, time.Second, 0, "s", ""},
		{10 * time.Minute, time.Minute, time.Second, "m", "s"},
		{3 * time.Hour, time.Minute, 0, "m", ""},
		{8 * time.Hour, time.Hour, time.Minute, "h", "m"},
		{2 * day, time.Hour, 0, "h", ""},
		{8 * day, day, time.Hour, "d", "h"},
		{2 * year, day, 0, "d", ""},
		{8 * year, year, day, "y", "d"},
	} {
		if d >= u.below {
			continue
		}
		text := strconv.Itoa(int(d/u.unit)) + u.name
		if rest := d % u.unit; u.rest > 0 && rest >= u.rest {
			text += strconv.Itoa(int(rest/u.rest)) + u.next
		}
		return text
	}
	return strconv.Itoa(int(d/year)) + "y"
}

var (
	nameColumn = column{Name: "Name", Type: "string", Format: "name", Description: "The object's name.", cell: nameCell}
	ageColumn  = column{Name: "Age", Type: "string", Description: "The time since the object was created.", cell: ageCell}
	// dateColumn is that of custom resources: null for no time.
	dateColumn = column{Name: "Age", Type: "date", Description: "The time since the object was created.", cell: func(r *tableRow) any {
		if r.Metadata.CreationTimestamp == "" {
			return nil
		}
		return ageCell(r)
	}}
)

// text is a column of texts.
func text(name, description string, priority int, cell func(*tableRow) any) column {
	return column{Name: name, Type: "string", Description: description, Priority: priority, cell: cell}
}

// columns of a kind: names, order and priority are those of v1.37 (seen); the
// descriptions are shorter.
func (r *Resource) columns() []column {
	if r.builtin {
		switch r.Kind {
		case "Pod":
			return podColumns
		case "ConfigMap":
			return []column{nameColumn, text("Data", "How many values there are.", 0, dataCell), ageColumn}
		case "Secret":
			return []column{nameColumn, text("Type", "What the values are for.", 0, typeCell), text("Data", "How many values there are.", 0, dataCell), ageColumn}
		case "Namespace":
			return []column{nameColumn, text("Status", "The phase of the namespace.", 0, phaseCell), ageColumn}
		}
	}
	return []column{nameColumn, dateColumn}
}

func typeCell(r *tableRow) any { return r.Type }

func dataCell(r *tableRow) any { return len(r.Data) + len(r.Binary) }

func phaseCell(r *tableRow) any {
	var status struct{ Phase string }
	_ = json.Unmarshal(r.Status, &status)
	return status.Phase
}
