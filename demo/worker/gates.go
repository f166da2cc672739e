package worker

import (
	"context"
	"sync"
)

// gates hold a worker at its points until the demo lets it go on.
type gates struct {
	reached func(gate string)

	mu       sync.Mutex
	armed    map[string]bool
	waiting  map[string]chan struct{}
	paused   chan struct{} // closed by Resume; nil: not paused
	renewing bool          // a renewal is between its gate and its outcome
	quiet    *sync.Cond    // renewing has become false
}

func newGates(armed []string, reached func(string)) *gates {
	g := &gates{reached: reached, armed: map[string]bool{}, waiting: map[string]chan struct{}{}}
	g.quiet = sync.NewCond(&g.mu)
	for _, gate := range armed {
		g.armed[gate] = true
	}
	return g
}

// pass returns when the gate is open, or when ctx ends.
func (g *gates) pass(ctx context.Context, gate string) {
	if open := g.hold(gate); open != nil {
		select {
		case <-open:
		case <-ctx.Done():
		}
	}
	g.mu.Lock()
	for g.paused != nil && ctx.Err() == nil {
		paused := g.paused
		g.mu.Unlock()
		select {
		case <-paused:
		case <-ctx.Done():
		}
		g.mu.Lock()
	}
	if gate == GateRenew {
		g.renewing = true
	}
	g.mu.Unlock()
}

// hold tells that an armed gate was reached and returns what opens it; nil when
// it is not armed.
func (g *gates) hold(gate string) <-chan struct{} {
	g.mu.Lock()
	if !g.armed[gate] {
		g.mu.Unlock()
		return nil
	}
	open := make(chan struct{})
	g.waiting[gate] = open
	g.mu.Unlock()
	g.reached(gate)
	return open
}

// renewed ends what pass(GateRenew) began.
func (g *gates) renewed() {
	g.mu.Lock()
	g.renewing = false
	g.mu.Unlock()
	g.quiet.Broadcast()
}

// carryOut does what an order about gates asks for.
func (g *gates) carryOut(o Order) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch o.Do {
	case Go:
		g.open(o.Gate)
	case Disarm:
		delete(g.armed, o.Gate)
		g.open(o.Gate)
	case Arm:
		g.armed[o.Gate] = true
		g.untilQuiet()
	case Pause:
		if g.paused == nil {
			g.paused = make(chan struct{})
		}
		g.untilQuiet()
	case Resume:
		if g.paused != nil {
			close(g.paused)
			g.paused = nil
		}
	}
}

func (g *gates) open(gate string) {
	if open := g.waiting[gate]; open != nil {
		close(open)
		delete(g.waiting, gate)
	}
}

func (g *gates) untilQuiet() {
	for g.renewing {
		g.quiet.Wait()
	}
}
