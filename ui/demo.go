package ui

import (
	"context"
	"errors"

	"leasetop/model"
	"leasetop/model/overlap"
)

// Demo plays scenarios for the demo page: two workers, one lease. Begin and Step
// may take long; they are called from commands, one at a time. Now may be called
// at any time.
type Demo interface {
	// Scenarios are always the same, in the order in which they build on each
	// other.
	Scenarios() []DemoScenario
	// Stage says where scenarios are played.
	Stage() DemoStage
	// Begin ends the run before, if there is one, and prepares a scenario. It
	// gives the moment before the first step.
	Begin(ctx context.Context, scenario string) (DemoMoment, error)
	// Step plays the next step. After an error the run cannot go on.
	Step(ctx context.Context) (DemoMoment, error)
	// Now is the moment that a step has reached that is not over yet.
	Now() DemoMoment
}

// DemoStage is the server that the demo plays on.
type DemoStage struct {
	Where   string // "redis 7.0.15 (private, pid 4119)"
	Pausing string // how a worker is stopped where that is not a signal, else ""
	Foreign bool   // it is not on this machine: somebody has to agree
	Writes  string // what is written there, in words
}

// DemoScenario is what there is to say of a scenario before it is played.
type DemoScenario struct {
	Name   string
	Title  string
	Lesson string
	Steps  []DemoStep
}

// DemoStep is one step of a scenario.
type DemoStep struct{ Title, Lesson string }

// DemoMoment is a run at one moment, complete in itself.
type DemoMoment struct {
	Step       int           // steps played
	Clock      overlap.Clock // of both workers, against the server's
	A, B       DemoWorker
	Lease      DemoLease
	Resource   DemoResource
	Assertions []DemoAssertion
	Notes      []string
	Verdict    *DemoVerdict // once all steps are played
}

// DemoWorker is one of the two workers.
type DemoWorker struct {
	Name  string
	Pid   int    // 0: not started
	State string // "waiting", "working", "finished", "stopped", "ended", "killed"
	How   string // of "stopped": by what
	Owner string // its token; "" before it acquired
	Fence *int64
	Lines []model.WorkerEvent
}

// DemoLease is what the demo itself read of its lock. It is shown only where the
// watcher does not see the lock.
type DemoLease struct {
	Key      model.Key
	Owner    string // "" when nobody holds it
	Deadline model.Instant
	ReadAt   model.Instant
}

// DemoResource is the protected resource.
type DemoResource struct {
	Job     string
	Value   string
	Writer  string // the execution whose value it is
	Fence   int64  // the highest one accepted; 0: none
	Guarded string // "fenced", "once", or "" where it takes every write
}

// DemoAssertion is one thing that a scenario checks.
type DemoAssertion struct {
	Name     string
	Says     string
	Expected bool // whether it is to hold
	Known    bool // whether it has been seen
	Held     bool
}

// DemoVerdict is what a scenario has proved. Durations are milliseconds, nil
// where there is none.
type DemoVerdict struct {
	AsExpected                    bool
	Overlap, RanPast, Takeover    *int64
	Accepted, Duplicate, Rejected int64
}

// DemoError is a failure with a hint what to do about it.
type DemoError struct {
	Err  error
	Hint string
}

func (e *DemoError) Error() string { return e.Err.Error() }
func (e *DemoError) Unwrap() error { return e.Err }

// hintOf is the hint that an error carries, "" for none.
func hintOf(err error) string {
	var d *DemoError
	if errors.As(err, &d) {
		return d.Hint
	}
	return ""
}
