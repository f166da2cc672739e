package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/resource"
	"leasetop/demo/server"
	"leasetop/demo/worker"
	"leasetop/keyspace"
	"leasetop/model"
	"leasetop/model/overlap"
)

// The two workers.
const (
	podA       = "worker-a"
	podB       = "worker-b"
	executionA = "attempt-a"
	executionB = "attempt-b"
)

// Run is one performance of a scenario. Step, Play and Close are for one
// goroutine at a time; Snapshot, Moments and Verdict may be called at any time.
type Run struct {
	opts     Options
	scenario *scenario
	base     string // prefix of all keys
	key      string // of the lock
	targets  map[string]Target

	client *redis.Client // the demo's own, to look and to prepare
	store  *resource.Resource
	dir    string
	proxy  *proxy
	pair   []*server.Server // failover: primary and replica

	guard       *child
	guarded     chan worker.Message
	fromWorkers *os.File
	leaving     sync.WaitGroup // they tell of children that have gone
	readers     sync.WaitGroup // they read what children say

	emitter emitter
	closed  bool

	mu       sync.Mutex
	next     int // steps begun; written by Step alone
	a, b     *child
	changed  chan struct{} // closed and replaced with each change below
	events   []model.WorkerEvent
	dropped  int // renewals that the bound of events left out
	timeline timeline
	clock    overlap.Clock
	state    resource.State
	judged   map[string]bool
	notes    []string // of the present step
	moments  []Snapshot
	seen     map[string]reading // readings that a later step is compared with
}

// maxEvents bounds the events that a run keeps. Over it, renewals that went well
// are counted and left out: nothing else can come in such numbers.
const maxEvents = 20000

// Start prepares a run: it asks the server for what it will need, and starts
// both workers and the guard that cleans up after them. Emit is called with what
// happens, one event at a time, until Close; it may be nil.
//
// Its error is an *Error. The caller must Close the Run.
func Start(ctx context.Context, opts Options, emit func(Event)) (*Run, error) {
	s, err := opts.check()
	if err != nil {
		return nil, err
	}
	r := &Run{
		opts: opts, scenario: s, base: Prefix + opts.Run,
		changed: make(chan struct{}), judged: map[string]bool{}, seen: map[string]reading{},
		targets: map[string]Target{"": opts.Target, "A": opts.Target, "B": opts.Target},
	}
	r.key = r.base + ":" + s.job + ":lock"
	r.emitter.start(emit)
	if err := r.prepare(ctx); err != nil {
		err = r.explain(ctx, "prepare "+s.Name, err)
		return nil, errors.Join(err, r.Close())
	}
	r.record(0)
	return r, nil
}

// prepare makes everything that the first step needs.
func (r *Run) prepare(ctx context.Context) (err error) {
	if len(r.opts.Command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program, to start it again: %w", err)
		}
		r.opts.Command = []string{self, "demo-worker"}
	}
	if r.dir, err = os.MkdirTemp("", worker.DirPrefix+"demo-"+r.opts.Run+"-"); err != nil {
		return fmt.Errorf("make a folder for the resource: %w", err)
	}
	// Before anything is written that would have to be removed.
	dirs := []string{r.dir}
	if r.opts.Embedded != nil && r.opts.Embedded.Dir() != "" {
		dirs = append(dirs, r.opts.Embedded.Dir())
	}
	if r.scenario.setUp != nil {
		if err := r.scenario.setUp(ctx, r); err != nil {
			return err
		}
	}
	for _, s := range r.pair {
		dirs = append(dirs, s.Dir())
	}
	guard := worker.Setup{Role: worker.RoleGuard, Name: "guard", Target: r.targets[""], Keys: r.keys(), Dirs: dirs}
	if err := r.startGuard(guard); err != nil {
		return err
	}
	if r.store, err = resource.Create(ctx, r.storePath()); err != nil {
		return err
	}
	if err := r.prepareServer(ctx); err != nil {
		return err
	}
	return r.startWorkers()
}

func (r *Run) storePath() string { return filepath.Join(r.dir, "resource.db") }

// keys are the names of all keys that a run can write on a server that outlives
// it.
func (r *Run) keys() []string {
	if r.pair != nil {
		return nil
	}
	return []string{
		r.key, keyspace.FenceKey(r.key), r.base + probe,
		r.base + worker.MarkerAStarted, r.base + worker.MarkerBStarted, r.base + worker.MarkerAFinished,
	}
}

const (
	probe = ":probe"
	// firstFence is where the counter stands before the first acquisition: the
	// demo is not the first to work on the resource.
	firstFence = 32
	// keyTTL ends what is not a lease, should nobody be left to delete it. A
	// counter that is meant to last has none.
	keyTTL = time.Hour
)

// prepareServer finds out now, and in words, whether the server lets the demo do
// what it needs.
func (r *Run) prepareServer(ctx context.Context) (err error) {
	if r.client, err = r.targets[""].Client(2 * time.Second); err != nil {
		return err
	}
	key := r.base + probe
	if err := r.client.Set(ctx, key, "-", time.Minute).Err(); err != nil {
		return fmt.Errorf("write a key: %w", err)
	}
	if err := renewScript.Run(ctx, r.client, []string{key}, "-", time.Minute.Milliseconds()).Err(); err != nil {
		return fmt.Errorf("run a script: %w", err)
	}
	if err := releaseScript.Run(ctx, r.client, []string{key}, "-").Err(); err != nil {
		return fmt.Errorf("delete a key: %w", err)
	}
	if r.scenario.fenced() {
		if err := r.client.Set(ctx, keyspace.FenceKey(r.key), firstFence, keyTTL).Err(); err != nil {
			return fmt.Errorf("set the fence counter: %w", err)
		}
	}
	if _, err := look(ctx, r.client, r.key); err != nil {
		return err
	}
	r.clock, err = offset(ctx, r.client)
	return err
}

// setup is what a worker needs to know.
func (r *Run) setup(p part) worker.Setup {
	s := worker.Setup{
		Role: worker.RoleWorker, Name: p.name, Pod: podA, Execution: executionA, Target: r.targets[p.name],
		Job: r.scenario.job, Key: r.key, Base: r.base, TTL: r.ttl(p.name), Resource: r.storePath(),
		Manner: p.manner, Gates: p.gates,
	}
	if p.name == "B" {
		s.Pod, s.Execution = podB, executionB
		s.Manner.Wait = r.patience()
	}
	return s
}

// ttl is what a worker asks for.
func (r *Run) ttl(name string) time.Duration {
	ttl := r.opts.TTL
	if name == "B" {
		ttl = max(ttl, steadyTTL)
	}
	return max(ttl, r.scenario.minTTL)
}

// patience is how long B tries to acquire: as long as a step may be looked at,
// except where B is to give up.
func (r *Run) patience() time.Duration {
	if r.scenario.givesUp {
		return r.opts.TTL
	}
	return keyTTL
}

// opLimit bounds what one step waits for, besides the TTL.
const opLimit = 30 * time.Second

// Step plays the next step and reports whether it was the last one. After an
// error the run cannot go on.
func (r *Run) Step(ctx context.Context) (done bool, err error) {
	if r.next >= len(r.scenario.steps) {
		return true, nil
	}
	s := r.scenario.steps[r.next]
	r.mu.Lock()
	r.next++
	r.notes = nil
	r.mu.Unlock()
	r.emitter.add(Event{Kind: StepBegan, Step: r.next})
	for _, do := range s.do {
		if err := do(ctx, r); err != nil {
			return true, r.explain(ctx, fmt.Sprintf("play step %d of %s", r.next, r.scenario.Name), err)
		}
	}
	if err := r.readState(ctx); err != nil {
		return true, r.explain(ctx, "read the resource", err)
	}
	r.record(r.next)
	r.emitter.add(Event{Kind: StepEnded, Step: r.next})
	r.emitter.drain()
	return r.next == len(r.scenario.steps), nil
}

// Play plays all steps that are left.
func (r *Run) Play(ctx context.Context) error {
	for {
		done, err := r.Step(ctx)
		if done || err != nil {
			return err
		}
	}
}

// Play plays a whole scenario and cleans up. Emit is called as Start says.
func Play(ctx context.Context, opts Options, emit func(Event)) (Verdict, error) {
	r, err := Start(ctx, opts, emit)
	if err != nil {
		return Verdict{Scenario: opts.Scenario}, err
	}
	err = r.Play(ctx)
	v := r.Verdict()
	return v, errors.Join(err, r.Close())
}
