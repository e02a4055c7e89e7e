package decode

import "bytes"

// resolver turns marks into values, and keeps the first complaint.
type resolver struct {
	b    []byte // what the marks point into
	base int64  // offset of b[0]
	m    *Meta
	err  *ObjectError
}

// resolve fills meta from the marked places of b, whose first byte is at
// offset base. All of them are read, so that an object with one bad member
// still has its key.
func (k *marks) resolve(b []byte, base int64, meta *Meta) *ObjectError {
	r := resolver{b: b, base: base, m: meta}
	meta.APIVersion = r.text("apiVersion", k.apiVersion)
	meta.Kind = r.text("kind", k.kind)
	if r.isObject("metadata", k.metadata) {
		meta.Namespace = r.text("metadata.namespace", k.meta.namespace)
		meta.Name = r.text("metadata.name", k.meta.name)
		meta.UID = r.text("metadata.uid", k.meta.uid)
		meta.ResourceVersion = r.text("metadata.resourceVersion", k.meta.resourceVersion)
		if r.isObject("metadata.annotations", k.meta.annotations) {
			meta.InitialEventsEnd = r.isTrue(k.meta.endMark)
		}
	}
	if r.err != nil {
		r.err.Key = meta.key()
	}
	return r.err
}

// text is the string at p; null and nothing are the empty string.
func (r *resolver) text(path string, p span) []byte {
	if p == (span{}) {
		return nil
	}
	switch r.b[p.lo] {
	case '"':
		return r.plain(p)
	case 'n':
	default:
		r.complain(path, p, "a string")
	}
	return nil
}

// plain is the text of the string at p, quotes included.
func (r *resolver) plain(p span) []byte {
	raw := r.b[p.lo+1 : p.hi-1 : p.hi-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	from := len(r.m.scratch)
	r.m.scratch = unescape(r.m.scratch, raw)
	return r.m.scratch[from:len(r.m.scratch):len(r.m.scratch)]
}

func (r *resolver) isObject(path string, p span) bool {
	if p == (span{}) || r.b[p.lo] == 'n' {
		return false
	}
	if r.b[p.lo] != '{' {
		r.complain(path, p, "an object")
		return false
	}
	return true
}

// isTrue says whether p is the string "true"; anything else, the boolean true
// included, is not the mark (annotations are strings).
func (r *resolver) isTrue(p span) bool {
	return p != (span{}) && r.b[p.lo] == '"' && string(unescaped(r.b[p.lo+1:p.hi-1])) == "true"
}

func (r *resolver) complain(path string, p span, want string) {
	if r.err == nil {
		r.err = &ObjectError{Path: path, Offset: r.base + int64(p.lo), Token: tokenOf(r.b, p), Want: want}
	}
}
