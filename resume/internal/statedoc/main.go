// Command statedoc draws docs/states.md from the resume machine's table and
// from what the states' own comments say. go generate runs it in resume.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: statedoc RESUME-FOLDER OUTPUT-FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "statedoc:", err)
		os.Exit(1)
	}
}

func write(folder, output string) error {
	page, err := render(folder)
	if err != nil {
		return err
	}
	return os.WriteFile(output, page, 0o644)
}
