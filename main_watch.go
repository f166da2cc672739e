package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"leasetop/demo/applog"
	"leasetop/model"
	"leasetop/ui/lines"
	"leasetop/watcher"
	"leasetop/watcher/record"
)

func (a *app) watchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "watch [PATTERN...]",
		Short: "Print each change as it happens, a line each, until ^C",
		Long: "Watch prints each change in a lease's life on a line of its own, until ^C. It outlives server restarts and lost connections; " +
			"what it could not see is told as a gap, and nothing inside a gap is invented.\n" +
			"Lines that begin with # tell the state of the connection and what looks wrong. Times are the server's, in UTC.\n\n" + patternHelp + "\n\n" + effectHelp,
		Example: "leasetop watch 'lock:*'\nleasetop watch --json 'lock:*' | jq 'select(.change == \"expired\")'",
		Args:    cobra.ArbitraryArgs,
		RunE:    a.command(a.watch),
	}
	a.flags.watching(c)
	a.flags.machine(c)
	a.flags.real(c)
	c.Flags().BoolVar(&a.flags.noFound, "no-found", false, "no lines for leases that were held already at the start")
	return c
}

func (a *app) watch(ctx context.Context, cmd *cobra.Command, args []string) error {
	cfg, err := a.watched(cmd, args)
	if err != nil {
		return err
	}
	style, err := a.style()
	if err != nil {
		return err
	}
	rec, err := a.flags.recorder()
	if err != nil {
		return err
	}
	log, err := a.applog()
	if err != nil {
		return err
	}
	live := watcher.New(cfg)
	t := &teller{
		ledger:    model.NewLedger(model.Limits{}),
		inspector: model.NewInspector(),
		out:       lines.NewWriter(a.stdout, a.flags.format(), style),
		noFound:   a.flags.noFound,
		undo:      live.Undo,
		stderr:    a.stderr,
		rec:       rec,
		mask:      cfg.Mask,
		log:       log,
	}
	err = withWorkers(ctx, log, t.worker, func(ctx context.Context) error { return follow(ctx, live, t) })
	t.tellUnfitAll()
	return errors.Join(err, recorded(rec))
}

// teller folds what a source reads into a ledger and writes a line for each
// transition, each change of state and each finding.
type teller struct {
	mu        sync.Mutex // worker lines come from a goroutine of their own
	ledger    *model.Ledger
	inspector *model.Inspector
	out       *lines.Writer
	noFound   bool
	rec       *record.Recorder // nil: nothing is recorded
	mask      func(string) string
	log       *applog.Follower // nil: no worker lines
	unfit     bool             // the first line that does not fit was told
	failed    error            // of writing a worker's line
	heard     []model.WorkerEvent

	looked model.Instant // when every lease was last looked at for findings
	undo   func() string // how a changed setting is put back by hand, "" so far
	told   bool          // undo was printed
	stderr io.Writer
}

// lookEvery is how often leases are looked at whose findings need no event, such
// as renewals that have stopped.
const lookEvery = time.Second

// take writes what a batch tells, in one piece, so that no line waits for the
// next batch. Inputs are applied one by one so that a line about the connection
// stands where it belongs between the others.
func (t *teller) take(batch []model.Input) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return t.failed
	}
	for i := range batch {
		if h := batch[i].Health; h != nil {
			t.out.Status(h)
		}
		if t.rec != nil && tells(t.ledger, &batch[i]) {
			t.rec.Add(batch[i])
		}
		told := t.ledger.Apply(batch[i])
		for k := range told {
			if t.noFound && told[k].Change == model.Found {
				continue
			}
			t.out.Transition(&told[k])
		}
		t.findings(t.inspector.Heed(t.ledger, told))
	}
	if now := t.ledger.Now(); now.Sub(t.looked) >= lookEvery {
		t.looked = now
		t.findings(t.inspector.Look(t.ledger, now))
	}
	if err := t.out.Flush(); err != nil {
		return err
	}
	t.tellUndo()
	t.tellUnfit()
	return nil
}

func (t *teller) findings(found []model.Finding) {
	for i := range found {
		t.out.Finding(&found[i])
	}
}

// tellUndo prints once how to undo by hand what was set on the server.
func (t *teller) tellUndo() {
	if t.told {
		return
	}
	if command := t.undo(); command != "" {
		t.told = true
		fmt.Fprintf(t.stderr, "leasetop: notifications were switched on, and are put back at the end. By hand: %s\n", command)
	}
}

// next is the ledger's next deadline, so that an overdue lease is told in time.
func (t *teller) next() model.Instant {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, _ := t.ledger.NextDeadline()
	return next
}

// watched resolves patterns and flags of a command that reads leases.
func (a *app) watched(cmd *cobra.Command, args []string) (watcher.Config, error) {
	p, err := patterns(cmd, args)
	if err != nil {
		return watcher.Config{}, err
	}
	return a.flags.config(cmd, p)
}

// style is how text may look on stdout: colours only where a terminal reads it.
func (a *app) style() (lines.Style, error) {
	alias, err := a.flags.aliaser()
	return lines.Style{Color: !a.flags.colorless() && isTerminal(a.stdout), ASCII: a.flags.ascii, Alias: alias}, err
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(term.File)
	return ok && term.IsTerminal(f.Fd())
}
