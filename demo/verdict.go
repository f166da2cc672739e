package demo

import (
	"time"

	"leasetop/model"
	"leasetop/model/overlap"
)

// Verdict is what a scenario proved. Durations are milliseconds, nil where the
// scenario has none.
type Verdict struct {
	Scenario       string
	Assertions     []Assertion // in the order of the scenario
	AsExpected     bool        // each assertion held or did not hold as the lesson says
	OverlapMs      *int64      // how long both workers were at work
	RanPastLeaseMs *int64      // how long A was at work after its lease had ended
	TakeoverMs     *int64      // from A's stop, pause or death to B's acquisition
	Accepted       int64       // writes that the resource took
	Duplicate      int64       // writes whose effect was there already
	Rejected       int64       // writes that it refused
}

// Assertion is one thing that a scenario checks. What is expected not to hold is
// the lesson of the scenario, not a failure.
type Assertion struct {
	Name     string // "late-release-refused"
	Says     string // "A cannot remove B's key"
	Expected bool   // whether it is to hold
	Known    bool   // whether it has been seen
	Held     bool
}

// Verdict is what has been seen so far; it is complete when the last step is
// done.
func (r *Run) Verdict() Verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := Verdict{Scenario: r.scenario.Name, AsExpected: true, Assertions: r.assertions()}
	for _, a := range v.Assertions {
		v.AsExpected = v.AsExpected && a.Known && a.Held == a.Expected
	}
	now := model.InstantOf(time.Now())
	attempts := overlap.Of(r.events, r.timeline.entries, map[string]overlap.Clock{podA: r.clock, podB: r.clock})
	var a, b *overlap.Attempt
	for i := range attempts {
		switch attempts[i].Execution {
		case executionA:
			a = &attempts[i]
		case executionB:
			b = &attempts[i]
		}
	}
	v.Accepted, v.Duplicate, v.Rejected = overlap.Effects(attempts)
	if a == nil {
		return v
	}
	if a.End == 0 && a.Start != 0 {
		a.End = r.a.killed
	}
	if past, ok := a.RanPast(now); ok {
		v.RanPastLeaseMs = millis(past.Middle())
	}
	if b == nil {
		return v
	}
	if both, ok := overlap.Between(a, b, now); ok {
		v.OverlapMs = millis(both.Middle())
	}
	if from := r.lastSign(a); from != 0 && r.b.acquired != 0 {
		v.TakeoverMs = millis(max(0, r.b.acquired.Sub(from)))
	}
	return v
}

// lastSign is when A could no more work on: killed, paused, or stopped by itself
// before B had the lease. 0 when it never was.
func (r *Run) lastSign(a *overlap.Attempt) model.Instant {
	switch {
	case r.a.killed != 0:
		return r.a.killed
	case r.a.paused != 0:
		return r.a.paused
	case a.End != 0 && a.End < r.b.acquired:
		return a.End
	}
	return 0
}

func millis(d time.Duration) *int64 {
	ms := d.Milliseconds()
	return &ms
}

func (r *Run) assertions() []Assertion {
	list := make([]Assertion, len(r.scenario.expect))
	for i, e := range r.scenario.expect {
		held, known := r.judged[e.Name]
		list[i] = Assertion{Name: e.Name, Says: e.Says, Expected: e.Expected, Known: known, Held: held}
	}
	return list
}
