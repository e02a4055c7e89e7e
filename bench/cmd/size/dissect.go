package main

import (
	"debug/elf"
	"fmt"
	"strings"
)

// size is where a program's bytes are.
type size struct {
	title string
	bytes int64            // of the stripped file
	parts map[string]int64 // by the part that part names
	lines int64            // tables of functions, lines and frames: pclntab and funcdata
}

// dissect adds up the symbols of a program that has its names.
func dissect(file string) (size, error) {
	f, err := elf.Open(file)
	if err != nil {
		return size{}, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return size{}, fmt.Errorf("%s: %w", file, err)
	}
	s := size{parts: map[string]int64{}}
	if section := f.Section(".gopclntab"); section != nil {
		s.lines = int64(section.Size)
	}
	for _, section := range f.Sections {
		if isCounted(section) {
			s.parts[noOnes] += int64(section.Size)
		}
	}
	for _, symbol := range symbols {
		if int(symbol.Section) >= len(f.Sections) || symbol.Section == elf.SHN_UNDEF {
			continue
		}
		if !isCounted(f.Sections[symbol.Section]) {
			continue
		}
		s.parts[noOnes] -= int64(symbol.Size) // it has a name
		if strings.HasPrefix(symbol.Name, "go:func.") {
			s.lines += int64(symbol.Size)
		} else {
			s.parts[partOf(symbol.Name)] += int64(symbol.Size)
		}
	}
	return s, nil
}

// isCounted is true for what a program has in its file and in memory, but for
// the table that is counted as a whole.
func isCounted(s *elf.Section) bool {
	return s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 && s.Name != ".gopclntab"
}

// packageOf is the package of a symbol; "" is none: types, texts, what the
// linker makes.
func packageOf(symbol string) string {
	name, _, _ := strings.Cut(symbol, "[") // type arguments name other packages
	name, _, _ = strings.Cut(name, "(")
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 || strings.Contains(name, ":") {
		return ""
	}
	return strings.ReplaceAll(name[:slash+dot], "%2e", ".")
}
