package decode

import (
	"reflect"
	"sync"
)

// filler fills one value at a time. It keeps what is worth keeping from one to
// the next.
type filler struct {
	scanner
	shared map[string]string // texts that may come again
	uses   []textUse         // by leaf
	known  Identity          // of the object, if the caller keeps it
	// checked: a reader has checked the grammar of the object. It knows where
	// largest is.
	checked bool
	largest span
	json    []byte // room for what has to pass through JSON
	plain   []byte // room for strings with escapes
	writer  writer
	cause   error // of a leaf that did not fit, if a method said it
}

// fillers lends fillers. The first one stays with the plan, so that what it
// shares outlives garbage collections; others exist while calls overlap.
type fillers struct {
	mu    sync.Mutex // held while first is lent
	first filler
	more  sync.Pool
}

func (l *fillers) borrow(texts int) *filler {
	f := &l.first
	if !l.mu.TryLock() {
		var ok bool
		if f, ok = l.more.Get().(*filler); !ok {
			f = &filler{}
		}
	}
	if f.uses == nil {
		f.uses = make([]textUse, texts)
		f.shared = map[string]string{}
	}
	return f
}

// maxRoom bounds what a filler keeps of its rooms, in bytes.
const maxRoom = 16 << 10

func (l *fillers) giveBack(f *filler) {
	f.scanner, f.known, f.checked = scanner{}, Identity{}, false
	f.largest = span{}
	if cap(f.json) > maxRoom {
		f.json = nil
	}
	if cap(f.plain) > maxRoom {
		f.plain = nil
	}
	f.writer.rest()
	if f == &l.first {
		l.mu.Unlock()
	} else {
		l.more.Put(f)
	}
}

// decode fills v, a T, from one object, and shares what is known of it.
func (p *plan) decode(object []byte, m *Meta, known Known, v reflect.Value) error {
	f := p.fillers.borrow(p.texts)
	f.known = known.Identity
	if f.checked = known.Checked.of(object); f.checked {
		f.largest = known.Checked.largest
	}
	defer p.fillers.giveBack(f)
	v.SetZero()
	var err error
	if EncodingOf(object) == Protobuf {
		err = p.wireObject(f, object, v)
	} else if err = f.document(p.root, object, v); err == nil && m != nil {
		p.inherit(f, m, v)
	}
	if e, ok := err.(*ObjectError); ok {
		var m Meta
		if ScanMeta(object, &m) == nil || m.Name != nil {
			e.Key = m.key()
		}
	}
	return err
}

// inherit gives v the kind and apiVersion that its object did not say.
func (p *plan) inherit(f *filler, m *Meta, v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if p.kind != nil {
		f.ifEmpty(p.kind, v, m.Kind)
	}
	if p.version != nil {
		f.ifEmpty(p.version, v, m.APIVersion)
	}
}

func (f *filler) ifEmpty(m *member, v reflect.Value, text []byte) {
	if at := m.in(v); at.Len() == 0 {
		at.SetString(f.text(m.node.leaf, text))
	}
}
