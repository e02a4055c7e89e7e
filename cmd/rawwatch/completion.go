package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// completeResource offers the names that every cluster knows. The server is
// not asked: a shell that hangs on the tab key is worse than a missing name.
func completeResource(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	plural := map[string]bool{}
	for _, r := range wellKnown {
		plural[r.GroupResource()] = true
	}
	return slices.Sorted(maps.Keys(plural)), cobra.ShellCompDirectiveNoFileComp
}
