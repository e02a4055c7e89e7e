package main

import "testing"

// TestCurrent checks that the files are those that the required release gives.
func TestCurrent(t *testing.T) {
	t.Chdir("../..")
	if err := generateAll(true); err != nil {
		t.Error(err)
	}
}
