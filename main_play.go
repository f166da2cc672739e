package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"leasetop/demo"
	"leasetop/model"
	"leasetop/ui/lines"
	"leasetop/watcher"
)

// playLines plays scenarios one after the other and tells in lines what the
// watchers see and the workers say; the verdict of each comes last.
func (a *app) playLines(ctx context.Context, s *stage, names []string) error {
	style, err := a.style()
	if err != nil {
		return err
	}
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	p := &play{
		stage: s, ledger: model.NewLedger(model.Limits{}), stop: cancel,
		out: lines.NewWriter(a.stdout, a.flags.format(), style), seen: map[string]*seat{},
	}
	asExpected := true
	var verdicts []lines.Verdict
	for _, name := range names {
		verdict, playErr := p.scenario(ctx, name)
		if err = playErr; err != nil {
			break
		}
		asExpected = asExpected && verdict.AsExpected
		verdicts = append(verdicts, verdict)
	}
	cancel()
	p.seats.Wait()
	if len(verdicts) > 1 {
		p.out.Summary(verdicts)
		p.flush()
	}
	switch {
	case p.failed != nil:
		return p.failed
	case outer.Err() != nil: // interrupted: a verdict is missing, and a script must not take that for a pass
		return errNegative
	case err != nil:
		return err
	case !asExpected:
		return errNegative
	}
	return nil
}

// play writes the lines of several sources in the order of their coming.
type play struct {
	stage *stage
	stop  context.CancelFunc
	seen  map[string]*seat // watched servers, by address
	seats sync.WaitGroup

	mu     sync.Mutex // over all below
	ledger *model.Ledger
	out    *lines.Writer
	failed error // of a source or the output; it ends the play
}

// seat is one watched server.
type seat struct {
	play   *play
	live   *watcher.Live
	synced chan struct{} // closed after the first sweep
	once   sync.Once
	leave  context.CancelFunc
	left   chan struct{} // closed when it watches no more
}

// scenario plays one and tells its verdict.
func (p *play) scenario(ctx context.Context, name string) (lines.Verdict, error) {
	opts := p.stage.options
	opts.Scenario = name
	run, err := demo.Start(ctx, opts, p.heard)
	if err != nil {
		return lines.Verdict{}, err
	}
	p.note("%s: %s", name, run.Info().Title)
	for _, addr := range run.Addrs() {
		if err := p.watch(ctx, addr); err != nil {
			return lines.Verdict{}, errors.Join(err, run.Close())
		}
	}
	err = run.Play(ctx)
	verdict := linesVerdict(run.Verdict())
	for _, addr := range run.Addrs() {
		if addr != p.stage.watch.Addr {
			p.leave(addr) // a server of the run's own, which goes with it
		}
	}
	if err := errors.Join(err, run.Close()); err != nil {
		return verdict, err
	}
	p.settle(ctx, run.Key())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Verdict(&verdict)
	p.flush()
	return verdict, p.failed
}

// watch begins to watch a server, if that is not done yet, and waits for the
// first sweep, so that the first lease is acquired and not found.
func (p *play) watch(ctx context.Context, addr string) error {
	s := p.seen[addr]
	if s == nil {
		cfg := p.stage.watch
		cfg.Addr = addr
		s = &seat{play: p, live: watcher.New(cfg), synced: make(chan struct{}), left: make(chan struct{})}
		p.seen[addr] = s
		ctx, s.leave = context.WithCancel(ctx)
		p.seats.Go(func() {
			defer close(s.left)
			if err := follow(ctx, s.live, s); err != nil && ctx.Err() == nil {
				p.mu.Lock()
				p.failed = errors.Join(p.failed, err)
				p.mu.Unlock()
				p.stop()
			}
		})
	}
	select {
	case <-s.synced:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave stops watching a server.
func (p *play) leave(addr string) {
	s := p.seen[addr]
	s.leave()
	<-s.left
	delete(p.seen, addr)
}

func (s *seat) take(batch []model.Input) error {
	p := s.play
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range batch {
		if h := batch[i].Health; h != nil {
			p.out.Status(h)
			if h.State == model.StateSynced {
				s.once.Do(func() { close(s.synced) })
			}
		}
		told := p.ledger.Apply(batch[i])
		for k := range told {
			p.out.Transition(&told[k])
		}
	}
	return p.out.Flush()
}

func (s *seat) next() model.Instant {
	s.play.mu.Lock()
	defer s.play.mu.Unlock()
	next, _ := s.play.ledger.NextDeadline()
	return next
}

// heard tells what a run says of itself.
func (p *play) heard(e demo.Event) {
	switch e.Kind {
	case demo.WorkerTold:
		worker := masked(*e.Worker, p.stage.watch.Mask)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.out.Worker(&worker)
		p.flush()
	case demo.Noted:
		p.note("%s", e.Note)
	}
}

// note is for people; machine-readable lines carry none.
func (p *play) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Note(fmt.Sprintf(format, args...))
	p.flush()
}

// flush writes; its error ends the play. The caller holds mu.
func (p *play) flush() {
	if err := p.out.Flush(); err != nil {
		p.failed = errors.Join(p.failed, err)
		p.stop()
	}
}

// settle waits until it was told that the run's lock is gone, which Close
// removed, so that the verdict is the last line.
func (p *play) settle(ctx context.Context, key string) {
	for end := time.Now().Add(settleLimit); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		if !p.held(key) {
			return
		}
	}
}

func (p *play) held(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	lease := p.ledger.Lease(model.Key{Node: p.stage.watch.Addr, DB: p.stage.watch.DB, Name: key})
	return lease != nil && len(lease.Tenures) > 0
}

func linesVerdict(v demo.Verdict) lines.Verdict {
	out := lines.Verdict{
		Scenario: v.Scenario, AsExpected: v.AsExpected, OverlapMs: v.OverlapMs, RanPastLeaseMs: v.RanPastLeaseMs,
		TakeoverMs: v.TakeoverMs, Accepted: v.Accepted, Duplicate: v.Duplicate, Rejected: v.Rejected,
	}
	for _, a := range v.Assertions {
		out.Assertions = append(out.Assertions, lines.Assertion{Name: a.Name, Known: a.Known, Held: a.Held})
	}
	return out
}
