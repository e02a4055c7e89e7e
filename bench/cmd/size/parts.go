package main

import (
	"fmt"
	"io"
	"strings"
)

const self = "github.com/rawwatch/rawwatch/"

// rooms are the rows of the table, in its order; the first prefix that fits
// names a package's row.
var rooms = []struct {
	title    string
	prefixes []string
}{
	{"rawwatch (with generics of the agent's own types)", []string{self + "rawwatch"}},
	{"decode", []string{self + "decode"}},
	{"internal/schema: the table of protobuf", []string{self + "internal/schema"}},
	{"resume", []string{self + "resume"}},
	{"kubeconfig/access", []string{self + "kubeconfig/access", self + "internal/silent"}},
	{"the agent's main", []string{"main"}},
	{"gobreaker, x/time/rate", []string{"github.com/sony/gobreaker", "golang.org/x/time"}},
	{"klauspost/compress: deflates checkpoints", []string{"github.com/klauspost"}},
	{"golang.org/x/net/http2", []string{"golang.org/x/net/http2", "golang.org/x/net/internal", "golang.org/x/net/http/httpguts"}},
	{"x/net's names in other scripts (idna, x/text)", []string{"golang.org/x/net/idna", "golang.org/x/text"}},
	{"x/net/http/httpproxy", []string{"golang.org/x/net/http/httpproxy"}},
	{"net/http, with HTTP/2 of its own", []string{"net/http", "vendor/golang.org/x/net/http", "mime", "net/textproto"}},
	{"net/http's names in other scripts", []string{"vendor/golang.org/x/net/idna", "vendor/golang.org/x/text"}},
	{"TLS, X.509 and cryptography", []string{"crypto", "vendor/golang.org/x/crypto", "encoding/asn1", "encoding/pem", "math/big", "hash"}},
	{"net, DNS, URLs", []string{"net", "vendor/golang.org/x/net/dns", "internal/singleflight"}},
	{"encoding/json", []string{"encoding/json"}},
	{"fmt, reflect, strconv, unicode", []string{"fmt", "reflect", "internal/fmtsort", "strconv", "internal/strconv", "unicode", "internal/reflectlite"}},
	{"compress", []string{"compress"}},
	{"runtime", []string{"runtime", "internal/runtime", "internal/cpu", "internal/bytealg", "internal/abi", "internal/chacha8rand", "internal/godebug", "internal/bisect"}},
}

const (
	others   = "the rest of the standard library"
	noOnes   = "types, texts, constants (of all of the above)"
	lineRow  = "tables of functions, lines and frames (of all of the above)"
	linkRow  = "headers, padding"
	totalRow = "**the file**"
)

func partOf(symbol string) string {
	pkg := packageOf(symbol)
	if pkg == "" {
		return noOnes
	}
	for _, room := range rooms {
		for _, prefix := range room.prefixes {
			if pkg == prefix || strings.HasPrefix(pkg, prefix+"/") || strings.HasPrefix(pkg, prefix) && strings.HasSuffix(prefix, "/") {
				return room.title
			}
		}
	}
	return others
}

// parts is the table by package, a column for each program.
func parts(w io.Writer, all []size) {
	fmt.Fprint(w, "| package |")
	for _, s := range all {
		fmt.Fprintf(w, " %s |", s.title)
	}
	fmt.Fprint(w, "\n|---|"+strings.Repeat("--:|", len(all))+"\n")
	row := func(title string, of func(size) int64) {
		fmt.Fprintf(w, "| %s |", title)
		for _, s := range all {
			fmt.Fprintf(w, " %s |", number(of(s)))
		}
		fmt.Fprintln(w)
	}
	for _, room := range rooms {
		row(room.title, func(s size) int64 { return s.parts[room.title] })
	}
	row(others, func(s size) int64 { return s.parts[others] })
	row(noOnes, func(s size) int64 { return s.parts[noOnes] })
	row(lineRow, func(s size) int64 { return s.lines })
	row(linkRow, func(s size) int64 {
		rest := s.bytes - s.lines
		for _, n := range s.parts {
			rest -= n
		}
		return rest
	})
	row(totalRow, func(s size) int64 { return s.bytes })
}

// wholes is the table of files, each beside the floor that agents stand on.
func wholes(w io.Writer, floors, agents []size) {
	floor := floors[1]
	fmt.Fprintln(w, "| program | bytes | above the floor |\n|---|--:|--:|")
	for _, s := range floors {
		above := ""
		if s.title == floor.title {
			above = "the floor"
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", s.title, number(s.bytes), above)
	}
	for _, s := range agents {
		fmt.Fprintf(w, "| examples/%s | %s | %s |\n", s.title, number(s.bytes), number(s.bytes-floor.bytes))
	}
}

// number has a comma between thousands.
func number(n int64) string {
	if n < 0 {
		return "-" + number(-n)
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
