package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/ui/lines"
	"leasetop/watcher"
)

func (a *app) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list [PATTERN...]",
		Short: "Print the leases of this moment and end",
		Long: "List reads every lease once and prints it with the time that was left when it was read. Where nothing matches it prints nothing. " +
			"How many keys it passed is told on stderr.\n\n" + patternHelp,
		Example: "leasetop list 'lock:*'\nleasetop list --json 'lock:*' | jq 'select(.state == \"no-expiry\").key'",
		Args:    cobra.ArbitraryArgs,
		RunE:    a.command(a.list),
	}
	a.flags.reading(c)
	a.flags.machine(c)
	return c
}

func (a *app) list(ctx context.Context, cmd *cobra.Command, args []string) error {
	cfg, err := a.watched(cmd, args)
	if err != nil {
		return err
	}
	style, err := a.style()
	if err != nil {
		return err
	}
	inputs, counters, err := watcher.New(cfg).Snapshot(ctx)
	if err != nil {
		return err
	}
	leases := leasesOf(inputs)
	if err := lines.WriteLeases(a.stdout, a.flags.format(), style, leases); err != nil {
		return err
	}
	passed(a, len(leases), &counters)
	return nil
}

// passed tells on stderr what stdout does not: how much was looked at, and what
// could not be read.
func passed(a *app, leases int, c *model.Counters) {
	fmt.Fprintf(a.stderr, "%d leases; passed %d keys", leases, c.Scanned)
	if c.Denied > 0 {
		fmt.Fprintf(a.stderr, ", %d of them not readable for this user", c.Denied)
	}
	fmt.Fprintln(a.stderr)
}

// leasesOf are the keys that hold something by their last reading, in the order
// of their names. A key that a format knows and nobody is on, such as a counter
// at zero, is no lease.
func leasesOf(inputs []model.Input) []lines.Lease {
	last := make(map[model.Key]*model.Reading)
	for _, in := range inputs {
		if o := in.Observation; o != nil && o.Reading != nil {
			last[o.Key] = o.Reading
		}
	}
	leases := make([]lines.Lease, 0, len(last))
	for key, r := range last {
		unknown := r.Format == "" || r.Format == keyspace.Unknown
		if r.Present() && (unknown || len(r.Holders)+len(r.Expired) > 0) {
			leases = append(leases, lines.Lease{Key: key, Reading: r})
		}
	}
	lines.SortLeases(leases)
	return leases
}
