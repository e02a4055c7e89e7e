package decode

// marks are the places of an object's members that matter, noted while the
// object is crossed. They are looked at only when it is complete: by then the
// last of two equal names has won, and the buffer no longer moves.
type marks struct {
	apiVersion, kind, metadata span
	meta                       metaMarks
}

type metaMarks struct {
	namespace, name, uid, resourceVersion, annotations span
	endMark                                            span // the value of the annotation InitialEventsEnd
	largest                                            span // of the others: managedFields, as a rule
}

// object crosses the object at i and marks its members. What is no object is
// crossed too: whether that is an error is the caller's matter.
func (s *scanner) object(m *marks) error {
	*m = marks{}
	if s.b[s.i] != '{' {
		return s.skip()
	}
	if err := s.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		key, ok, err := s.next(first)
		if err != nil || !ok {
			return err
		}
		lo := s.i
		var place *span
		switch string(s.name(key)) {
		case "metadata":
			place = &m.metadata
			err = s.metadata(&m.meta)
		case "apiVersion":
			place = &m.apiVersion
			err = s.skip()
		case "kind":
			place = &m.kind
			err = s.skip()
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
		if place != nil {
			*place = span{lo, s.i}
		}
	}
}

func (s *scanner) metadata(m *metaMarks) error {
	*m = metaMarks{}
	if s.b[s.i] != '{' {
		return s.skip()
	}
	if err := s.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		key, ok, err := s.next(first)
		if err != nil || !ok {
			return err
		}
		lo := s.i
		place := m.place(s.name(key))
		if place == &m.annotations {
			err = s.annotations(m)
		} else {
			err = s.skip()
		}
		if err != nil {
			return err
		}
		if place != nil {
			*place = span{lo, s.i}
		} else if s.i-lo > m.largest.hi-m.largest.lo {
			m.largest = span{lo, s.i}
		}
	}
}

func (m *metaMarks) place(name []byte) *span {
	switch string(name) {
	case "namespace":
		return &m.namespace
	case "name":
		return &m.name
	case "uid":
		return &m.uid
	case "resourceVersion":
		return &m.resourceVersion
	case "annotations":
		return &m.annotations
	}
	return nil
}

func (s *scanner) annotations(m *metaMarks) error {
	m.endMark = span{}
	if s.b[s.i] != '{' {
		return s.skip()
	}
	if err := s.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		key, ok, err := s.next(first)
		if err != nil || !ok {
			return err
		}
		isMark := string(s.name(key)) == InitialEventsEnd
		value, err := s.value()
		if err != nil {
			return err
		}
		if isMark {
			m.endMark = value
		}
	}
}
