package judge

import (
	"context"
	"sync"
	"testing"
	"time"

	"leasetop/model"
	"leasetop/watcher"
)

// observer is a leasetop without a screen: a source, a ledger, an inspector, and
// all that they told.
type observer struct {
	source watcher.Source
	done   chan struct{} // closed when the source has ended
	err    error         // why; valid once done is closed

	mu        sync.Mutex
	ledger    *model.Ledger
	inspector *model.Inspector
	inputs    []model.Input
	told      []model.Transition
	cause     []int // of each line told: the input that it came with
	findings  []model.Finding
	health    []model.Health
	looked    model.Instant // when findings were looked for
}

// tick is how often time passes in a ledger, and look how often findings are
// looked for.
const (
	tick = 20 * time.Millisecond
	look = 100 * time.Millisecond
)

// observe runs a source until the test ends.
func observe(t *testing.T, source watcher.Source) *observer {
	t.Helper()
	o := &observer{source: source, done: make(chan struct{}), ledger: model.NewLedger(model.Limits{EntriesPerKey: 1 << 20, Entries: 1 << 30, FreeKeys: 1 << 20}),
		inspector: model.NewInspector()}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); <-o.done })
	go func() {
		defer close(o.done)
		o.err = source.Run(ctx, o.take)
	}()
	if _, own := source.(*child); !own {
		go o.live(ctx)
	}
	return o
}

// live lets time pass.
func (o *observer) live(ctx context.Context) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			o.take([]model.Input{{Advance: o.source.Now()}})
		case <-ctx.Done():
			return
		}
	}
}

// take folds a batch one input at a time, so that each line's cause is known.
func (o *observer) take(batch []model.Input) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, in := range batch {
		told := o.ledger.Apply(in)
		o.inputs = append(o.inputs, in)
		for _, t := range told {
			o.told = append(o.told, t)
			o.cause = append(o.cause, len(o.inputs)-1)
		}
		if in.Health != nil {
			o.health = append(o.health, *in.Health)
		}
		o.findings = append(o.findings, o.inspector.Heed(o.ledger, told)...)
	}
	if now := o.ledger.Now(); now.Sub(o.looked) >= look {
		o.looked = now
		o.findings = append(o.findings, o.inspector.Look(o.ledger, now)...)
	}
}

// state reads the ledger while nothing changes it.
func (o *observer) state(read func(l *model.Ledger)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	read(o.ledger)
}

// saw reports whether a state was told.
func (o *observer) saw(s model.State) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.health {
		if o.health[i].State == s {
			return true
		}
	}
	return false
}

// await waits until the first sweep is done.
func (o *observer) await(t *testing.T) {
	t.Helper()
	if !eventually(func() bool { return o.saw(model.StateSynced) || o.over() }) || o.over() {
		t.Fatalf("the watcher did not come to its first sweep: %v", o.failure())
	}
}

func (o *observer) over() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

func (o *observer) failure() error {
	if o.over() {
		return o.err
	}
	return nil
}

// limit bounds every wait for a condition.
const limit = 8 * time.Second

func eventually(ok func() bool) bool { return waitFor(limit, ok) }

func waitFor(d time.Duration, ok func() bool) bool {
	for began := time.Now(); time.Since(began) < d; time.Sleep(5 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}
