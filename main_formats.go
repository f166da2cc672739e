package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"leasetop/keyspace"
)

func (a *app) formatsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "List the lock formats and libraries that are known, with their key patterns",
		Args:  noArgs,
		RunE: a.command(func(context.Context, *cobra.Command, []string) error {
			return printFormats(a.stdout)
		}),
	}
}

// printFormats prints the table of formats and the table of libraries.
func printFormats(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FORMAT\tTYPE\tWHAT IT IS")
	for _, f := range keyspace.Formats() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Name, strings.Join(f.Types, ","), f.About)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nPATTERNS are watched when none is given. A library without one lets the application name its locks:\ngive leasetop a pattern for them, and --format PATTERN=NAME where their format is not found out.\n ")
	fmt.Fprintln(t, "LIBRARY\tLANGUAGE\tFORMAT\tTTL\tRENEWS\tPATTERNS\tNOTE")
	for _, l := range keyspace.Libraries() {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Name, l.Language, l.Format, ttlHabit(&l), renewalHabit(&l), keysHabit(&l), l.Note)
	}
	return t.Flush()
}

// ttlHabit is the time that a library grants when the application says nothing.
func ttlHabit(l *keyspace.Library) string {
	switch {
	case l.TTL > 0:
		return short(l.TTL)
	case l.Endless:
		return "no expiry"
	}
	return "-"
}

// renewalHabit is how often a library renews by itself.
func renewalHabit(l *keyspace.Library) string {
	switch {
	case l.Every > 0:
		return "each " + short(l.Every)
	case l.Share > 0:
		return fmt.Sprintf("at %.0f %%", l.Share*100)
	}
	return "-"
}

func keysHabit(l *keyspace.Library) string {
	if len(l.Keys) == 0 {
		return "(any name)"
	}
	return strings.Join(l.Keys, " ")
}

// short spells a habit without its zeros: 30s, 5m, 24h.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
