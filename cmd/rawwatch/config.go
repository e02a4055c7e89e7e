package main

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

const configExample = `  rawwatch config view --context edge
  rawwatch config current-context
  rawwatch config whoami`

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Show what was understood of the kubeconfig",
		Example: configExample,
	}
	group(cmd)
	cmd.AddCommand(a.configViewCommand(), a.currentContextCommand(), a.whoamiCommand())
	return cmd
}

func (a *app) configViewCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "view",
		Short: "Print the configuration in effect, from which file, without secrets",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkDocumentFormat(format); err != nil {
				return err
			}
			config, err := a.load()
			if err != nil {
				return err
			}
			return a.printDocument(config.Describe(), format)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	bindDocumentFormat(cmd, &format)
	return cmd
}

func (a *app) currentContextCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "current-context",
		Short: "Print the name of the context in effect",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			config, err := a.load()
			if err != nil {
				return err
			}
			if config.Context == "" {
				return fmt.Errorf("no context: the configuration comes from %s", cmp.Or(config.Source, "flags"))
			}
			_, err = fmt.Fprintln(a.stdout, config.Context)
			return writeError(err)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func bindDocumentFormat(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVarP(format, "output", "o", "yaml", "`format`: yaml or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"yaml", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

func checkDocumentFormat(format string) error {
	if format == "yaml" || format == "json" {
		return nil
	}
	return misuse("unknown output format %q: yaml and json are known", format)
}

// printDocument prints a whole document, not a stream of lines.
func (a *app) printDocument(doc any, format string) error {
	text, err := yaml.Marshal(doc)
	if format == "json" {
		text, err = json.MarshalIndent(doc, "", "  ")
		text = append(text, '\n')
	}
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(text)
	return writeError(err)
}
