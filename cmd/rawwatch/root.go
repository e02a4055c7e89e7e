package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `Lists and watches Kubernetes resources. A watch survives server restarts, cut
connections and expired histories; memory stays flat however long the list.

Data goes to standard output, everything else to standard error.`

const rootExample = `  rawwatch demo                            # no cluster needed
  rawwatch list pods -A                    # namespace/name, one per line
  rawwatch list deploy -n edge -o json     # one object per line
  rawwatch watch pods -l app=web           # the state, then every change`

// rootCommand builds the tree of commands anew: flags hold state.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "rawwatch",
		Short:         "List and watch Kubernetes resources",
		Long:          rootLong,
		Example:       rootExample,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	group(root)
	a.connection.bind(root.PersistentFlags())
	root.PersistentFlags().IntVarP(&a.verbosity, "v", "v", 0, "log to stderr: 1 what happens, 2 details too")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err: err} })
	root.SetUsageTemplate(usageTemplate)
	root.AddCommand(a.listCommand(), a.watchCommand(), a.checkpointCommand(), a.demoCommand(), a.configCommand(), a.versionCommand())
	return root
}

// group makes cmd print its help when called alone, and refuse a word that is
// none of its commands.
func group(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		message := "unknown command %q"
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			message += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return misuse(message, args[0])
	}
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{err: errors.New(cmd.Name() + " takes no arguments")}
	}
	return nil
}

// usageTemplate keeps the help of a command to the command: the flags that all
// have in common stand in the root's help.
const usageTemplate = `Usage:{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]{{else}}
  {{.UseLine}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags for cluster, user and namespace are kubectl's: see "{{.Root.Name}} --help".{{end}}
`
