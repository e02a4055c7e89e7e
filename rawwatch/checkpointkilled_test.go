package rawwatch_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rawwatch/watchtest"
)

var kills = flag.Int("kills", 200, "how often TestCheckpointKilled kills its child")

// TestCheckpointKilled: a process killed at random instants, again and again,
// while the server changes at random, loses nothing that happened, is told
// nothing twice that was saved, and ends with what the server has.
func TestCheckpointKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for half a minute")
	}
	server := watchtest.NewServer(watchtest.Options{})
	defer server.Close()
	w := &world{T: t, server: server}
	w.kubeSystem()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/kubeconfig", server.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() { written <- writeAtRandom(ctx, server) }()
	for n := range *kills {
		child := startChild(t, dir)
		time.Sleep(time.Duration(rand.Int64N(int64(160 * time.Millisecond))))
		if n%7 == 0 {
			server.Compact(server.Revision()) // the next one has to list
		}
		killChild(t, child)
	}
	stop()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	last := startChild(t, dir)
	defer killChild(t, last)
	want := serverHas(t, server)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		book := readBooks(t, dir)
		if same(book.state, want) && book.synced {
			book.report(t)
			return
		}
		if time.Now().After(deadline) {
			book.report(t)
			t.Fatalf("%d objects are known, the server has %d; in sync: %v", len(book.state), len(want), book.synced)
		}
	}
}

func startChild(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestCheckpointChild$", "-test.timeout=5m")
	child.Env = append(os.Environ(), childVariable+"="+dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return child
}

// killChild fails the test if the child had ended by itself.
func killChild(t *testing.T, child *exec.Cmd) {
	t.Helper()
	if err := child.Process.Kill(); err != nil {
		t.Errorf("the child cannot be killed: %v", err)
	}
	if err := child.Wait(); err == nil || child.ProcessState.Exited() {
		t.Errorf("the child ended by itself: %v", err)
	}
}

// writeAtRandom creates, changes and deletes pods until ctx is done.
func writeAtRandom(ctx context.Context, server *watchtest.Server) error {
	alive := map[string]bool{}
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprint("p", rand.IntN(150))
		var err error
		switch {
		case !alive[name]:
			_, err = server.Create(pods, `{"metadata":{"namespace":"n","name":"`+name+`"},"spec":{"nodeName":"a"}}`)
			alive[name] = true
		case rand.IntN(3) == 0:
			_, err = server.Delete(pods, "n", name)
			alive[name] = false
		default:
			_, err = server.Patch(pods, "n", name, fmt.Sprintf(`{"spec":{"nodeName":"node-%d"}}`, n))
		}
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(rand.Int64N(int64(4 * time.Millisecond))))
	}
	return nil
}

// serverHas is what the server has: uid and version by key.
func serverHas(t *testing.T, server *watchtest.Server) map[string]string {
	t.Helper()
	all := map[string]string{}
	for n := range 150 {
		name := fmt.Sprint("p", n)
		o, err := server.Get(pods, "n", name)
		if err != nil {
			continue
		}
		all["n/"+name] = o.UID + " " + o.ResourceVersion
	}
	return all
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// book is what the books of all children say, taken together.
type book struct {
	state                                          map[string]string
	synced                                         bool // the last child was
	starts, changes, again, saves, resumes, relist int
	wrong                                          []string
}

// readBooks folds the books, and checks each line against what was saved before
// its process began: that must not be told again.
func readBooks(t *testing.T, dir string) *book {
	t.Helper()
	text, err := os.ReadFile(dir + "/books")
	if err != nil {
		t.Fatal(err)
	}
	b := &book{state: map[string]string{}}
	saved, since, high := 0, 0, 0 // saved; saved when this child began; newest told
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case f[0] == "START":
			b.starts++
			b.synced, since = false, saved
		case f[0] == "SAVED":
			b.saves++
			saved, _ = strconv.Atoi(f[1])
		case f[0] == "SYNCED":
			b.synced = true
			if f[1] == "checkpoint" {
				b.resumes++
			} else if f[1] == "relist" {
				b.relist++
			}
		default:
			b.change(f, since, &high)
		}
	}
	return b
}

func (b *book) change(f []string, since int, high *int) {
	typ, cause, key, id, version := f[0], f[1], f[2], f[3], f[4]
	number, err := strconv.Atoi(version)
	if err != nil {
		b.wrong = append(b.wrong, "no number: "+strings.Join(f, " "))
	}
	b.changes++
	// The last state of what a list no longer has is an old one.
	if number <= since && !(typ == "DELETED" && cause == "relist") {
		b.wrong = append(b.wrong, fmt.Sprintf("told again, saved up to %d: %s", since, strings.Join(f, " ")))
	}
	if number <= *high {
		b.again++
	}
	*high = max(*high, number)
	if typ == "DELETED" {
		delete(b.state, key)
		return
	}
	b.state[key] = id + " " + version
}

func (b *book) report(t *testing.T) {
	t.Helper()
	for i, w := range b.wrong {
		if i == 10 {
			t.Errorf("and %d more", len(b.wrong)-i)
			break
		}
		t.Error(w)
	}
	t.Logf("%d processes, %d changes told (%d of them not newer than one before), %d saves, %d resumed, %d listed", b.starts, b.changes, b.again, b.saves, b.resumes, b.relist)
	if b.resumes == 0 || b.relist == 0 || b.saves < *kills/2 {
		t.Error("too little happened for this test to mean anything")
	}
}
