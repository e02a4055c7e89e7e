package decode

// member crosses one member of the list's body, or its closing brace.
func (l *ListReader) member() error {
	y := &l.body
	if _, err := y.inside(); err != nil {
		return err
	}
	key, ok, err := y.next(l.first)
	if err != nil {
		return err
	}
	l.first = false
	if !ok {
		l.place = afterList
		y.advance(y.i)
		return nil
	}
	if string(y.name(key)) == "items" {
		if l.list.items {
			return l.itemsAgain()
		}
		if y.b[y.i] == '[' {
			return l.openItems()
		}
	}
	value, err := y.value()
	if err != nil {
		return err
	}
	l.list.set(y.name(key), value.of(y.b), y.base+int64(value.lo))
	y.advance(y.i)
	return nil
}

func (l *ListReader) openItems() error {
	y := &l.body
	l.list.items, l.list.noItems, l.list.badItems = true, false, nil
	l.kind, l.vers = []byte(kindOfItems(l.list.status.Kind)), []byte(l.list.status.APIVersion)
	l.place, l.first = inItems, true
	return y.pass()
}

// itemsAgain refuses a second "items", whatever its value. Of a member that
// comes twice the last counts, but the items of the first are handed out
// already and can't be taken back.
func (l *ListReader) itemsAgain() error {
	y := &l.body
	return &SyntaxError{Offset: y.base + int64(y.i), Found: "a second \"items\"", Want: "one"}
}

// nextItem crosses one item, or the bracket that closes the array.
func (l *ListReader) nextItem() (found bool, err error) {
	y := &l.body
	c, err := y.inside()
	if err != nil {
		return false, err
	}
	if c == ']' {
		y.depth--
		l.place, l.first = inList, false
		y.advance(1)
		return false, nil
	}
	if !l.first {
		if c != ',' {
			return false, y.unexpected("',' or ']'")
		}
		y.advance(1)
		if _, err = y.inside(); err != nil {
			return false, err
		}
	}
	l.first = false
	y.expect(whatItem, l.itemLimit)
	if err = y.object(&l.marks); err != nil {
		return false, err
	}
	y.expect(whatMember, l.itemLimit)
	l.item.fill(y.take(), y.base, &l.marks)
	l.inherit(&l.item.Meta)
	return true, nil
}

// inherit gives an item what only its list says.
func (l *ListReader) inherit(m *Meta) {
	if len(m.Kind) == 0 {
		m.Kind = l.kind
	}
	if len(m.APIVersion) == 0 {
		m.APIVersion = l.vers
	}
}
