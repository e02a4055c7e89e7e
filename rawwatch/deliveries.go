package rawwatch

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"maps"
	"math"
	"strings"
	"sync"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/resume"
)

// deliveries are notes, beside what is saved, of what each subscription with
// ChangesOnly was told and has acknowledged since. They are in the checkpoint
// before a new object is told, and before something counts as acknowledged: so a
// process that follows one which was killed neither repeats what was acknowledged,
// nor forgets to tell that an object is gone which nobody else remembers.
//
// They are a watch of their own in the checkpoint: its objects are the notes, one
// for each subscription and uid. What is saved makes them superfluous; one that
// stays is no harm. It is safe for concurrent use.
type deliveries struct {
	store resume.Noter
	id    resume.WatchIdentity
	log   Logger

	// Of who publishes: what an earlier process has noted, by the subscription's
	// name, and which objects that is about. Both are empty once all is told that
	// follows from it.
	pasts   map[string]*past
	orphans missing
	doubted bool // nothing tells which states of them are acknowledged

	mu    sync.Mutex // guards all below; held while notes are written
	begun bool       // there is something to add to
	ended bool       // nobody notes any more
	notes map[noteKey]note
	most  int // notes since the map was made: it never gets smaller
	full  bool
	saved uint64 // all up to here is saved: there is nothing to note of it
	batch resume.Batch
	text  []byte
}

func newDeliveries(store resume.Noter, watch string, of *resume.WatchIdentity, log Logger) *deliveries {
	return &deliveries{
		store: store, log: log, notes: map[noteKey]note{}, pasts: map[string]*past{}, orphans: missing{},
		id: resume.WatchIdentity{
			Watch: watch + deliveriesSuffix, Group: of.Group, Version: of.Version, Resource: of.Resource,
			LabelSelector: of.LabelSelector, FieldSelector: of.FieldSelector, Schema: of.Schema, Format: of.Format,
		},
	}
}

// noteKey is whose note of which object.
type noteKey struct{ subscription, uid string }

// note is what a subscription knows of an object, as far as that is not saved.
type note struct {
	of        *decode.Identity // its namespace and name
	version   string           // up to which everything is acknowledged; "" is nothing
	sequence  uint64           // of the change that was acknowledged; 0 from an earlier process
	told      uint64           // of the last change with which it may have learned that it is there
	until     uint64           // once this is saved the note is superfluous
	knowledge knowledge
}

// after is the note after one more delivery; changed says that there is something
// to write.
func (n note) after(d *delivery) (next note, changed bool) {
	if d.sequence < n.sequence { // another goroutine was faster
		return n, false
	}
	next, changed = n, true
	next.of = d.of
	if d.knowledge == maybe {
		next.told = max(n.told, d.sequence)
		if changed = !n.knowledge.there(); changed {
			next.knowledge = maybe
		}
	} else {
		next.sequence, next.knowledge = d.sequence, d.knowledge
		if d.of.ResourceVersion != "" {
			next.version = d.of.ResourceVersion
		}
		if n.told > d.sequence && d.knowledge != shown { // it was told since that it is there
			next.knowledge = maybe
		}
	}
	next.until = max(next.told, next.sequence)
	return next, changed
}

// doubtful is the version of a note of another history: no version of the new one
// is acknowledged. It is as new as none.
const doubtful = "?"

// doubted is what is left of a note of another history: who is known.
func (n note) doubted() note {
	n.version = doubtful
	if n.knowledge == gone {
		n.knowledge = hidden
	}
	return n
}

// knowledge is how a subscription stands to an object, as a letter in the file. 0
// is as the store and the change say.
type knowledge byte

const (
	maybe  knowledge = 't' // told that it is there, or about to be told
	shown  knowledge = 's' // it has acknowledged that the object is there
	hidden knowledge = 'h' // and that it does not pass the filter any more
	gone   knowledge = 'x' // and that it is deleted
)

// there says that the subscription may believe that the object is there.
func (k knowledge) there() bool { return k == maybe || k == shown }

// unsettled is the sequence number of notes from an earlier process, until all is
// told that follows from them.
const unsettled = math.MaxUint64

// deliveriesSuffix makes the name of the notes' watch. No namespace has it.
const deliveriesSuffix = "#deliveries"

// overfull says once that there are too many notes; it needs mu.
func (d *deliveries) overfull() {
	if !d.full {
		d.log.Log(context.Background(), slog.LevelWarn, "nothing can be saved, and there are too many notes of what was told; after a kill some of it may be told again", "notes", len(d.notes))
	}
	d.full = true
}

// mostNotes bounds the notes while nothing can be saved.
const mostNotes = 100_000

// delivery is one thing to note.
type delivery struct {
	of        *decode.Identity
	knowledge knowledge
	sequence  uint64
}

// note writes down what a subscription was told or has acknowledged, oldest first.
// It fails when nothing is noted any more, with [resume.ErrCheckpointClosed], and in
// silence but for the log when this is not: then something may be told again. So it
// may when there are mostNotes already.
func (d *deliveries) note(subscription string, all []delivery) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batch.Reset()
	for i := range all {
		key := noteKey{subscription, all[i].of.UID}
		before, noted := d.notes[key]
		switch {
		case key.uid == "", !noted && all[i].sequence <= d.saved:
			continue
		case !noted && len(d.notes) >= mostNotes:
			d.overfull()
			continue
		}
		n, changed := before.after(&all[i])
		d.notes[key] = n
		if changed {
			d.put(&d.batch, key, &n)
		}
	}
	d.most = max(d.most, len(d.notes))
	if d.batch.Len() > 0 {
		d.write()
	}
	if d.ended {
		return resume.ErrCheckpointClosed
	}
	return nil
}

// write adds the batch; it needs mu.
func (d *deliveries) write() {
	defer d.batch.Reset() // it keeps little
	if d.ended {
		return
	}
	err := resume.ErrNothingSaved
	if d.begun {
		err = d.store.Note(context.Background(), d.id.Watch, &d.batch)
	}
	if errors.Is(err, resume.ErrNothingSaved) {
		err = d.begin()
	}
	switch {
	case errors.Is(err, resume.ErrCheckpointClosed):
		d.ended = true
	case err != nil:
		d.begun = false // with the next, all are written
		d.log.Log(context.Background(), slog.LevelWarn, "what was told cannot be noted; after a kill it may be told again", "error", err)
	}
}

// begin writes all notes that there are, in the place of what was there. It needs
// mu.
func (d *deliveries) begin() error {
	err := d.store.Replace(context.Background(), d.id, "", d.records())
	d.begun = err == nil
	return err
}

func (d *deliveries) records() iter.Seq2[resume.Record, error] {
	return func(yield func(resume.Record, error) bool) {
		for key, n := range d.notes {
			if !yield(resume.Record{Meta: d.meta(key, &n)}, nil) {
				return
			}
		}
	}
}

func (d *deliveries) put(b *resume.Batch, key noteKey, n *note) {
	m := d.meta(key, n)
	b.Put(&m, nil)
}

// meta is a note as a checkpoint's object, borrowed until the next: its namespace
// is the subscription, its name the uid, its uid the object's key, its version
// knowledge and version.
func (d *deliveries) meta(key noteKey, n *note) decode.Meta {
	b := append(append(d.text[:0], key.subscription...), key.uid...)
	b = append(append(append(b, n.of.Namespace...), '/'), n.of.Name...)
	object := len(b)
	d.text = append(append(b, byte(n.knowledge)), n.version...)
	uid := len(key.subscription)
	name := uid + len(key.uid)
	return decode.Meta{Namespace: d.text[:uid], Name: d.text[uid:name], UID: d.text[name:object], ResourceVersion: d.text[object:]}
}

// settle drops the notes of what is saved: all up to the sequence number.
func (d *deliveries) settle(saved uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	d.batch.Reset()
	d.saved = max(d.saved, saved)
	for key, n := range d.notes {
		if n.until <= saved {
			delete(d.notes, key)
			m := d.meta(key, &n)
			d.batch.Delete(&m)
		}
	}
	if d.most > keptEntries && len(d.notes) < d.most/4 {
		few := make(map[noteKey]note, len(d.notes))
		maps.Copy(few, d.notes)
		d.notes, d.most = few, len(few)
	}
	if d.begun && d.batch.Len() > 0 {
		d.write()
	}
}

// caughtUp says that all that follows from an earlier process's notes was told up
// to the sequence number.
func (d *deliveries) caughtUp(sequence uint64) {
	d.doubted = false
	for _, p := range d.pasts {
		p.clear()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, n := range d.notes {
		if n.until == unsettled {
			n.until = sequence
			d.notes[key] = n
		}
	}
}

// behind reports whether the server is behind a version that is noted: its history
// was rewritten.
func (d *deliveries) behind(head string) bool {
	for _, p := range d.pasts {
		if p.ahead(head) {
			return true
		}
	}
	return false
}

// doubt forgets which versions were acknowledged: a history that was rewritten may
// use them for something else. It is written down, for the server may be ahead of
// them when the next process asks.
func (d *deliveries) doubt() {
	d.doubted = true
	for _, p := range d.pasts {
		p.doubt()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.batch.Reset()
	for key, n := range d.notes {
		n = n.doubted()
		d.notes[key] = n
		d.put(&d.batch, key, &n)
	}
	if d.batch.Len() > 0 {
		d.write()
	}
}

// load reads what an earlier process has noted, and keeps in mind what is of the
// subscriptions in pasts.
func (d *deliveries) load(ctx context.Context) error {
	saved, err := d.store.Load(ctx, d.id.Watch)
	if errors.Is(err, resume.ErrNothingSaved) {
		return nil
	}
	if err != nil {
		return err
	}
	if saved.Identity.Group != d.id.Group || saved.Identity.Resource != d.id.Resource {
		return nil // its uids say nothing
	}
	if err := d.recallAll(saved); err != nil {
		return err
	}
	if len(foreignTo(saved.Identity, d.id)) > 0 {
		d.doubt() // what was acknowledged was something else
	}
	return nil
}

func (d *deliveries) recallAll(saved *resume.Saved) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r, err := range saved.Objects {
		if err != nil {
			return err
		}
		d.recall(&r.Meta)
	}
	d.begun = len(foreignTo(saved.Identity, d.id)) == 0 // otherwise it is written anew
	return nil
}

// recall takes in one note; it needs mu.
func (d *deliveries) recall(m *decode.Meta) {
	namespace, name, ok := strings.Cut(string(m.UID), "/")
	if !ok || len(m.ResourceVersion) == 0 {
		return
	}
	key := noteKey{string(m.Namespace), string(m.Name)}
	of := &decode.Identity{Namespace: namespace, Name: name, UID: key.uid}
	n := note{of: of, version: string(m.ResourceVersion[1:]), until: unsettled, knowledge: knowledge(m.ResourceVersion[0])}
	d.doubted = d.doubted || n.version == doubtful
	d.notes[key] = n
	if past := d.pasts[key.subscription]; past != nil {
		past.add(key.uid, n)
		d.orphans.add(of.Key(), key.uid)
	}
}
