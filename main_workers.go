package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"leasetop/demo/applog"
	"leasetop/model"
	"leasetop/model/overlap"
)

// real adds the flag for lines of real workers.
func (f *flags) real(c *cobra.Command) {
	c.Flags().StringVar(&f.workers, "workers", "", "lines of real workers to lay beside the leases: a file that grows, or - for standard input")
}

// applog opens the lines of real workers; nil where none are wanted.
func (a *app) applog() (*applog.Follower, error) {
	if a.flags.workers == "" {
		return nil, nil
	}
	f, err := applog.Open(a.flags.workers, a.stdin)
	if err != nil {
		return nil, usage(err, "--workers takes a file of JSON lines, or - for standard input")
	}
	return f, nil
}

// withWorkers does something while worker lines are read, and ends when it does.
// A log that cannot be read any more ends both.
func withWorkers(ctx context.Context, log *applog.Follower, emit func(context.Context, model.WorkerEvent), do func(context.Context) error) error {
	if log == nil {
		return do(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan error, 1)
	go func() {
		err := log.Run(ctx, func(e model.WorkerEvent) { emit(ctx, e) })
		if err != nil {
			cancel()
		}
		read <- err
	}()
	err := do(ctx)
	cancel()
	if failed := <-read; failed != nil {
		return failed
	}
	return err
}

// unfit says how many lines do not fit and which one was the first; "" when all
// did.
func unfit(log *applog.Follower) string {
	if log == nil {
		return ""
	}
	c := log.Counts()
	if c.First == nil {
		return ""
	}
	what := "1 worker line does not fit"
	if c.Bad > 1 {
		what = fmt.Sprintf("%d worker lines do not fit; the first", c.Bad)
	}
	return fmt.Sprintf("%s: line %d, %s: %s", what, c.First.Number, c.First.Why, c.First.Text)
}

// worker tells a line of a worker in the stream of the others.
func (t *teller) worker(_ context.Context, e model.WorkerEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e = masked(e, t.mask)
	t.out.Worker(&e)
	t.heard = append(t.heard, e)
	if len(t.heard) > maxHeard {
		t.heard = append(t.heard[:0], t.heard[maxHeard/2:]...)
	}
	if e.Event == "job_finish" || e.Event == "job_stopped" {
		for _, words := range t.outlived(&e) {
			t.out.Note(words)
		}
	}
	// A failure to write comes back at the next batch, which ends the following.
	t.failed = errors.Join(t.failed, t.out.Flush())
}

// tellUnfitAll prints at the end how many lines did not fit, where there were
// more than the one that was told.
func (t *teller) tellUnfitAll() {
	if t.log != nil && (!t.unfit || t.log.Counts().Bad > 1) {
		t.unfit = false
		t.tellUnfit()
	}
}

// tellUnfit prints the first worker line that does not fit, once.
func (t *teller) tellUnfit() {
	if t.unfit {
		return
	}
	if words := unfit(t.log); words != "" {
		t.unfit = true
		fmt.Fprintf(t.stderr, "leasetop: %s\n", oneLine(words))
	}
}

// maxHeard bounds the worker lines that are kept to be laid beside the leases;
// over it, the older half is given up.
const maxHeard = 4096

// outlived says of a job that has ended how long it went on after its lease had,
// and with whom it worked at the same time. The offset of a worker's clock is
// not known: each time is told by its bounds. The caller holds mu.
func (t *teller) outlived(e *model.WorkerEvent) []string {
	var (
		events  []model.WorkerEvent
		history []model.Entry
		out     []string
	)
	for _, h := range t.heard {
		if h.Key == e.Key {
			events = append(events, h)
		}
	}
	for l := range t.ledger.Leases() {
		if h := t.ledger.History(l.Key); l.Key.Name == e.Key && len(h) > len(history) {
			history = h
		}
	}
	attempts := overlap.Of(events, history, nil)
	at := slices.IndexFunc(attempts, func(a overlap.Attempt) bool { return a.Execution == e.ExecutionID && a.Pod == e.Pod })
	if at < 0 {
		return nil
	}
	now, self := t.ledger.Now(), &attempts[at]
	if past, ok := self.RanPast(now); ok && past.Max >= time.Millisecond {
		out = append(out, fmt.Sprintf("%s: %s ran %s past its lease on %s", e.Pod, e.ExecutionID, bounds(past), e.Key))
	}
	for i := range attempts {
		if both, ok := overlap.Between(self, &attempts[i], now); ok && i != at && both.Max >= time.Millisecond {
			out = append(out, fmt.Sprintf("%s: %s and %s of %s worked at the same time for %s on %s", e.Pod, e.ExecutionID, attempts[i].Execution, attempts[i].Pod, bounds(both), e.Key))
		}
	}
	return out
}

// bounds spells a duration by its bounds.
func bounds(r overlap.Range) string {
	lo, hi := r.Min.Round(time.Millisecond), r.Max.Round(time.Millisecond)
	s := lo.String()
	if lo != hi {
		s += " to " + hi.String()
	}
	if !r.Bounded {
		s += " (if the clocks agree)"
	}
	return s
}
