package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPageIsFresh: docs/states.md says what the table says.
func TestPageIsFresh(t *testing.T) {
	want, err := render("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/states.md is stale: run go generate ./resume")
	}
}

// TestWrite: the command writes that page, and says what is wrong otherwise.
func TestWrite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "states.md")
	if err := write("../..", out); err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile(out); err != nil || !bytes.Contains(page, []byte("## Watching")) {
		t.Errorf("wrote %q, %v", page, err)
	}
	if err := write(t.TempDir(), out); err == nil {
		t.Error("no error for a folder without the states")
	}
}
