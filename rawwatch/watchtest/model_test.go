package watchtest

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"testing"
)

// model is the names of a collection with their versions.
type model map[string]string

func (l listOf) model() model {
	m := model{}
	for _, item := range l.Items {
		m[item.Metadata.Name] = item.Metadata.ResourceVersion
	}
	return m
}

// change makes one random change and returns the state after it.
func (m model) change(r *rig, random *rand.Rand) model {
	name := fmt.Sprint("p", random.IntN(12))
	next := maps.Clone(m)
	switch {
	case m[name] == "":
		o := r.pod("edge", name)
		next[name] = o.ResourceVersion
	case random.IntN(3) == 0:
		r.Delete(Pods, "edge", name)
		delete(next, name)
	default:
		o, err := r.Patch(Pods, "edge", name, fmt.Sprintf(`{"x":%d}`, r.Revision()))
		if err != nil {
			r.t.Fatal(err)
		}
		next[name] = o.ResourceVersion
	}
	return next
}

// Whatever happened: the list of each revision is what was there then, in one
// piece or in pages, and a watch from it leads to what is there now.
func TestHistoryIsConsistent(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, r *rig) {
		const seed = 7
		random := rand.New(rand.NewPCG(seed, seed))
		states := map[uint64]model{r.Revision(): {}}
		now := model{}
		for range 400 {
			now = now.change(r, random)
			states[r.Revision()] = now
		}
		r.Compact(firstRevision + 100)
		for revision := uint64(firstRevision); revision <= r.Revision(); revision += 9 {
			version := fmt.Sprint(revision)
			l := r.list(pods, "resourceVersion", version, "resourceVersionMatch", "Exact")
			if revision < firstRevision+100 {
				if l.Code != 410 {
					t.Errorf("revision %d is compacted: %+v", revision, l)
				}
				continue
			}
			if got := l.model(); !maps.Equal(got, states[revision]) {
				t.Errorf("revision %d: %v, want %v", revision, got, states[revision])
			}
			if got := r.pages(version); !maps.Equal(got, states[revision]) {
				t.Errorf("revision %d in pages: %v, want %v", revision, got, states[revision])
			}
			if got := r.fold(l.model(), version); !maps.Equal(got, now) {
				t.Errorf("watched from revision %d: %v, want %v", revision, got, now)
			}
		}
	})
}

// pages lists a revision three objects at a time.
func (r *rig) pages(version string) model {
	all := model{}
	l := r.list(pods, "resourceVersion", version, "limit", "3")
	for {
		maps.Copy(all, l.model())
		if l.Metadata.Continue == "" {
			return all
		}
		l = r.list(pods, "continue", l.Metadata.Continue, "limit", "3")
	}
}

// fold applies what a watch from a version brings.
func (r *rig) fold(m model, version string) model {
	w := r.watch(pods, "&timeoutSeconds=1&resourceVersion="+version)
	defer w.close()
	for {
		f, err := w.read()
		if err == io.EOF {
			return m
		}
		if err != nil {
			r.t.Fatalf("%v: %s", err, f.raw)
		}
		meta := f.Object.Metadata
		if _, known := m[meta.Name]; known == (f.Type == "ADDED") {
			r.t.Fatalf("%s of an object known: %v", f, known)
		}
		m[meta.Name] = meta.ResourceVersion
		if f.Type == "DELETED" {
			delete(m, meta.Name)
		}
	}
}
