package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprintln(a.stdout, versionLine(info))
			return writeError(err)
		},
	}
}

// versionLine says how this program was built. info may be nil: then not much
// is known.
func versionLine(info *debug.BuildInfo) string {
	version, commit := "devel", ""
	if info != nil {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				commit = ", commit " + s.Value[:12]
			}
		}
	}
	return fmt.Sprintf("rawwatch %s (%s %s/%s%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, commit)
}
