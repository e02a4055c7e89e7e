package main

import (
	"bytes"
	"compress/flate"
	"fmt"
)

// blockSize is about how much of the table is inflated to read one message.
// Larger blocks save few bytes: all in one would be a quarter smaller.
const blockSize = 16 << 10

// pack is the table in the form that programs link; internal/schema says which.
func pack(table []byte) ([]byte, error) {
	var header, blocks bytes.Buffer
	for len(table) > 0 {
		n := blockEnd(table)
		var deflated bytes.Buffer
		w, err := flate.NewWriter(&deflated, flate.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(table[:n]); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		first := table[:bytes.IndexAny(table, " \n")]
		fmt.Fprintf(&header, "%s %d %d\n", first, n, deflated.Len())
		blocks.Write(deflated.Bytes())
		table = table[n:]
	}
	header.WriteByte('\n')
	return append(header.Bytes(), blocks.Bytes()...), nil
}

// blockEnd is where the first message begins that is not in the first block.
func blockEnd(table []byte) int {
	for i := min(blockSize, len(table)); i < len(table); i++ {
		if table[i-1] == '\n' && table[i] != ' ' {
			return i
		}
	}
	return len(table)
}
