package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/decode"
	"github.com/rawwatch/rawwatch/rawwatch"
)

const listLong = `Prints the objects of a resource, one per line, while they arrive: neither the
list nor a page of it is ever in memory as a whole.

-o name prints kubectl's TYPE/NAME, or NAMESPACE/NAME with -A.
-o wide prints the columns that the server has for people, as kubectl does.
-o json prints each object as one line of JSON.`

const listExample = `  rawwatch list pods -n kube-system
  rawwatch list deployments.v1.apps -A
  rawwatch list pods/web-0 -o json
  rawwatch list pods -A --field-selector spec.nodeName=node-7 -o json`

func (a *app) listCommand() *cobra.Command {
	var (
		s      selection
		format string
	)
	cmd := &cobra.Command{
		Use:     "list RESOURCE[/NAME]",
		Short:   "Print the objects of a resource",
		Long:    listLong,
		Example: listExample,
		Args:    s.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			return a.list(cmd.Context(), s, format)
		},
		ValidArgsFunction: completeResource,
	}
	s.bind(cmd.Flags())
	bindFormat(cmd, &format)
	return cmd
}

func bindFormat(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVarP(format, "output", "o", "name", "`format`: name, wide or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputFormats, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) list(ctx context.Context, s selection, format string) error {
	client, config, err := a.open(rawwatch.ClientOptions{Logger: a.logger(), Link: s.link.link})
	if err != nil {
		return err
	}
	defer closeClient(client)
	q, err := s.query(ctx, client, config.Namespace)
	if err != nil {
		return err
	}
	l, err := a.newListing(q, format)
	if err != nil {
		return err
	}
	return l.run(ctx, client, s)
}

// closeClient is for the end of a command, where all requests are over and
// nothing can be done about a failure any more.
func closeClient(c *rawwatch.Client) { _ = c.Close() }

// listing is one list on its way to standard output.
type listing struct {
	*app
	query    rawwatch.Query
	out      *output
	output   string // as -o names it
	format   objectFormat
	progress *progress
	printed  int64
	unread   int64
}

func (a *app) newListing(q rawwatch.Query, format string) (*listing, error) {
	f, err := formatOfList(format, q)
	if err != nil {
		return nil, err
	}
	return &listing{app: a, query: q, out: newOutput(a.stdout), output: format, format: f, progress: newProgress(a.stderr, a.stdout)}, nil
}

func (l *listing) run(ctx context.Context, client *rawwatch.Client, s selection) error {
	var flushed error
	options := rawwatch.ListOptions{PageLimit: s.pageLimit(), OnPage: func(page decode.ListMeta) {
		flushed = l.out.flush()
		l.progress.show(l.printed, page.RemainingItemCount)
	}}
	options.Encoding, options.MetadataOnly = s.form(l.output)
	var failed error
	if l.output == formatWide {
		failed = l.wide(ctx, client, options)
	} else {
		failed = l.print(client.List(ctx, l.query, options), &flushed)
	}
	l.progress.clear()
	// What came before a failure is still worth having.
	if err := l.out.flush(); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return l.conclude()
}

// print writes the objects until they end, or the reader has left.
func (l *listing) print(objects func(func(rawwatch.Object, error) bool), flushed *error) error {
	for object, err := range objects {
		if _, unread := err.(*decode.ObjectError); unread {
			l.leaveOut(err)
			continue
		}
		if err != nil {
			return err
		}
		if *flushed != nil {
			return *flushed
		}
		l.printed++
		if err := l.out.writeLine(func(dst []byte) ([]byte, error) { return l.format(dst, object) }); err != nil {
			return err
		}
	}
	return *flushed
}

// leaveOut says that an object cannot be printed.
func (l *listing) leaveOut(problem error) {
	l.unread++
	l.progress.clear()
	l.say("warning: an object cannot be read and is left out: %v\n", problem)
}

// conclude says what a script, or a user who sees nothing, should know.
func (l *listing) conclude() error {
	switch {
	case l.unread > 0:
		return fmt.Errorf("%d of %d objects could not be read", l.unread, l.unread+l.printed)
	case l.printed == 0 && l.query.ObjectName != "":
		return fmt.Errorf("there is no %s", describe(l.query))
	case l.printed == 0:
		l.say("no %s\n", describe(l.query))
	}
	return nil
}
