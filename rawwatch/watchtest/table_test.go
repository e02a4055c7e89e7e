package watchtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const asTable = "application/json;as=Table;g=meta.k8s.io;v=v1"

// tableOf is what tests look at in a Table.
type tableOf struct {
	Kind, APIVersion  string
	Metadata          struct{ ResourceVersion, Continue string }
	ColumnDefinitions []struct {
		Name, Type, Format string
		Priority           int
	}
	Rows []struct {
		Cells  []any
		Object *struct {
			Kind, APIVersion string
			Metadata         struct {
				Name        string
				Annotations map[string]string
			}
			Spec map[string]any
		}
	}
}

// lines is the table as a few lines.
func (t tableOf) lines() string {
	var b strings.Builder
	for _, c := range t.ColumnDefinitions {
		fmt.Fprintf(&b, "%s %d|", c.Name, c.Priority)
	}
	for _, r := range t.Rows {
		b.WriteString("\n")
		for _, c := range r.Cells {
			fmt.Fprintf(&b, "%v|", c)
		}
		if r.Object != nil {
			fmt.Fprintf(&b, " %s %s %d", r.Object.Kind, r.Object.Metadata.Name, len(r.Object.Spec))
		}
	}
	return b.String()
}

func (r *rig) table(path string) tableOf {
	r.t.Helper()
	code, text := r.ask("GET", path, "", "Accept", asTable)
	var table tableOf
	if err := json.Unmarshal([]byte(text), &table); err != nil || code != 200 || table.Kind != "Table" || table.APIVersion != "meta.k8s.io/v1" {
		r.t.Fatalf("%d %v %s", code, err, text)
	}
	return table
}

func TestTable(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.pod("edge", "new")
		r.pass(90 * time.Minute)
		r.pod("edge", "run", `,"spec":{"nodeName":"n1","containers":[{"name":"a"},{"name":"b"}],"readinessGates":[{"conditionType":"g"}]},`+
			`"status":{"phase":"Running","podIP":"10.0.0.9","conditions":[{"type":"g","status":"True"}],`+
			`"containerStatuses":[{"ready":true,"restartCount":2,"state":{"running":{}}},{"ready":false,"restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}`)
		const head = "Name 0|Ready 0|Status 0|Restarts 0|Age 0|IP 1|Node 1|Nominated Node 1|Readiness Gates 1|"
		const first = "\nnew|0/0||0|90m|<none>|<none>|<none>|<none>|"
		const second = "\nrun|1/2|CrashLoopBackOff|5|0s|10.0.0.9|n1|<none>|1/1|"
		for query, want := range map[string]string{
			"":                        head + first + " PartialObjectMetadata new 0" + second + " PartialObjectMetadata run 0",
			"?includeObject=Metadata": head + first + " PartialObjectMetadata new 0" + second + " PartialObjectMetadata run 0",
			"?includeObject=Object":   head + first + " Pod new 0" + second + " Pod run 3",
			"?includeObject=None":     head + first + second,
			"?limit=1":                head + first + " PartialObjectMetadata new 0",
			"/run":                    head + second + " PartialObjectMetadata run 0",
		} {
			path := pods
			if query == "/run" {
				path = "/api/v1/namespaces/edge/pods"
			}
			table := r.table(path + query)
			if got := table.lines(); got != want || table.Metadata.ResourceVersion != "80402" || (table.Metadata.Continue != "") != (query == "?limit=1") {
				t.Errorf("%s: %+v\n%s\nwant\n%s", query, table.Metadata, got, want)
			}
		}
		if code, text := r.ask("GET", pods+"?includeObject=All", "", "Accept", asTable); code != 400 || !strings.Contains(text, "includeObject") {
			t.Errorf("%d %s", code, text)
		}
		if empty := r.table("/api/v1/nodes"); empty.Rows == nil || empty.lines() != "Name 0|Age 0|" {
			t.Errorf("%+v", empty)
		}
	})
}

func TestTableOfOtherKinds(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		r.Register(gateways)
		for _, c := range []struct {
			res        Resource
			rest, want string
		}{
			{ConfigMaps, `"data":{"a":"1","b":"2"},"binaryData":{"c":""}`, "Name 0|Data 0|Age 0|\nx|3|0s| PartialObjectMetadata x 0"},
			{Secrets, `"type":"Opaque","data":{"a":""}`, "Name 0|Type 0|Data 0|Age 0|\nx|Opaque|1|0s| PartialObjectMetadata x 0"},
			{Namespaces, `"status":{"phase":"Active"}`, "Name 0|Status 0|Age 0|\nx|Active|0s| PartialObjectMetadata x 0"},
			{gateways, `"spec":7`, "Name 0|Age 0|\nx|0s| PartialObjectMetadata x 0"},
			{Pods, `"spec":"odd"`, "Name 0|Ready 0|Status 0|Restarts 0|Age 0|IP 1|Node 1|Nominated Node 1|Readiness Gates 1|\nx|0/0||0|0s|<none>|<none>|<none>|<none>| PartialObjectMetadata x 0"},
		} {
			namespace := ""
			if c.res.Namespaced {
				namespace = `"namespace":"edge",`
			}
			if _, err := r.Create(c.res, `{"metadata":{`+namespace+`"name":"x"},`+c.rest+`}`); err != nil {
				t.Fatal(err)
			}
			if got := r.table(c.res.Path("")).lines(); got != c.want {
				t.Errorf("%s:\n%s\nwant\n%s", c.res.Kind, got, c.want)
			}
		}
	})
}

// TestTableWatch: columns come in the first frame only, and bookmarks are rows,
// too (seen on v1.37).
func TestTableWatch(t *testing.T) {
	for include, object := range map[string]string{"": " PartialObjectMetadata", "None": "", "Object": " ConfigMap"} {
		bubble(t, Options{BookmarkInterval: 10 * time.Second}, func(t *testing.T, r *rig) {
			create := func(name string) {
				if _, err := r.Create(ConfigMaps, `{"metadata":{"namespace":"edge","name":"`+name+`"}}`); err != nil {
					t.Fatal(err)
				}
			}
			create("a")
			w := r.watch(ConfigMaps.Path(""), "&allowWatchBookmarks=1&includeObject="+include, "Accept", asTable)
			if err := r.AwaitWatches(t.Context(), Selector{}, 1); err != nil {
				t.Fatal(err)
			}
			create("b")
			marked := object
			if marked == "" {
				marked = " PartialObjectMetadata"
			}
			suffix := func(name string) string {
				if object == "" {
					return ""
				}
				return object + " " + name + " 0"
			}
			for _, want := range []string{
				"ADDED 80401 Name 0|Data 0|Age 0|\na|0|0s|" + suffix("a"),
				"BOOKMARK 80401 \n|0|<unknown>|" + marked + "  0 true",
				"ADDED 80402 \nb|0|0s|" + suffix("b"),
				"BOOKMARK 80402 \n|0|<unknown>|" + suffix(""),
			} {
				var frame struct {
					Type   string
					Object tableOf
				}
				raw := w.next().raw
				if err := json.Unmarshal([]byte(raw), &frame); err != nil {
					t.Fatal(err)
				}
				got := frame.Type + " " + frame.Object.Metadata.ResourceVersion + " " + frame.Object.lines()
				if o := frame.Object.Rows[0].Object; o != nil && o.Metadata.Annotations["k8s.io/initial-events-end"] != "" {
					got += " true"
				}
				if got != want || !strings.Contains(raw, `"columnDefinitions":null`) != strings.Contains(want, "Name") {
					t.Errorf("%s\nwant\n%s\n%s", got, want, raw)
				}
			}
			r.SendFrame(Selector{}, ErrorFrame(TooOld(1, 2)))
			w.want("ERROR 410")
			w.close()
		})
	}
}

func TestShortDuration(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 119 * time.Second: "119s", 2 * time.Minute: "2m", 9*time.Minute + 59*time.Second: "9m59s",
		10*time.Minute + 5*time.Second: "10m", 179 * time.Minute: "179m", 3 * time.Hour: "3h", 7*time.Hour + 59*time.Minute: "7h59m",
		8*time.Hour + 59*time.Minute: "8h", 47 * time.Hour: "47h", 2*day + 5*time.Hour: "2d5h", 8*day + time.Hour: "8d",
		729 * day: "729d", 730 * day: "2y", 1000 * day: "2y270d", 8 * 365 * day: "8y",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
