package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"leasetop/model"
	"leasetop/ui"
	"leasetop/ui/lines"
	"leasetop/watcher/record"
)

// recorder opens the file of --record; nil where it was not given. An existing
// file is not overwritten: it may be the only trace of an incident.
func (f *flags) recorder() (*record.Recorder, error) {
	if f.record == "" {
		return nil, nil
	}
	file, err := os.OpenFile(f.record, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, usage(fmt.Errorf("record to %s: it exists already", f.record), "give the name of a new file")
	}
	if err != nil {
		return nil, usage(fmt.Errorf("record: %w", err), "give a file that can be written")
	}
	return record.NewRecorder(file)
}

// recorded ends a recording; its error says why it ended early.
func recorded(rec *record.Recorder) error {
	if rec == nil {
		return nil
	}
	return rec.Close()
}

// tells reports whether an input can change what a ledger tells: the passing of
// time can only when a deadline is due, and need not be recorded otherwise.
func tells(l *model.Ledger, in *model.Input) bool {
	if in.Advance == 0 {
		return true
	}
	due, ok := l.NextDeadline()
	return ok && due <= in.Advance
}

func (a *app) replayCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "The live screen over a recording, with its clock",
		Long: "Replay plays a file that --record wrote, from watch or from the live screen. With --json it prints the lines of watch instead, at once, " +
			"the same as were printed then. A last line that was cut off is passed over. FILE may be - for standard input with --json.",
		Example: "leasetop watch --record night.rec 'lock:*'\nleasetop replay night.rec\nleasetop replay --json night.rec | jq .change",
		Args:    oneFile,
		RunE:    a.command(a.replay),
	}
	c.Flags().Float64Var(&a.flags.speed, "speed", 1, "how many times as fast as it was (screen only)")
	c.Flags().StringArrayVar(&a.flags.aliases, "alias", nil, "call owners by a name: REGEXP=NAME")
	a.flags.machine(c)
	return c
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(errors.New("replay takes one file"), "leasetop replay FILE, where FILE was written by --record")
	}
	return nil
}

func (a *app) replay(ctx context.Context, _ *cobra.Command, args []string) error {
	var in io.ReadCloser = os.Stdin
	if args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return usage(fmt.Errorf("open the recording: %w", err), "give a file that --record wrote")
		}
		in = file
		defer file.Close()
	}
	if a.flags.json || a.flags.csv {
		return replayed(a.retell(ctx, in))
	}
	if !isTerminal(a.stdout) || args[0] == "-" {
		return usage(errors.New("the screen needs a terminal on stdout and a file"), "leasetop replay --json FILE prints lines")
	}
	play, err := record.NewReplay(in, args[0], a.flags.speed)
	if err != nil {
		return replayed(err)
	}
	alias, err := a.flags.aliaser()
	if err != nil {
		return err
	}
	return shown(replayed(ui.Run(ctx, ui.Config{
		Feed: play, Patterns: []string{args[0]}, Alias: alias,
		Options: ui.Options{ASCII: a.flags.ascii, NoColor: a.flags.colorless()},
	})))
}

// replayed gives an unusable file the exit status of an unusable argument.
func replayed(err error) error {
	switch {
	case errors.Is(err, record.ErrForeign), errors.Is(err, record.ErrVersion), errors.Is(err, record.ErrBroken):
		return usage(err, "give a file that --record wrote")
	}
	return err
}

// retell prints what a recording tells, as fast as it can be read.
func (a *app) retell(ctx context.Context, in io.Reader) error {
	style, err := a.style()
	if err != nil {
		return err
	}
	r, err := record.NewReader(in)
	if err != nil {
		return err
	}
	t := &teller{
		ledger: model.NewLedger(model.Limits{}), inspector: model.NewInspector(),
		out:  lines.NewWriter(a.stdout, a.flags.format(), style),
		undo: func() string { return "" }, stderr: a.stderr,
	}
	for ctx.Err() == nil {
		in, err := r.Read()
		if errors.Is(err, io.EOF) {
			if r.Cut() {
				fmt.Fprintln(a.stderr, "leasetop: the last line of the recording was cut off and is left out")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.take([]model.Input{in}); err != nil {
			return err
		}
	}
	return nil
}
