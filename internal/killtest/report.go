package killtest

import "testing"

// Report fails a test for what is wrong, and for a trial in which too little
// happened to mean anything.
func (j *Judge) Report(t testing.TB, kills int) {
	t.Helper()
	const most = 10
	for i, w := range j.wrong {
		if i == most {
			t.Errorf("and %d more", len(j.wrong)-most)
			break
		}
		t.Error(w)
	}
	t.Logf("%d events; %+v", j.history.Len(), j.Counts)
	c := j.Counts
	if c.Lives < kills/2 || c.Restored < kills/3 || c.Resumed < kills/10 || c.Listed < 3 || c.Saves < kills || c.Repeated == 0 || c.Spared == 0 ||
		c.Calls < kills || c.Failed < kills/10 || c.Overtaken == 0 {
		t.Error("too little happened for this test to mean anything")
	}
}
