package page

// column is a figure as a table shows it.
type column struct{ figure, title string }

// table is some figures of a job.
type table struct {
	title   string
	columns []column
}

// tables are the tables of the jobs whose figures are known, by the job's group
// or name. Figures of a job that is not here are shown under their own names.
var tables = map[string][]table{
	"sync": {
		{"First sync", []column{
			{"sync_s", "seconds"}, {"sync_cpu_s", "CPU s"}, {"sync_peak_mb", "peak RSS MB"}, {"sync_wire_mb", "MB on the wire"},
		}},
		{"Changes", []column{
			{"churn_cpu_s_per_1000", "CPU s per 1,000"}, {"churn_allocs_per_event", "allocations per event"},
			{"churn_alloc_bytes_per_event", "bytes allocated per event"}, {"churn_wire_bytes_per_event", "bytes on the wire per event"},
			{"synced_rss_mb", "RSS MB before"}, {"churn_rss_mb", "RSS MB after"}, {"churn_events_seen", "events seen"},
		}},
		{"Relist after 410", []column{
			{"relist_steady_mb", "RSS MB before"}, {"relist_peak_mb", "peak RSS MB"}, {"relist_peak_ratio", "peak to before"},
			{"relist_cpu_s", "CPU s"}, {"relist_s", "seconds"}, {"relist_wire_mb", "MB on the wire"},
		}},
	},
	"slow":       slowly,
	"slow-plain": slowly,
	"latency":    {{"", []column{{"latency_p50_ms", "p50 ms"}, {"latency_p99_ms", "p99 ms"}, {"latency_p99.9_ms", "p99.9 ms"}, {"latency_max_ms", "max ms"}}}},
	"idle": {{"", []column{
		{"idle_heap_kb", "heap KB each"}, {"idle_stacks_kb", "stacks KB each"}, {"idle_rss_kb", "RSS KB each"},
		{"idle_goroutines", "goroutines each"}, {"idle_connections", "connections, all"},
	}}},
	"restart": {{"", []column{
		{"restart_wire_mb", "MB on the wire"}, {"restart_decoded_mb", "MB unpacked"}, {"restart_cpu_s", "CPU s"},
		{"restart_readable_s", "seconds until it can be read"}, {"restart_s", "seconds until in sync"},
	}}},
	"constrained": {{"", []column{
		{"in_sync", "in sync (1) or not (0)"}, {"charged_mb", "charged MB"}, {"constrained_s", "seconds"}, {"constrained_cpu_s", "CPU s"},
	}}},
	"build": {{"", []column{
		{"binary_mb", "binary MB"}, {"modules", "modules"}, {"packages", "packages"}, {"packages_std", "of the standard library"},
		{"build_cold_s", "cold build s"}, {"build_cold_cpu_s", "cold build CPU s"}, {"build_again_s", "build again s"},
	}}},
}

var slowly = []table{{"", []column{{"slow_s", "seconds"}, {"slow_wire_mb", "MB on the wire"}}}}

// columnsOf gives a job's tables; only columns of which there is a figure.
func columnsOf(group, name string, figures []string) []table {
	known, ok := tables[group]
	if !ok {
		known, ok = tables[name]
	}
	if !ok {
		known = []table{{}}
		for _, f := range figures {
			known[0].columns = append(known[0].columns, column{f, f})
		}
	}
	there := map[string]bool{}
	for _, f := range figures {
		there[f] = true
	}
	var shown []table
	for _, t := range known {
		var columns []column
		for _, c := range t.columns {
			if there[c.figure] {
				columns = append(columns, c)
			}
		}
		if len(columns) > 0 {
			shown = append(shown, table{t.title, columns})
		}
	}
	return shown
}
