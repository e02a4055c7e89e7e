package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/resume/checkpoint"
)

const checkpointLong = `Looks into the file in which a watch keeps what it knows across restarts.

show and verify may be used while a process has the file open; compact may not.`

const checkpointExample = `  rawwatch checkpoint show /var/lib/agent/watch.ckpt
  rawwatch checkpoint show watch.ckpt -o json | jq .watches[].objects
  rawwatch checkpoint verify watch.ckpt       # exit code 1 if it is damaged
  rawwatch checkpoint compact watch.ckpt`

func (a *app) checkpointCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "checkpoint",
		Short:   "Look into the file that a watch goes on from, check it, make it smaller",
		Long:    checkpointLong,
		Example: checkpointExample,
	}
	group(cmd)
	cmd.AddCommand(a.checkpointShowCommand(), a.checkpointVerifyCommand(), a.checkpointCompactCommand())
	return cmd
}

// oneFile refuses anything but one file.
func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "":
		return misuse("name a checkpoint file: %s", cmd.UseLine())
	case len(args) > 1:
		return misuse("%s takes one file", cmd.Name())
	}
	return nil
}

func (a *app) checkpointShowCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print which watches a file holds: identity, version, number of objects, sizes",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDocumentFormat(format); err != nil {
				return err
			}
			report, err := checkpoint.Show(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			if report.Damage != "" {
				a.say("warning: %s\n", report.Damage)
			}
			return a.printDocument(report, format)
		},
	}
	bindDocumentFormat(cmd, &format)
	return cmd
}

func (a *app) checkpointVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Check every checksum and read every record",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := checkpoint.Verify(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			for _, w := range report.Watches {
				if w.Sealed {
					a.say("note: the records of %v are encrypted: their checksums were checked, not what is in them\n", w.Identity)
				}
			}
			torn := ""
			if report.Torn > 0 {
				torn = fmt.Sprintf("; %d bytes at the end are of a write that was cut off, which does no harm", report.Torn)
			}
			_, err = fmt.Fprintf(a.stdout, "%s: good, format %d, %d bytes, %d frames, %d watches%s\n",
				harmless(report.Path), report.Format, report.Size, report.Frames, len(report.Watches), torn)
			return writeError(err)
		},
	}
}

func (a *app) checkpointCompactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact FILE",
		Short: "Rewrite a file without what is superseded",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, after, err := checkpoint.Compact(cmd.Context(), args[0], nil)
			var seal *checkpoint.SealError
			if errors.As(err, &seal) {
				return fmt.Errorf("an encrypted checkpoint is compacted by the program that has its key: %w", err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "%s: %d bytes, was %d\n", harmless(args[0]), after, before)
			return writeError(err)
		},
	}
}
