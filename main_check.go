package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"leasetop/model"
	"leasetop/ui/lines"
	"leasetop/watcher"
)

func (a *app) checkCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check [PATTERN...]",
		Short: "Print what looks wrong now; exit 1 when something does",
		Long: "Check looks at every lease for a moment and prints its findings: the rule, what was seen, what it means and what it does not prove. " +
			"It exits 1 when there is a finding at or above --severity.\n" +
			"What only a lease's history shows needs watch or the live screen.\n\n" + patternHelp,
		Args: cobra.ArbitraryArgs,
		RunE: a.command(a.check),
	}
	a.flags.reading(c)
	a.flags.machine(c)
	c.Flags().StringVar(&a.flags.severity, "severity", "warning", "least severity that counts: info, warning or critical; milder ones are not printed")
	return c
}

// check watches for a moment instead of looking once: a lease without a deadline
// is a finding only when it stands so for longer than two steps of an
// acquisition take.
func (a *app) check(ctx context.Context, cmd *cobra.Command, args []string) error {
	least, ok := model.ParseSeverity(a.flags.severity)
	if !ok {
		return usage(fmt.Errorf("--severity %q is none", a.flags.severity), "info, warning or critical")
	}
	cfg, err := a.watched(cmd, args)
	if err != nil {
		return err
	}
	style, err := a.style()
	if err != nil {
		return err
	}
	cfg.Interval = model.Grace
	found, err := look(ctx, watcher.New(cfg))
	if err != nil {
		return err
	}
	out := lines.NewWriter(a.stdout, a.flags.format(), style)
	count := 0
	for _, f := range found {
		if f.Rule.Severity >= least {
			out.Finding(&f)
			count++
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if count > 0 {
		return errNegative
	}
	return nil
}

// lookLimit bounds the look after the first sweep, should the second not end.
const lookLimit = 30 * time.Second

// errSeen ends a look that has seen enough.
var errSeen = errors.New("seen enough")

// look watches until every lease was there for model.Grace and swept twice, and
// applies the rules.
func look(ctx context.Context, live *watcher.Live) ([]model.Finding, error) {
	l := &looker{live: live, ledger: model.NewLedger(model.Limits{}), inspector: model.NewInspector()}
	err := follow(ctx, live, l)
	if !errors.Is(err, errSeen) {
		return nil, err
	}
	l.inspector.Look(l.ledger, live.Now())
	return l.inspector.Standing(), nil
}

type looker struct {
	live      *watcher.Live
	ledger    *model.Ledger
	inspector *model.Inspector
	synced    model.Instant // when the first sweep was done; 0: not yet
}

func (l *looker) take(batch []model.Input) error {
	for i := range batch {
		l.inspector.Heed(l.ledger, l.ledger.Apply(batch[i]))
		if h := batch[i].Health; h != nil && h.State == model.StateSynced && l.synced == 0 {
			l.synced = h.At
		}
	}
	if l.synced == 0 {
		return nil
	}
	now, again := l.live.Now(), l.live.Counters().LastSweep.Sub(l.synced) >= model.Grace
	if again || now.Sub(l.synced) > lookLimit {
		return errSeen
	}
	return nil
}

// next is soon: what ends the look is not told in a batch.
func (l *looker) next() model.Instant { return l.live.Now().Add(50 * time.Millisecond) }
