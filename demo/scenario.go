package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"leasetop/demo/server"
	"leasetop/demo/worker"
)

// Info is what there is to say of a scenario before it is played.
type Info struct {
	Name       string
	Title      string
	Lesson     string // what it is to teach, in a sentence
	Steps      []StepInfo
	Assertions []Assertion // with what is expected, nothing known
	NeedsReal  bool        // it cannot be played without redis-server or valkey-server
}

// StepInfo is one step of a scenario.
type StepInfo struct {
	Title  string
	Lesson string // what this step shows, in a sentence
}

// scenario is an Info and how it is played.
type scenario struct {
	Info
	job     string // "invoice-42"
	a, b    part
	steps   []step
	expect  []expectation
	setUp   func(ctx context.Context, r *Run) error // besides what every run needs; nil: nothing
	minTTL  time.Duration                           // of both leases
	givesUp bool                                    // B's patience ends although the lease does not
}

// part is the part that a worker plays.
type part struct {
	name   string // "A" or "B"
	manner worker.Manner
	gates  []string // at which it stands from the start
}

type step struct {
	StepInfo
	do []op
}

// expectation is an assertion and whether the lesson is that it holds.
type expectation struct {
	Name     string
	Says     string
	Expected bool
}

// The scenarios, in the order in which they build on each other.
var scenarios = numbered(
	naive(), tokenChecked(), fencedResource(), checkThenWrite(), renewed(), ambiguous(),
	longReport(), orphan(), crash(), idempotent(), failover(),
)

// numbered fills in what an Info says of the other fields.
func numbered(list ...*scenario) []*scenario {
	for _, s := range list {
		for _, st := range s.steps {
			s.Steps = append(s.Steps, st.StepInfo)
		}
		for _, e := range s.expect {
			s.Assertions = append(s.Assertions, Assertion{Name: e.Name, Says: e.Says, Expected: e.Expected})
		}
	}
	return list
}

// Scenarios are all scenarios, in the order in which they build on each other.
func Scenarios() []Info {
	infos := make([]Info, len(scenarios))
	for i, s := range scenarios {
		infos[i] = s.Info
	}
	return infos
}

// find is the scenario of a name. It may return an *Error that matches
// ErrScenario and lists the names.
func find(name string) (*scenario, error) {
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	return nil, &Error{Doing: "find the scenario", Err: fmt.Errorf("%w: %q", ErrScenario, name), Hint: "there are " + strings.Join(names, ", ")}
}

// Playable is nil when this machine has what a scenario needs, and else an
// *Error that matches ErrScenario or ErrNoServer.
func Playable(name string) error {
	s, err := find(name)
	if err != nil || !s.NeedsReal {
		return err
	}
	if _, err := server.Find(); err != nil {
		return &Error{Doing: "play " + name, Err: ErrNoServer, Hint: "it needs two real servers of its own: install redis-server or valkey-server"}
	}
	return nil
}

// fenced reports whether a worker draws fencing tokens.
func (s *scenario) fenced() bool {
	draws := func(m worker.Manner) bool { return m.Right || m.Acquire == worker.AcquireFenced }
	return draws(s.a.manner) || draws(s.b.manner)
}

// The assertions that several scenarios share.
var (
	releaseRefused = expectation{"late-release-refused", "A cannot remove B's key", true}
	renewalRefused = expectation{"late-renewal-refused", "A cannot prolong B's lease", true}
	writeRejected  = expectation{"stale-write-rejected", "A cannot overwrite B's result", true}
	stoppedItself  = expectation{"stopped-by-itself", "A stops when it may not go on", true}
	oneEffect      = expectation{"one-effect", "the job has one effect", true}
)

func (e expectation) not() expectation {
	e.Expected = false
	return e
}

// rightly is the whole life cycle of worker/lease.go.
func rightly(write worker.Writing, renew bool) worker.Manner {
	return worker.Manner{Right: true, Write: write, Renew: renew}
}

// second is the part of B in most stories: it does everything rightly, and it
// renews, so that there is time to look at each step.
func second(write worker.Writing, gates ...string) part {
	return part{name: "B", manner: rightly(write, true), gates: append([]string{worker.GateBegin}, gates...)}
}

// first is the part of A.
func first(m worker.Manner, gates ...string) part {
	return part{name: "A", manner: m, gates: append([]string{worker.GateBegin}, gates...)}
}

// What judged asks of a run, with its mutex held.

func bStands(r *Run) bool    { return r.state.Writer == executionB }
func onceOnly(r *Run) bool   { return r.state.Count("accepted") == 1 }
func aStopped(r *Run) bool   { return r.a.said["job_stopped"] > 0 }
func bTookOver(r *Run) bool  { return r.b.said["acquired"] > 0 }
func bothAtWork(r *Run) bool { return atWork(r.a) && atWork(r.b) }
func atWork(c *child) bool {
	return c.said["job_start"] > 0 && c.said["job_finish"]+c.said["job_stopped"] == 0
}
func bReleased(r *Run) bool   { return r.b.said["release deleted"] > 0 }
func askedFirst(r *Run) bool  { return detailOf(r, executionA, "write_attempt") != "" }
func hasExpiry(r *Run) bool   { return r.timeline.held.deadline != 0 }
func notTooEarly(r *Run) bool { return r.timeline.began(r.b.owner) >= r.timeline.ended(r.a.owner) }

// detailOf is the detail of an execution's last event of a name.
func detailOf(r *Run, execution, event string) string {
	for i := len(r.events) - 1; i >= 0; i-- {
		if r.events[i].ExecutionID == execution && r.events[i].Event == event {
			return r.events[i].Detail
		}
	}
	return ""
}
