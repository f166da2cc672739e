package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"leasetop/demo/resource"
	"leasetop/model"
)

// holding is a lease as a job sees it.
type holding interface {
	Owner() string
	Fence() int64
	Lost() context.Context
	Check() error
	Keep(ctx context.Context)
	Release(ctx context.Context) (bool, error)
}

// job is one execution of one job.
type job struct {
	setup   Setup
	say     *speaker
	gates   *gates
	client  *redis.Client
	store   *resource.Resource
	started time.Time

	mu        sync.Mutex
	requested time.Time // when the job was asked to stop
}

// unitTime is how long a unit of work takes: it stands for a call with a bound.
const unitTime = 20 * time.Millisecond

// Bounds of the wait between two attempts to acquire.
const (
	firstRetry = 10 * time.Millisecond
	lastRetry  = 100 * time.Millisecond
)

// tell adds a line to the log of this execution.
func (j *job) tell(event, outcome, detail string) {
	j.event(model.WorkerEvent{Event: event, Outcome: outcome, Detail: detail})
}

func (j *job) event(e model.WorkerEvent) {
	now := time.Now()
	e.Key, e.JobID, e.ExecutionID, e.Pod = j.setup.Key, j.setup.Job, j.setup.Execution, j.setup.Pod
	e.ElapsedMs = now.Sub(j.started).Milliseconds()
	switch e.Event {
	case "lease_renewal":
		defer j.gates.renewed()
	case "job_stop_requested":
		j.mu.Lock()
		j.requested = now
		j.mu.Unlock()
	}
	j.say.say(Message{Event: &Event{WorkerEvent: e, At: model.InstantOf(now)}})
}

// run carries the job out. Its error is a failure of the server or of the
// resource; a lease that was not given or was lost is an outcome.
func (j *job) run(ctx context.Context) error {
	j.gates.pass(ctx, GateBegin)
	if j.setup.Manner.Marker != "" {
		return j.report(ctx)
	}
	lease, err := j.acquire(ctx)
	if lease == nil {
		return err
	}
	j.tell("job_start", "", "")
	stop := j.keep(ctx, lease)
	err = j.work(ctx, lease)
	// The renewals go on while the release is held up, or there would be nothing
	// to release.
	j.gates.pass(ctx, GateRelease)
	stop()
	j.release(ctx, lease)
	return err
}

// keep starts the renewals apart from the work and returns what ends them.
func (j *job) keep(ctx context.Context, lease holding) (stop func()) {
	if !j.setup.Manner.Renew {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		lease.Keep(ctx)
		j.gates.renewed()
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// acquire tries until the lease is ours or the patience is over. It returns nil
// without an error when there is no permission to work.
func (j *job) acquire(ctx context.Context) (holding, error) {
	end := time.Now().Add(j.setup.Manner.Wait)
	pause := firstRetry
	j.tell("acquire_attempt", "", "")
	for n := 1; ; n++ {
		lease, err := j.attempt(ctx)
		switch {
		case err == nil:
			e := model.WorkerEvent{Event: "acquired", Owner: lease.Owner(), Fence: number(lease.Fence())}
			if n > 1 {
				e.Detail = fmt.Sprintf("attempt %d", n)
			}
			j.event(e)
			return lease, nil
		case errors.Is(err, ErrUncertain):
			j.tell("acquire_uncertain", "", cause(err))
			return nil, nil
		case !errors.Is(err, ErrDenied):
			return nil, err
		case n == 1:
			j.tell("acquire_denied", "", "")
		}
		if !time.Now().Add(pause).Before(end) {
			if n > 1 {
				j.tell("acquire_denied", "", fmt.Sprintf("gave up after %d attempts", n))
			}
			return nil, nil
		}
		if err := sleep(ctx, pause/2+rand.N(pause/2)); err != nil {
			return nil, err
		}
		pause = min(2*pause, lastRetry)
		j.gates.pass(ctx, "retry")
	}
}

// attempt makes one attempt, with a token of its own.
func (j *job) attempt(ctx context.Context) (holding, error) {
	terms := Terms{Key: j.setup.Key, TTL: j.setup.TTL, Tell: j.tell, Pause: j.gates.pass}
	if j.setup.Manner.Right {
		lease, err := Acquire(ctx, j.client, terms)
		if err != nil {
			return nil, err
		}
		return lease, nil
	}
	lease, err := acquireCareless(ctx, j.client, terms, j.setup.Manner)
	if err != nil {
		return nil, err
	}
	return lease, nil
}

// work is the job between acquisition and release: units of work, then one write
// of the result, each after a check.
func (j *job) work(ctx context.Context, lease holding) error {
	if err := j.units(ctx, lease); err != nil {
		return j.stopped(err)
	}
	if err := lease.Check(); err != nil {
		return j.stopped(err)
	}
	// The write is on its way from here on: no check can call it back.
	j.gates.pass(ctx, GateWrite)
	if j.setup.Manner.Write == WriteNothing {
		j.tell("job_finish", "", "")
		return nil
	}
	outcome, err := j.write(ctx, lease)
	if err != nil {
		return err
	}
	if err := lease.Check(); err != nil && j.setup.Manner.Right {
		return j.stopped(err)
	}
	if outcome == resource.Rejected {
		return j.stopped(fmt.Errorf("%w: the resource refused the write", ErrLost))
	}
	j.tell("job_finish", "", "")
	return nil
}

// units works until the demo has seen enough, one unit without it.
func (j *job) units(ctx context.Context, lease holding) error {
	enough := j.gates.hold(GateWork)
	for {
		if err := lease.Check(); err != nil {
			return err
		}
		j.gates.pass(ctx, "unit")
		select {
		case <-lease.Lost().Done():
			continue
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(unitTime):
		}
		select {
		case <-enough:
			return nil
		default:
			if enough == nil {
				return nil
			}
		}
	}
}

// write sends the result to the resource and tells what became of it.
func (j *job) write(ctx context.Context, lease holding) (resource.Outcome, error) {
	w := resource.Write{Job: j.setup.Job, Execution: j.setup.Execution, Value: j.setup.Name, Fence: lease.Fence()}
	attempt := model.WorkerEvent{Event: "write_attempt", Fence: number(w.Fence)}
	if c, ok := lease.(*careless); ok {
		attempt.Detail = c.asked
	}
	j.event(attempt)
	var (
		outcome resource.Outcome
		says    string
		err     error
	)
	switch j.setup.Manner.Write {
	case WriteFenced:
		outcome, says, err = j.store.PutFenced(ctx, w)
	case WriteOnce:
		outcome, says, err = j.store.PutOnce(ctx, w)
	default:
		outcome, err = j.store.Put(ctx, w)
	}
	if err != nil {
		return "", err
	}
	e := model.WorkerEvent{Event: "write_" + string(outcome), Fence: number(w.Fence), Detail: says}
	switch outcome {
	case resource.Duplicate:
		e.Detail = fmt.Sprintf("the result is %q, as first written", says)
	case resource.Accepted:
		e.Detail = ""
	}
	j.event(e)
	return outcome, nil
}

// stopped tells that the job has ended without its result, and how long that
// took since it was asked to. A lost lease is an outcome, anything else a
// failure.
func (j *job) stopped(err error) error {
	now := time.Now()
	j.mu.Lock()
	requested := j.requested
	j.mu.Unlock()
	e := model.WorkerEvent{Event: "job_stopped", Detail: err.Error()}
	if !requested.IsZero() {
		ms := now.Sub(requested).Milliseconds()
		e.StopMs = &ms
	}
	j.event(e)
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}

// release tells how the release went. It is not the job's outcome.
func (j *job) release(ctx context.Context, lease holding) {
	ours, err := lease.Release(ctx)
	switch {
	case err != nil:
		j.tell("release", "error", cause(err))
	case ours:
		j.tell("release", "deleted", "")
	default:
		j.tell("release", "not-owner", "")
	}
}

func number(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// sleep returns after d, or with ctx's error before that.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
