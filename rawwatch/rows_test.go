package rawwatch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// rows says, for each thing that an API server does and that a watch has to
// live with, where it is tested: here against watchtest on virtual time, or in
// package resume on the state machine alone.
var rows = []struct{ what, tests string }{
	// Requests and versions.
	{"watch from a version that is too old: an ERROR frame with code 410", "TestExpiredInEveryForm TestGapIsMergedIntoTheNetChange"},
	{"the same as HTTP 410, on a watch or a list", "TestExpiredInEveryForm"},
	{"the continue token of page 2 or later has expired", "TestExpiredToken TestTokensThatAlwaysExpire TestListBesideWatchGoesOn"},
	{"a list takes longer than the history lasts", "TestListsThatNeverEnd TestListBesideWatch resume.TestScenarios"},
	{"resourceVersionMatch never goes with continue", "TestAuditAgrees"},
	{"a version from the future", "TestTooLargeInEveryForm TestVersionFromTheFuture"},
	{"a history rewritten: silence where bookmarks come, then a probe", "TestRewrittenHistory resume.TestScenarios"},
	{"a history rewritten while a stream is open", "TestServerThatLies"},
	{"bookmarks carry a version only", "TestBookmarksMoveTheResumePoint"},
	{"a watch ends at its timeout", "TestHoursWithoutChange"},
	{"a watch ends cleanly before its timeout", "TestRollingRestart resume.TestChanceSpreads"},
	{"watches end at once without a frame, again and again", "TestNoHotLoop resume.TestPatience"},
	{"the client's own deadline on an idle watch", "TestEndlessPatience TestSilentServer"},
	{"429 in any form", "TestThrottledInEveryForm TestRetryAfterIsObeyed"},
	{"5xx, refused or reset connections, GOAWAY, truncated bodies", "TestResumeWithoutAList TestNoHotLoop"},
	{"401", "TestRotatedToken TestTokenThatStaysWrong"},
	{"403 on list, on watch, after a good hour", "TestForbiddenUntilGranted"},
	{"404: not installed yet, removed, served in another version", "TestResourceThatComesAndGoes TestRediscover"},
	{"deleted while disconnected", "TestDeletionStub TestGapIsMergedIntoTheNetChange"},
	{"deleted and created again while disconnected", "TestGapIsMergedIntoTheNetChange"},
	{"a server restart expires quiet watches", "TestGapIsMergedIntoTheNetChange"},
	{"DELETED carries the deletion's own version", "TestDeletedFrameMovesTheResumePoint"},
	{"leaving the selection looks like a deletion", "TestLeavingTheSelection"},
	{"versions are opaque unless they are numbers", "resume.TestCompareVersions resume.TestScripts resume.TestRandomWalk"},
	{"a list is never asked for at version 0", "TestExpiredInEveryForm TestTooLargeInEveryForm"},
	{"an empty list that is not true", "TestEmptyListGuard"},
	{"a difference that nothing else shows", "TestAuditFinds"},

	// Initial events as a stream.
	{"initial events, then the mark, then live events", "TestInitialEventsAsAStream"},
	{"an interrupted initial stream starts over", "TestBrokenInitialStream"},
	{"only the annotation ends the initial phase", "resume.TestScripts"},
	{"a watch always names a version", "TestWatchNeedsAVersion resume.TestRandomWalk"},
	{"servers that refuse, by status or by frame", "TestInitialStreamRefusedInEveryForm TestServersWithoutInitialEvents"},
	{"servers that ignore the parameter and never send the mark", "TestServersWithoutInitialEvents TestSlowInitialStreamIsNoRefusal"},
	{"a refusal is remembered for the server", "TestStreamRefusalIsShared"},
	{"after a 410 the state is listed in pages", "TestExpiredInEveryForm"},
	{"until the mark nothing is concluded", "TestBrokenInitialStream"},

	// A server that lies.
	{"answers that no server should give", "TestServerThatLies TestLyingPagesBeside TestBadAnswers TestBadInput"},
}

// TestRows: each test that the table names is there.
func TestRows(t *testing.T) {
	there := map[string]bool{}
	for prefix, folder := range map[string]string{"": ".", "resume.": "../resume"} {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no tests in %s: %v", folder, err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					there[prefix+f.Name.Name] = true
				}
			}
		}
	}
	for _, row := range rows {
		names := strings.Fields(row.tests)
		if len(names) == 0 {
			t.Errorf("%s: tested nowhere", row.what)
		}
		for _, name := range names {
			if !there[name] {
				t.Errorf("%s: there is no %s", row.what, name)
			}
		}
	}
}
