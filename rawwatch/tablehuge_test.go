package rawwatch

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/decode"
)

// TestHugeTables: what is small as text is not large in memory.
func TestHugeTables(t *testing.T) {
	const n = 4 << 20
	columns := `"columnDefinitions":[{"name":"Name","type":"string"}]`
	for name, text := range map[string]string{
		"columns": `{"kind":"Table","columnDefinitions":[` + strings.Repeat(`{},`, n-1) + `{}]}`,
		"rows":    `{"kind":"Table",` + columns + `,"rows":[` + strings.Repeat(`0,`, n-1) + `0]}`,
		"cells":   `{"kind":"Table",` + columns + `,"rows":[{"cells":["a"` + strings.Repeat(`,0`, n-1) + `],"object":{"metadata":{"name":"a"}}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			tables := &tables{}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rows := 0
			_, _, err := tables.page(strings.NewReader(text), func(item *decode.Item) bool {
				if rows++; item.Err != nil {
					return false
				}
				row, err := tables.row(item.Object)
				if err != nil || fmt.Sprint(row.Cells) != "[a]" {
					t.Errorf("row %v, %v", row, err)
				}
				return true
			})
			runtime.ReadMemStats(&after)
			if rows == 0 && err == nil {
				t.Error("no row, and no error")
			}
			if used := int64(after.TotalAlloc - before.TotalAlloc); used > 12*int64(len(text)) {
				t.Errorf("%d MB for %d MB of text", used>>20, len(text)>>20)
			} else {
				t.Logf("%d MB for %d MB of text: %v", used>>20, len(text)>>20, err)
			}
		})
	}
}

// TestTableOfSomethingElse: no conclusion is drawn from rows that are none.
func TestTableOfSomethingElse(t *testing.T) {
	for _, text := range []string{`{"kind":"Table","rows":{}}`, `{"kind":"Table","rows":"x"}`, `{"kind":"Table","columnDefinitions":7}`, `{"kind":"Table","columnDefinitions":[7]}`} {
		if _, more, err := new(tables).page(strings.NewReader(text), func(*decode.Item) bool { return true }); err == nil || more {
			t.Errorf("%s: more %v, %v", text, more, err)
		}
	}
}
