package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/rawwatch/rawwatch/resume"
)

// stateComments finds what the type of each state says about itself.
func stateComments(folder string) (map[resume.Phase]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, "states.go"), nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && g.Doc != nil {
			texts[strings.ToLower(g.Specs[0].(*ast.TypeSpec).Name.Name)] = g.Doc.Text()
		}
	}
	found := map[resume.Phase]string{}
	for p := resume.PhaseIdle; p <= resume.PhaseGaveUp; p++ {
		if text, ok := texts[strings.ToLower(p.String())]; ok {
			found[p] = sentence(text)
		}
	}
	return found, nil
}

// sentence drops the type's name, with which a Go comment begins.
func sentence(text string) string {
	_, rest, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ")
	return strings.ToUpper(rest[:1]) + rest[1:]
}
