package killtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// passing is: of the objects of n/a, n/b and n/c some are seen by the subscriber
// "some", to which what can be divided by three does not pass.
func passing(t *testing.T) *History {
	t.Helper()
	h := &History{}
	h.Begin(map[string]State{"n/old": {"u0", 5, "0"}})
	for _, e := range []Event{
		{"ADDED", "n/a", State{"u1", 11, "1"}},
		{"ADDED", "n/b", State{"u2", 12, "2"}},
		{"MODIFIED", "n/a", State{"u1", 13, "4"}},
		{"MODIFIED", "n/b", State{"u2", 14, "3"}}, // does not pass
		{"MODIFIED", "n/b", State{"u2", 15, "5"}},
		{"DELETED", "n/a", State{"u1", 16, "4"}},
		{"ADDED", "n/a", State{"u3", 17, "7"}},
		{"ADDED", "n/c", State{"u4", 18, "8"}},
		{"DELETED", "n/c", State{"u4", 19, "8"}},
	} {
		if err := h.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// call is one that tells this, and ends so; "" is with the process.
func call(ending string, told ...string) string {
	text := "some CALL\n"
	for _, line := range told {
		text += "some " + line + "\n"
	}
	if ending != "" {
		text += "some " + ending + "\n"
	}
	return text
}

const (
	begun   = "\nSTART\nNOTHING\n"
	addedA  = "ADDED list n/a u1 11 1 2"
	addedB  = "ADDED list n/b u2 12 2 3"
	inSync  = "SYNCED list 12"
	changeA = "MODIFIED stream n/a u1 13 4 4"
	hideB   = "DELETED stream n/b u2 12 2 5"
	changeB = "MODIFIED stream n/b u2 15 5 6"
	showB   = "ADDED stream n/b u2 15 5 6"
	goneA   = "DELETED stream n/a u1 16 4 7"
	newA    = "ADDED stream n/a u3 17 7 8"
	newC    = "ADDED stream n/c u4 18 8 9"
	orphanC = "DELETED relist n/c u4 - 9"
)

// over is the end of a process, when the server was at a version; again is the next
// process, which begins with the state as of version 12; has is both.
func over(version string) string { return "\nEND " + version + "\n" }

const again = "\nSTART\nHAS n/old u0 5 0\nHAS n/a u1 11 1\nHAS n/b u2 12 2\nRESTORED 12\n"

func has(version string) string { return over(version) + again }

// TestJudgeNewest: what is told to the subscriber that coalesces.
func TestJudgeNewest(t *testing.T) {
	known := begun + call("ACKING", addedA, addedB, inSync) + "SAVING 12\nSAVED 12\n"
	saved := "SAVING 12\nSAVED 12\n"
	for name, c := range map[string]struct{ books, accused string }{
		"nothing wrong":      {known + call("ACKING", changeA, hideB) + call("ACKING", showB) + call("ACKING", goneA, newA), ""},
		"newest states only": {known + call("ACKING", changeB, goneA, newA) + "SAVING 19\n", ""},

		"in sync, not told":                {begun + call("ACKING", addedA, inSync) + over("12"), "if it takes in all that it is told: n/b is"},
		"in sync with what will be":        {begun + call("ACKING", addedA, "ADDED list n/b u2 15 5 3", inSync), ""},
		"in sync with what cannot be yet":  {begun + call("ACKING", addedA, "ADDED list n/b u2 15 5 3", inSync) + has("14"), "n/b is {u2 15 5}, which is none"},
		"in sync, and what failed was it":  {begun + call("FAILING", addedA) + call("ACKING", addedB, inSync) + over("12"), "if it takes in what it acknowledges: n/a is"},
		"what was in its hand stays":       {begun + call("", addedA, newC) + over("18") + begun + call("ACKING", addedA, addedB, inSync) + over("12"), "if it takes in all that it is told: n/c is"},
		"what was in its hand goes":        {begun + call("", addedA, newC) + over("18") + begun + call("ACKING", addedA, addedB, orphanC, inSync) + over("12"), ""},
		"what does not pass is in sync":    {begun + call("ACKING", addedA, addedB, inSync) + call("", changeA, "SYNCED relist 14") + has("14"), "n/b is {u2 12 2}, which is none"},
		"in sync again, it does not pass":  {begun + call("ACKING", addedA, addedB, inSync) + call("", hideB, changeA, "SYNCED relist 14") + has("14"), ""},
		"failed, and told again":           {known + call("FAILING", changeA) + call("ACKING", changeA), ""},
		"failed, and overtaken":            {known + call("FAILING", changeA) + call("ACKING", goneA), ""},
		"failed, and left out":             {known + call("FAILING", changeA) + call("ACKING", hideB), "some failed at {MODIFIED n/a {u1 13 4}} and was not told again"},
		"back in time":                     {known + call("FAILING", changeA) + call("ACKING", "MODIFIED stream n/a u1 11 1 4"), "some was told {MODIFIED n/a {u1 11 1}}"},
		"back in time, failed":             {begun + call("FAILING", "ADDED list n/b u2 15 5 3") + call("ACKING", addedB), "after version 15"},
		"killed, and from the beginning":   {begun + call("", "ADDED list n/b u2 15 5 3") + begun + call("ACKING", addedB), ""},
		"acknowledged, told again":         {known + call("ACKING", changeA) + call("ACKING", changeA), "and has acknowledged [{version:13 there:true}]"},
		"acknowledged, killed, told again": {known + call("ACKING", changeA) + call("") + has("13") + call("", "MODIFIED checkpoint n/a u1 13 4 1"), "and has acknowledged [{version:13 there:true}]"},
		"perhaps acknowledged, told again": {known + call("ACKING", changeA) + has("13") + call("", "MODIFIED checkpoint n/a u1 13 4 1"), ""},
		"perhaps acknowledged, older":      {known + call("ACKING", changeA) + has("13") + call("", "MODIFIED checkpoint n/a u1 11 1 1"), "some was told {MODIFIED n/a {u1 11 1}}"},
		"hidden, and told as it was":       {known + call("ACKING", hideB) + call("ACKING", "ADDED stream n/b u2 12 2 6"), "and has acknowledged [{version:14 there:false}]"},

		"ADDED of what it knows":          {known + call("ACKING", showB), "{ADDED n/b {u2 15 5}}, which does not follow"},
		"ADDED of what it may know":       {known + call("ACKING", hideB) + has("14") + call("ACKING", showB), ""},
		"MODIFIED of what it may know":    {known + call("ACKING", hideB) + has("14") + call("ACKING", changeB), ""},
		"ADDED of what only it knows":     {begun + call("ACKING", addedA, addedB, inSync) + call("") + begun + call("ACKING", "ADDED list n/b u2 15 5 1"), ""},
		"ADDED again, and again":          {begun + call("ACKING", addedA, addedB, inSync) + call("") + begun + call("ACKING", "ADDED list n/a u1 13 4 1") + call("ACKING", "ADDED list n/a u1 13 4 2"), "and has acknowledged [{version:13 there:true}]"},
		"MODIFIED of what it never knew":  {known + call("ACKING", "MODIFIED stream n/c u4 18 8 4"), "{MODIFIED n/c {u4 18 8}}, which does not follow"},
		"MODIFIED of what it failed at":   {begun + call("FAILING", addedA) + call("ACKING", changeA), "{MODIFIED n/a {u1 13 4}}, which does not follow"},
		"ADDED of what it failed at":      {begun + call("FAILING", addedA) + call("ACKING", "ADDED list n/a u1 13 4 2"), ""},
		"DELETED of what it failed at":    {known + call("FAILING", newC) + call("ACKING", "DELETED stream n/c u4 19 8 9"), ""},
		"DELETED of what it never knew":   {known + call("ACKING", "DELETED stream n/c u4 19 8 9"), "of which it knew nothing"},
		"DELETED of what was in its hand": {known + has("18") + call("ACKING", orphanC), ""},
		"DELETED of what was hidden":      {known + call("ACKING", hideB) + call("") + has("15") + call("ACKING", "DELETED relist n/b u2 - 9"), ""},
		"DELETED of what has not passed":  {known + has("18") + call("ACKING", "DELETED relist n/old u0 - 9"), "of which it knew nothing"},
		"DELETED of more than its hand":   {known + has("18") + call("ACKING", "SYNCED relist 12", orphanC), "of which it knew nothing"},
		"DELETED twice":                   {known + call("ACKING", hideB) + call("ACKING", hideB), "of which it knew nothing"},
		"DELETED as it never was":         {known + call("ACKING", "DELETED stream n/b u2 12 9 5"), "{DELETED n/b {u2 12 9}}, which never was"},
		"a state that never was":          {known + call("ACKING", "MODIFIED stream n/a u1 13 7 4"), "which never was"},
		"a state that does not pass":      {known + call("ACKING", "MODIFIED stream n/b u2 14 3 4"), "or does not pass"},
		"the name is not free":            {known + call("ACKING", newA), "not before that u1 of that name is gone"},
		"the name may be free":            {known + call("ACKING", goneA) + has("16") + call("ACKING", newA), ""},

		"saved, not told":                 {begun + call("ACKING", addedA) + saved + over("12"), "version 12 is saved, and of what some has acknowledged n/b is { 0 }"},
		"saved, failed":                   {known + call("FAILING", changeA) + "SAVING 13\n" + has("13"), "version 13 is saved, and of what some has acknowledged n/a is {u1 11 1}"},
		"saved, not acknowledged":         {known + call("", changeA) + "SAVING 13\n" + has("13"), "version 13 is saved, and of what some has acknowledged n/a is {u1 11 1}"},
		"saved, about to be acknowledged": {known + call("ACKING", changeA) + "SAVING 13\n" + has("13"), ""},
		"saved, something newer is":       {known + call("ACKING", changeA, changeB) + "SAVING 14\n" + has("15"), ""},
		"saved, what came and went":       {known + call("ACKING", changeB, goneA, newA) + "SAVING 18\n" + has("19"), ""},
		"saved, what came":                {known + call("ACKING", changeB, goneA, newA) + "SAVING 18\n" + has("18"), "n/c is { 0 }"},
	} {
		t.Run(name, func(t *testing.T) {
			j := judging(t, passing(t), c.books)
			var wrong []string
			for _, w := range j.Wrong() {
				if strings.Contains(w, "some") { // the others are silent
					wrong = append(wrong, w)
				}
			}
			got := strings.Join(wrong, "\n")
			if c.accused == "" && got != "" || !strings.Contains(got, c.accused) {
				t.Errorf("%+v\naccused: %s\nwant: %s", j.Counts, got, c.accused)
			}
		})
	}
}

// judging is the judge of these books.
func judging(t *testing.T, h *History, text string) *Judge {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, booksName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j := h.Judge(folder)
	if err := j.Read(); err != nil {
		t.Fatal(err)
	}
	return j
}
