package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"leasetop/demo/worker"
	"leasetop/model"
)

// op is one thing that a step does or waits for. Everything is waited for by
// what a worker said or the server shows, never by the passing of time.
type op func(ctx context.Context, r *Run) error

func (r *Run) child(name string) *child {
	switch {
	case r.a != nil && r.a.name == name:
		return r.a
	case r.b != nil && r.b.name == name:
		return r.b
	}
	return nil
}

// await waits until something holds of a worker, for as long as the TTL and
// opLimit, and no longer than the worker can still bring it about.
func (r *Run) await(ctx context.Context, name, what string, holds func(*child) bool) error {
	limit := time.NewTimer(r.opts.TTL + opLimit)
	defer limit.Stop()
	for {
		r.mu.Lock()
		c, changed := r.child(name), r.changed
		over, fail, held := c.gone, c.fail, holds(c)
		r.mu.Unlock()
		switch {
		case held:
			return nil
		case fail != "":
			return fmt.Errorf("%w: %s: %s", ErrWorker, name, fail)
		case over:
			return r.ended(c, what)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return fmt.Errorf("%w: waited %v for %s to %s", ErrSlow, r.opts.TTL+opLimit, name, what)
		}
	}
}

// ended says why a worker cannot do any more what was waited for.
func (r *Run) ended(c *child, what string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !c.ended:
		return fmt.Errorf("%w: %s died (%v) before it could %s; %s", ErrWorker, c.name, c.cmd.ProcessState, what, c.log)
	case c.said["acquire_uncertain"] > 0:
		return fmt.Errorf("%w: %s got no answer in time when it asked for the lease", ErrSlow, c.name)
	case c.said["job_stopped"] > 0:
		return fmt.Errorf("%w: %s stopped before it could %s: its lease was over", ErrSlow, c.name, what)
	}
	return fmt.Errorf("%w: %s ended before it could %s", ErrWorker, c.name, what)
}

// reached waits until a worker stands at a gate.
func reached(name, gate string) op {
	return func(ctx context.Context, r *Run) error {
		return r.await(ctx, name, "come to "+gate, func(c *child) bool { return c.reached[gate] })
	}
}

// open lets a worker pass a gate at which it stands.
func open(name, gate string) op {
	return func(ctx context.Context, r *Run) error {
		if err := reached(name, gate)(ctx, r); err != nil {
			return err
		}
		return r.pass(name, gate)
	}
}

func (r *Run) pass(name, gate string) error {
	r.mu.Lock()
	c := r.child(name)
	delete(c.reached, gate)
	r.mu.Unlock()
	return c.order(worker.Order{Do: worker.Go, Gate: gate})
}

// said waits until a worker has told an event n times; outcome may be empty.
func said(name, event, outcome string, n int) op {
	id := event
	if outcome != "" {
		id += " " + outcome
	}
	return func(ctx context.Context, r *Run) error {
		return r.await(ctx, name, "say "+id, func(c *child) bool { return c.said[id] >= n })
	}
}

// done waits until a worker has ended by itself.
func done(name string) op {
	return func(ctx context.Context, r *Run) error {
		return r.await(ctx, name, "end", func(c *child) bool { return c.ended })
	}
}

// order sends an order that is answered, and waits for the answer.
func order(name string, o worker.Order) op {
	return func(ctx context.Context, r *Run) error {
		r.mu.Lock()
		c := r.child(name)
		before := c.acks[o.Do]
		r.mu.Unlock()
		if err := c.order(o); err != nil {
			return err
		}
		return r.await(ctx, name, string(o.Do), func(c *child) bool { return c.acks[o.Do] > before || c.ended })
	}
}

// arm holds a worker at a gate from now on. A renewal that is under way comes to
// its end first.
func arm(name, gate string) op { return order(name, worker.Order{Do: worker.Arm, Gate: gate}) }

// disarm lets it pass there again.
func disarm(name, gate string) op {
	return func(_ context.Context, r *Run) error {
		r.mu.Lock()
		c := r.child(name)
		delete(c.reached, gate)
		r.mu.Unlock()
		return c.order(worker.Order{Do: worker.Disarm, Gate: gate})
	}
}

// pause stops a worker that stands at gates, and opens them while it cannot see
// it: from here on nothing but the pause holds it.
func pause(name string, gates ...string) op {
	return func(ctx context.Context, r *Run) error {
		for _, gate := range gates {
			if err := reached(name, gate)(ctx, r); err != nil {
				return err
			}
		}
		if err := r.stop(ctx, name); err != nil {
			return err
		}
		r.mu.Lock()
		c := r.child(name)
		c.state, c.paused = Paused, model.InstantOf(time.Now())
		r.mu.Unlock()
		r.note("%s stands (%s)", name, r.how())
		for _, gate := range gates {
			if err := r.pass(name, gate); err != nil {
				return err
			}
		}
		return nil
	}
}

// forReal reports whether a pause is one by the system.
func (r *Run) forReal() bool { return canStop && !r.opts.Cooperative }

// how names the kind of pause.
func (r *Run) how() string {
	if r.forReal() {
		return "SIGSTOP"
	}
	return "by asking: this system cannot stop a process"
}

func (r *Run) stop(ctx context.Context, name string) error {
	if !r.forReal() {
		return order(name, worker.Order{Do: worker.Pause})(ctx, r)
	}
	ctx, cancel := context.WithTimeout(ctx, opLimit)
	defer cancel()
	return stop(ctx, r.child(name).pid())
}

// resume ends a pause.
func resume(name string) op {
	return func(ctx context.Context, r *Run) error {
		r.mu.Lock()
		c := r.child(name)
		c.state = Working
		r.mu.Unlock()
		r.note("%s goes on", name)
		if !r.forReal() {
			return c.order(worker.Order{Do: worker.Resume})
		}
		return carryOn(c.pid())
	}
}

// kill ends a worker as a crash would.
func kill(name string) op {
	return func(ctx context.Context, r *Run) error {
		c := r.child(name)
		at := model.InstantOf(time.Now())
		c.end()
		r.mu.Lock()
		c.state, c.killed = Killed, at
		r.mu.Unlock()
		r.note("%s was killed", name)
		return nil
	}
}

// looked reads the lock and adds what it shows to the timeline.
func looked(ctx context.Context, r *Run) error {
	_, err := r.look(ctx)
	return err
}

func (r *Run) look(ctx context.Context) (reading, error) {
	seen, err := look(ctx, r.client, r.key)
	if err != nil {
		return seen, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ttl := r.ttl("A")
	if r.b.owner == seen.owner {
		ttl = r.ttl("B")
	}
	r.timeline.fold(seen, ttl)
	return seen, nil
}

// remember keeps a reading for a later comparison.
func remember(name string) op {
	return func(ctx context.Context, r *Run) error {
		seen, err := r.look(ctx)
		r.seen[name] = seen
		return err
	}
}

// untouched judges whether B's lease came through what A does meanwhile, token
// and deadline as they were. B's own renewals are held back for that long.
func untouched(assertion string, meanwhile ...op) op {
	return func(ctx context.Context, r *Run) error {
		if err := arm("B", worker.GateRenew)(ctx, r); err != nil {
			return err
		}
		before, err := r.look(ctx)
		if err != nil {
			return err
		}
		r.mu.Lock()
		b := r.b.owner
		r.mu.Unlock()
		if before.owner != b {
			return fmt.Errorf("%w: B's lease was over before A came back", ErrSlow)
		}
		for _, do := range meanwhile {
			if err := do(ctx, r); err != nil {
				return err
			}
		}
		after, err := r.look(ctx)
		if err != nil {
			return err
		}
		if after.owner == "" && before.deadline != 0 && before.deadline <= after.at {
			return fmt.Errorf("%w: B's lease ran out while A was watched", ErrSlow)
		}
		r.judge(assertion, before.same(after))
		return disarm("B", worker.GateRenew)(ctx, r)
	}
}

// judged judges an assertion by what the run has recorded.
func judged(assertion string, holds func(*Run) bool) op {
	return func(ctx context.Context, r *Run) error {
		if err := r.readState(ctx); err != nil {
			return err
		}
		r.mu.Lock()
		held := holds(r)
		r.mu.Unlock()
		r.judge(assertion, held)
		return nil
	}
}

// judge records whether an assertion held. It panics over one that the scenario
// does not list.
func (r *Run) judge(assertion string, held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.scenario.expect {
		if e.Name == assertion {
			r.judged[assertion] = held
			return
		}
	}
	panic(errors.New("demo: " + r.scenario.Name + " judges " + assertion + " and does not list it"))
}

// note tells what the demo itself did or saw.
func (r *Run) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, text)
	r.emitter.add(Event{Kind: Noted, Step: r.next, Note: text})
}

// loseAnswers has the proxy swallow what the server says on the connections that
// there are now.
func loseAnswers(_ context.Context, r *Run) error {
	r.proxy.LoseAnswers()
	return nil
}

// answerLost waits until an answer has been swallowed.
func answerLost(ctx context.Context, r *Run) error {
	select {
	case <-r.proxy.Lost():
		r.note("an answer of the server was lost on its way")
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(opLimit):
		return fmt.Errorf("%w: no answer came that could be lost", ErrSlow)
	}
}
