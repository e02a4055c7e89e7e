package killtest

import (
	"strings"
	"testing"
)

// happened is: a, then b, a changes, b goes.
func happened(t *testing.T) *History {
	t.Helper()
	h := &History{}
	h.Begin(map[string]State{"n/old": {"u0", 5, "0"}})
	for _, e := range []Event{
		{"ADDED", "n/a", State{"u1", 11, "1"}}, {"ADDED", "n/b", State{"u2", 12, "2"}},
		{"MODIFIED", "n/a", State{"u1", 13, "3"}}, {"DELETED", "n/b", State{"u2", 14, "2"}},
	} {
		if err := h.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// both is a line for each of the subscribers.
func both(line string) string { return "now " + line + "\nlater " + line + "\n" }

// acked is what "later" writes when it acknowledges.
func acked(what string) string { return "ACKING " + what + "\nACKED " + what + "\n" }

var (
	first  = "\nSTART\nNOTHING\n" + both("ADDED list n/old u0 5 0 1") + both("ADDED list n/a u1 11 1 2") + both("SYNCED list 11") + acked("n/old 1") + acked("n/a 2")
	saved  = first + "SAVING 11\nSAVED 11\n"
	second = "\nSTART\nHAS n/old u0 5 0\nHAS n/a u1 11 1\nRESTORED 11\n"
	news   = both("ADDED checkpoint n/b u2 12 2 1") + both("MODIFIED checkpoint n/a u1 13 3 2") + both("DELETED checkpoint n/b u2 14 2 3") + both("SYNCED checkpoint 14")
	ackAll = acked("n/b 3") + acked("n/a 2")

	born  = both("ADDED checkpoint n/b u2 12 2 1")
	after = both("MODIFIED relist n/a u1 13 3 1")
)

// later are the lines of that subscriber.
func later(lines string) (only string) {
	for line := range strings.Lines(lines) {
		if strings.HasPrefix(line, "later ") {
			only += line
		}
	}
	return only
}

// TestJudge: each way in which an agent could be wrong is seen, and one that is
// right is not accused.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct{ books, accused string }{
		"nothing wrong":             {saved + second + news + ackAll + "SAVING 14\nSAVED 14\n", ""},
		"a line cut off":            {saved + second + news + ackAll + "later DEL" + second + both("SYNCED checkpoint 14"), ""},
		"spared":                    {saved + second + news + ackAll + second + both("SYNCED checkpoint 14") + "SAVING 14\nSAVED 14\n", ""},
		"told again, unknown":       {saved + second + news + "ACKING n/b 3\nACKING n/a 2\n" + second + later(news) + "now DELETED checkpoint n/b u2 14 2 1\nnow SYNCED checkpoint 14\n", ""},
		"told again, acknowledged":  {saved + second + news + second + news, "now was told {ADDED n/b {u2 12 2}} (checkpoint), which it had acknowledged"},
		"again, by hand":            {saved + second + news + ackAll + second + later(news), "later was told {ADDED n/b {u2 12 2}} (checkpoint), which it had acknowledged"},
		"again, by a list":          {saved + second + news + ackAll + second + later(after), "later was told {MODIFIED n/a {u1 13 3}} (relist), which it had acknowledged"},
		"a save that was cut":       {first + "SAVING 11\n" + second + news, ""},
		"difference after a gap":    {saved + second + after + both("SYNCED relist 14"), ""},
		"an orphan":                 {saved + second + born + second + after + both("DELETED relist n/b u2 - 2") + both("SYNCED relist 14"), ""},
		"an orphan left out":        {saved + second + born + second + after + both("SYNCED relist 14"), "n/b is there and should be gone"},
		"an orphan in the hand":     {saved + second + second + after + both("DELETED relist n/b u2 - 2") + both("SYNCED relist 14"), ""},
		"an orphan unheard of":      {saved + second + after + both("SYNCED relist 14") + second + both("DELETED relist n/b u2 - 2") + both("DELETED relist n/b u3 - 2"), "now was told {DELETED n/b {u3 -1 }}, of which it knew nothing"},
		"not restored":              {saved + "\nSTART\nNOTHING\n", "was not restored"},
		"an old state restored":     {saved + second + news + ackAll + "SAVING 14\nSAVED 14\n" + second, "version 11 is restored, saved were 14"},
		"an object missing":         {saved + "\nSTART\nHAS n/old u0 5 0\nRESTORED 11\n", "n/a is missing"},
		"an object too many":        {saved + "\nSTART\nHAS n/b u2 12 2\n" + second[len("\nSTART\n"):], "n/b is there and should be gone"},
		"other content":             {saved + strings.Replace(second, "u1 11 1", "u1 11 7", 1), "n/a is {u1 11 7}"},
		"an event left out":         {saved + second + both("MODIFIED checkpoint n/a u1 13 3 1"), "happened next"},
		"told what was saved":       {saved + second + both("ADDED checkpoint n/a u1 11 1 1"), "happened next"},
		"in sync, not told":         {saved + second + both("SYNCED checkpoint 12"), "is in sync as of 12 and was not told"},
		"no difference after a gap": {saved + second + both("ADDED relist n/a u1 11 1 1"), "which it knew as"},
		"a gap left out":            {saved + second + both("SYNCED relist 14"), "n/a is {u1 11 1}, not {u1 13 3}"},
		"a deletion left out":       {saved + second + born + acked("n/b 1") + "SAVING 12\nSAVED 12\n\nSTART\nHAS n/old u0 5 0\nHAS n/a u1 11 1\nHAS n/b u2 12 2\nRESTORED 12\n" + after + both("SYNCED relist 14"), "n/b is there and should be gone"},
		"saved, one not told":       {saved + second + "now " + strings.SplitN(news, "\n", 2)[0][4:] + "\nSAVING 12\n", "before later was told"},
		"saved, unacknowledged":     {saved + second + news + acked("n/b 3") + "SAVING 14\n", "before later has acknowledged n/a"},
		"saved backwards":           {saved + "SAVING 10\n", "saved after 11"},
		"told before the state":     {saved + "\nSTART\n" + news, "before anything was restored"},
	} {
		t.Run(name, func(t *testing.T) {
			j := judging(t, happened(t), c.books+"half a li")
			got := strings.Join(j.Wrong(), "\n")
			if c.accused == "" && got != "" || !strings.Contains(got, c.accused) {
				t.Errorf("%+v\naccused: %s\nwant: %s", j.Counts, got, c.accused)
			}
		})
	}
}

// TestJudgeLevel: level is who knows exactly what the server has.
func TestJudgeLevel(t *testing.T) {
	h := happened(t)
	if h.Judge(t.TempDir()).Level(nil) == nil {
		t.Error("level before anything was read")
	}
	two := saved + second + news
	if judging(t, h, two).Level(h.At(14)) == nil {
		t.Error("level, and some is not in sync")
	}
	three := two + call("ACKING", "SYNCED checkpoint 14")
	if err := judging(t, h, three).Level(h.At(14)); err != nil {
		t.Error(err)
	}
	if judging(t, h, three).Level(h.At(13)) == nil {
		t.Error("level with another state")
	}
	three += call("ACKING", "ADDED stream n/b u2 12 2 9")
	if judging(t, h, three).Level(h.At(14)) == nil {
		t.Error("level, and some was told otherwise")
	}
	three += call("FAILING", "DELETED stream n/b u2 14 2 9")
	if judging(t, h, three).Level(h.At(14)) == nil {
		t.Error("level, and some has acknowledged otherwise")
	}
}
