package main

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"leasetop/demo"
	"leasetop/model"
	"leasetop/ui"
	"leasetop/watcher"
)

// theatre plays the scenarios of the screen's demo page, one run at a time.
type theatre struct {
	stage *stage
	seats func(addr string) // has another server watched; nil: nobody can

	mu  sync.Mutex // one of Begin, Step and close at a time
	run atomic.Pointer[demo.Run]
}

// errClosed is the end of a demo that nobody looks at any more.
var errClosed = errors.New("the demo is closed")

// Scenarios implements ui.Demo.
func (t *theatre) Scenarios() []ui.DemoScenario {
	infos := demo.Scenarios()
	out := make([]ui.DemoScenario, len(infos))
	for i, info := range infos {
		out[i] = ui.DemoScenario{Name: info.Name, Title: info.Title, Lesson: info.Lesson}
		for _, s := range info.Steps {
			out[i].Steps = append(out[i].Steps, ui.DemoStep{Title: s.Title, Lesson: s.Lesson})
		}
	}
	return out
}

// Stage implements ui.Demo.
func (t *theatre) Stage() ui.DemoStage {
	o := &t.stage.options
	s := ui.DemoStage{
		Where: o.Target.String(), Foreign: o.Embedded == nil && !o.Target.Loopback() && !o.Yes,
		Writes: "It writes keys under " + demo.Prefix + " followed by a number of its own, each with an expiry or removed at the end, and starts two worker processes here. It touches no other key.",
	}
	if o.Embedded != nil {
		s.Where = o.Embedded.Describe()
	}
	if o.Cooperative || runtime.GOOS == "windows" {
		s.Pausing = "workers stop when asked"
	}
	return s
}

// Begin implements ui.Demo. The screen has asked whoever is there before it
// begins on a foreign server.
func (t *theatre) Begin(ctx context.Context, scenario string) (ui.DemoMoment, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.end(); err != nil {
		return ui.DemoMoment{}, withHint(err)
	}
	if ctx.Err() != nil {
		return ui.DemoMoment{}, ctx.Err()
	}
	o := t.stage.options
	o.Scenario, o.Yes = scenario, true
	run, err := demo.Start(ctx, o, nil)
	if err != nil {
		return ui.DemoMoment{}, withHint(err)
	}
	t.run.Store(run)
	if t.seats != nil {
		for _, addr := range run.Addrs() {
			t.seats(addr)
		}
	}
	return t.Now(), nil
}

// Step implements ui.Demo.
func (t *theatre) Step(ctx context.Context) (ui.DemoMoment, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	run := t.run.Load()
	if run == nil {
		return ui.DemoMoment{}, errClosed
	}
	done, err := run.Step(ctx)
	if err != nil {
		return ui.DemoMoment{}, withHint(err)
	}
	m := t.Now()
	if done {
		v := run.Verdict()
		m.Verdict = &ui.DemoVerdict{AsExpected: v.AsExpected, Overlap: v.OverlapMs, RanPast: v.RanPastLeaseMs, Takeover: v.TakeoverMs,
			Accepted: v.Accepted, Duplicate: v.Duplicate, Rejected: v.Rejected}
	}
	return m, nil
}

// Now implements ui.Demo.
func (t *theatre) Now() ui.DemoMoment {
	run := t.run.Load()
	if run == nil {
		return ui.DemoMoment{}
	}
	m := t.moment(run.Snapshot())
	m.Clock = run.Clock()
	return m
}

// close ends the run and waits for what cleans up after it.
func (t *theatre) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.end()
}

// end is called with the mutex held.
func (t *theatre) end() error {
	if run := t.run.Swap(nil); run != nil {
		return run.Close()
	}
	return nil
}

func (t *theatre) moment(s demo.Snapshot) ui.DemoMoment {
	m := ui.DemoMoment{Step: s.Step, A: t.worker(&s.A), B: t.worker(&s.B), Notes: s.Notes}
	m.Lease = ui.DemoLease{Owner: t.token(s.Lease.Owner), Deadline: s.Lease.Deadline, ReadAt: s.Lease.ReadAt,
		Key: model.Key{Node: s.Lease.Node, DB: t.stage.options.Target.DB, Name: s.Lease.Key}}
	r := &s.Resource
	m.Resource = ui.DemoResource{Job: r.Job, Value: r.Value, Writer: r.Writer, Fence: r.Fence, Guarded: r.Guarded}
	for _, a := range s.Assertions {
		m.Assertions = append(m.Assertions, ui.DemoAssertion{Name: a.Name, Says: a.Says, Expected: a.Expected, Known: a.Known, Held: a.Held})
	}
	return m
}

func (t *theatre) worker(w *demo.Worker) ui.DemoWorker {
	out := ui.DemoWorker{Name: w.Name, Pid: w.Pid, State: string(w.State), How: w.How, Owner: t.token(w.Owner), Fence: w.Fence, Lines: w.Lines}
	for i := range out.Lines { // a snapshot is complete in itself: they are ours
		out.Lines[i] = masked(out.Lines[i], t.stage.watch.Mask)
	}
	return out
}

// token is an owner token as the watcher shows it.
func (t *theatre) token(s string) string {
	if mask := t.stage.watch.Mask; mask != nil && s != "" {
		return mask(s)
	}
	return s
}

// withHint is an error as the screen shows it: with its hint.
func withHint(err error) error {
	var d *demo.Error
	if errors.As(err, &d) {
		return &ui.DemoError{Err: err, Hint: d.Hint}
	}
	return err
}

// audience watches a server, and others beside it for as long as they are played
// on: failover brings two of its own.
type audience struct {
	*watcher.Live
	cfg   watcher.Config
	added chan string
}

// addressed bounds the servers that wait to be watched; over it, one is left out
// and the page says that its lock is not watched.
const addressed = 8

func newAudience(cfg watcher.Config) *audience {
	return &audience{Live: watcher.New(cfg), cfg: cfg, added: make(chan string, addressed)}
}

// add has a server watched.
func (a *audience) add(addr string) {
	select {
	case a.added <- addr:
	default:
	}
}

// Run is the Run of a source.
func (a *audience) Run(ctx context.Context, emit func([]model.Input)) error {
	ctx, cancel := context.WithCancel(ctx)
	var mu sync.Mutex
	one := func(batch []model.Input) {
		mu.Lock()
		defer mu.Unlock()
		emit(batch)
	}
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	beside.Go(func() { a.others(ctx, one, &beside) })
	return a.Live.Run(ctx, one)
}

// others watches what is added. A server of a run ends with it, and what its
// watcher says of that is of no interest to anybody.
func (a *audience) others(ctx context.Context, emit func([]model.Input), running *sync.WaitGroup) {
	seen := map[string]bool{a.cfg.Addr: true}
	for {
		select {
		case <-ctx.Done():
			return
		case addr := <-a.added:
			if seen[addr] {
				continue
			}
			seen[addr] = true
			cfg := a.cfg
			cfg.Network, cfg.Addr, cfg.DB = "tcp", addr, 0
			cfg.User, cfg.Password, cfg.TLS = "", "", nil
			cfg.EnableNotifications = false
			running.Go(func() { _ = watcher.New(cfg).Run(ctx, emit) })
		}
	}
}
