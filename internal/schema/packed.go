package schema

import (
	"compress/flate"
	_ "embed" // for the table
	"io"
	"strconv"
	"strings"
	"sync"
	"weak"
)

// packed is table.txt, cut into blocks between messages and deflated, since it
// would else be a fiftieth of a small agent. Before the blocks stands a line for
// each, with the name of its first message, its length, and its length as
// deflated; an empty line ends them. bench/cmd/schemagen writes both files.
//
//go:embed table.bin
var packed string

// block is the text of some of the table's messages.
type block struct {
	first  string // the name of the first one
	length int
	packed string
}

// blocks yields the table's blocks in order.
func blocks(yield func(int, block) bool) {
	header, rest, _ := strings.Cut(packed, "\n\n")
	i := 0
	for line := range strings.Lines(header) {
		first, lengths, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		plain, deflated, _ := strings.Cut(lengths, " ")
		length, _ := strconv.Atoi(plain)
		end, _ := strconv.Atoi(deflated)
		if !yield(i, block{first, length, rest[:end]}) {
			return
		}
		rest = rest[end:]
		i++
	}
}

// reading is what is needed to look up messages.
type reading struct {
	texts    map[int][]byte // of the blocks that were inflated
	inflater io.ReadCloser  // nil before the first
}

// current is the reading for as long as the garbage collector lets it: who asks
// for one message asks for its neighbours next, and then for long for none.
var current struct {
	sync.Mutex
	reading weak.Pointer[reading]
}

// blockOf is the text of the block that would hold the message of that name.
func blockOf(name string) []byte {
	var in block
	at := -1
	for i, b := range blocks {
		if b.first > name {
			break
		}
		at, in = i, b
	}
	if at < 0 {
		return nil
	}
	current.Lock()
	defer current.Unlock()
	r := current.reading.Value()
	if r == nil {
		r = &reading{texts: map[int][]byte{}}
		current.reading = weak.Make(r)
	}
	text, ok := r.texts[at]
	if !ok {
		text = r.inflate(in)
		r.texts[at] = text
	}
	return text
}

// inflate is the block's text. The table is part of the program, and the tests
// have inflated all of it.
func (r *reading) inflate(b block) []byte {
	from := strings.NewReader(b.packed)
	var err error
	if r.inflater == nil {
		r.inflater = flate.NewReader(from)
	} else {
		err = r.inflater.(flate.Resetter).Reset(from, nil)
	}
	text := make([]byte, b.length)
	if err == nil {
		_, err = io.ReadFull(r.inflater, text)
	}
	if err != nil {
		panic("schema: the program's own table is damaged: " + err.Error())
	}
	return text
}
