package overlap

import (
	"slices"
	"time"

	"leasetop/model"
)

// nearby is how far a line about an acquisition may lie from an acquisition in
// the timeline to be taken for it, when the line names no owner.
const nearby = 5 * time.Second

// Of makes attempts of worker events about one key and that key's timeline, in
// the order of their first lines. Events of an execution must be in the order of
// their telling; executions may be mixed. Clocks gives the offsets that are
// known, by pod; the others are bounded by what the events and the timeline say.
func Of(events []model.WorkerEvent, timeline []model.Entry, clocks map[string]Clock) []Attempt {
	var (
		attempts []Attempt
		index    = map[[2]string]int{}
	)
	for i := range events {
		id := [2]string{events[i].Pod, events[i].ExecutionID}
		at, known := index[id]
		if !known {
			at = len(attempts)
			index[id] = at
			attempts = append(attempts, Attempt{Execution: events[i].ExecutionID, Pod: events[i].Pod, Job: events[i].JobID})
		}
		attempts[at].fold(&events[i])
	}
	tenures := Tenures(timeline)
	match(attempts, tenures)
	bound(attempts, clocks)
	return attempts
}

// fold adds one line to an attempt.
func (a *Attempt) fold(e *model.WorkerEvent) {
	switch e.Event {
	case "acquired":
		a.acquired = e.At
		if e.Owner != "" {
			a.owner = model.OwnerOf(e.Owner)
		}
	case "job_start":
		a.Start = e.At
	case "job_finish", "job_stopped":
		a.End = e.At
	case "write_accepted":
		a.Accepted++
	case "write_duplicate":
		a.Duplicate++
	case "write_rejected":
		a.Rejected++
	case "release":
		if e.Outcome == "deleted" {
			a.released = e.At
		}
	}
	if a.acquired == 0 {
		a.tried = e.At
	}
	if a.released == 0 {
		a.finished = e.At
	}
}

// Tenures are the times of the holders of a key, in the order of their
// beginnings. A timeline that was cut at its front begins with what is left.
func Tenures(timeline []model.Entry) []Tenure {
	var (
		tenures []Tenure
		open    = map[model.Owner]int{}
	)
	end := func(owner model.Owner, e *model.Entry) {
		i, ok := open[owner]
		if !ok {
			return
		}
		tenures[i].Ended, tenures[i].To, tenures[i].end = true, e.At, *e
		delete(open, owner)
	}
	for i := range timeline {
		e := &timeline[i]
		if e.Previous != nil {
			end(e.Previous.Owner, e)
		}
		switch at, held := open[e.Owner]; {
		case e.Change.Begins():
			open[e.Owner] = len(tenures)
			tenures = append(tenures, Tenure{Owner: e.Owner, Generation: e.Generation, From: e.At, Earliest: e.Earliest, Latest: e.Latest, To: e.Deadline})
		case e.Change.Ends():
			end(e.Owner, e)
		case held && e.Deadline != 0 || e.Change == model.ExpiryRemoved && held:
			tenures[at].To = e.Deadline
		}
	}
	return tenures
}

// match finds the tenure of each attempt: by the token, or else the nearest one
// in time that no other attempt has.
func match(attempts []Attempt, tenures []Tenure) {
	taken := make([]bool, len(tenures))
	for i := range attempts {
		a := &attempts[i]
		if !a.owner.Known {
			continue
		}
		if at := slices.IndexFunc(tenures, func(t Tenure) bool { return t.Owner == a.owner }); at >= 0 {
			a.Tenure, a.ByToken, taken[at] = &tenures[at], true, true
		}
	}
	for i := range attempts {
		a := &attempts[i]
		if a.Tenure != nil || a.owner.Known || a.acquired == 0 {
			continue
		}
		best, least := -1, nearby
		for at := range tenures {
			if d := tenures[at].From.Sub(a.acquired).Abs(); !taken[at] && d <= least {
				best, least = at, d
			}
		}
		if best >= 0 {
			a.Tenure, taken[best] = &tenures[best], true
		}
	}
}

// bound finds the offset of each pod's clock from what must have come before
// what.
func bound(attempts []Attempt, known map[string]Clock) {
	clocks := map[string]Clock{}
	for i := range attempts {
		a := &attempts[i]
		if a.Tenure == nil || a.Tenure.Earliest == 0 {
			continue
		}
		c := clocks[a.Pod]
		// The server carried the acquisition out before the worker told of it,
		// and after whatever the worker told before.
		c.atLeast(a.Tenure.Earliest, a.acquired)
		c.atMost(a.Tenure.Latest, a.tried)
		if end := &a.Tenure.end; end.Change == model.Released && a.released != 0 {
			c.atLeast(end.Earliest, a.released)
			c.atMost(end.Latest, a.finished)
		}
		clocks[a.Pod] = c
	}
	for i := range attempts {
		a := &attempts[i]
		if c, ok := known[a.Pod]; ok {
			a.Clock = c
			continue
		}
		c := clocks[a.Pod]
		if c.Bounded() && c.Min > c.Max {
			// The clocks drifted between two pieces of evidence.
			c.Min, c.Max = c.Max, c.Min
		}
		a.Clock = c
	}
}

// atLeast: what the server did at the earliest was done when the worker said so.
func (c *Clock) atLeast(server, worker model.Instant) {
	if server == 0 || worker == 0 {
		return
	}
	if d := server.Sub(worker); !c.HasMin || d > c.Min {
		c.Min, c.HasMin = d, true
	}
}

// atMost: what the server did at the latest was not done before the worker spoke.
func (c *Clock) atMost(server, worker model.Instant) {
	if server == 0 || worker == 0 {
		return
	}
	if d := server.Sub(worker); !c.HasMax || d < c.Max {
		c.Max, c.HasMax = d, true
	}
}

// Effects adds up what became of all writes.
func Effects(attempts []Attempt) (accepted, duplicate, rejected int64) {
	for i := range attempts {
		accepted += attempts[i].Accepted
		duplicate += attempts[i].Duplicate
		rejected += attempts[i].Rejected
	}
	return accepted, duplicate, rejected
}
