package demo

import (
	"context"
	"fmt"
	"slices"

	"leasetop/demo/resource"
	"leasetop/demo/worker"
	"leasetop/model"
	"leasetop/model/overlap"
)

// WorkerState is what a worker is doing, as far as the demo knows.
type WorkerState string

// The states of a worker.
const (
	Waiting  WorkerState = "waiting"  // for its turn, or for the lease
	Working  WorkerState = "working"  // it has the lease, or believes so
	Finished WorkerState = "finished" // its work is over and the lease not yet given back
	Paused   WorkerState = "stopped"  // by the demo
	Ended    WorkerState = "ended"    // by itself
	Killed   WorkerState = "killed"   // by the demo
)

// Snapshot is a run at one moment. A recorded one is complete in itself: it can
// be shown long after the run went on.
type Snapshot struct {
	Step       int // steps played; 0: none
	A, B       Worker
	Lease      Lease
	Resource   Resource
	Assertions []Assertion
	Notes      []string // what the demo did and saw in this step, in words
	Dropped    int      // lines of renewals left out for their number
}

// Worker is one of the two workers.
type Worker struct {
	Name  string // "A"
	Pod   string
	Pid   int
	State WorkerState
	How   string // of Paused: "SIGSTOP", or "by asking" where the system has no way
	Owner string // its token; "" before it acquired
	Fence *int64
	Lines []model.WorkerEvent
}

// Lease is what the demo itself read of its lock at the last step. The screen
// knows more, through the watcher.
type Lease struct {
	Key      string
	Node     string // the server that the demo looked at
	Owner    string // "" when nobody holds it
	Holder   string // "A" or "B"; "" when nobody, or somebody else
	Deadline model.Instant
	ReadAt   model.Instant
}

// Resource is the protected resource.
type Resource struct {
	Job     string
	Guarded string // how it is written: "plain", "fenced", "once" or ""
	resource.State
}

// Snapshot is the run now.
func (r *Run) Snapshot() Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.snapshot(r.next)
}

// Moments are the snapshots at the start and after each step, oldest first. They
// do not change any more.
func (r *Run) Moments() []Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.moments)
}

// Describe says where the run plays, for the header.
func (r *Run) Describe() string {
	switch {
	case r.pair != nil:
		return fmt.Sprintf("two private servers: primary %s, replica %s", r.pair[0].Addr(), r.pair[1].Addr())
	case r.opts.Embedded != nil:
		return r.opts.Embedded.Describe()
	}
	return r.opts.Target.String()
}

// Info is the scenario that is played.
func (r *Run) Info() Info { return r.scenario.Info }

// Key is the name of the lock.
func (r *Run) Key() string { return r.key }

// Clock is how far the server's clock is from that of this machine, on which the
// workers run.
func (r *Run) Clock() overlap.Clock {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock
}

// Addrs are the servers on which the lock can be, host:port or a socket: one, or
// two in failover.
func (r *Run) Addrs() []string {
	if r.pair == nil {
		return []string{r.targets[""].Addr}
	}
	return []string{r.pair[0].Addr(), r.pair[1].Addr()}
}

func (r *Run) record(step int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moments = append(r.moments, r.snapshot(step))
}

// snapshot is called with the mutex held.
func (r *Run) snapshot(step int) Snapshot {
	held := r.timeline.held
	s := Snapshot{
		Step:       step,
		A:          r.worker(r.a, podA),
		B:          r.worker(r.b, podB),
		Lease:      Lease{Key: r.key, Node: r.targets[""].Addr, Owner: held.owner, Deadline: held.deadline, ReadAt: held.at},
		Resource:   Resource{Job: r.scenario.job, Guarded: string(r.scenario.a.manner.Write), State: r.state},
		Assertions: r.assertions(),
		Notes:      slices.Clone(r.notes),
		Dropped:    r.dropped,
	}
	for _, c := range []*child{r.a, r.b} {
		if c != nil && held.owner != "" && c.owner == held.owner {
			s.Lease.Holder = c.name
		}
	}
	return s
}

func (r *Run) worker(c *child, pod string) Worker {
	if c == nil {
		return Worker{Pod: pod}
	}
	w := Worker{Name: c.name, Pod: pod, Pid: c.pid(), State: c.state, Owner: c.owner, Fence: c.fence}
	if c.state == Paused {
		w.How = r.how()
	}
	for i := range r.events {
		if r.events[i].Pod == pod {
			w.Lines = append(w.Lines, r.events[i])
		}
	}
	return w
}

// heard takes in what a worker says.
func (r *Run) heard(m worker.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.child(m.Who)
	if c == nil {
		return
	}
	switch {
	case m.Event != nil:
		m.Event.WorkerEvent.At = m.Event.At
		r.took(c, m.Event.WorkerEvent)
	case m.Gate != "":
		c.reached[m.Gate] = true
	case m.Ack != "":
		c.acks[m.Ack]++
	case m.Fail != "":
		c.fail = m.Fail
	case m.End:
		c.ended = true
		c.state = Ended
	case m.Gone:
		c.gone = true
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// took adds a worker's event to the record.
func (r *Run) took(c *child, e model.WorkerEvent) {
	c.said[e.Event]++
	if e.Outcome != "" {
		c.said[e.Event+" "+e.Outcome]++
	}
	switch e.Event {
	case "acquired":
		c.owner, c.fence, c.acquired = e.Owner, e.Fence, e.At
		c.state = Working
	case "job_stopped", "job_finish":
		c.state = Finished
	}
	if len(r.events) >= maxEvents && e.Event == "lease_renewal" && e.Outcome == "ok" {
		r.dropped++
		return
	}
	r.events = append(r.events, e)
	r.emitter.add(Event{Kind: WorkerTold, Step: r.next, Worker: &e})
}

// readState reads the resource, which the workers write.
func (r *Run) readState(ctx context.Context) error {
	s, err := r.store.State(ctx, r.scenario.job)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
	return nil
}
