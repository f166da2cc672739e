package lines

import "leasetop/model"

func findingFields(s sink, f *model.Finding) {
	s.text("kind", "finding")
	s.text("rule", f.Rule.Name)
	s.text("severity", f.Rule.Severity.String())
	keyFields(s, f.Key)
	owner(s, "owner", f.Owner)
	s.number("generation", int64(f.Generation))
	s.instant("since", f.Since)
	s.text("detail", f.Detail)
	s.text("means", f.Rule.Means)
	s.text("not_proof", f.Rule.NotProof)
	s.text("next", f.Rule.Next)
}

func workerFields(s sink, w *model.WorkerEvent) {
	s.text("kind", "worker")
	s.bytes("key", w.Key)
	s.instant("at", w.At)
	s.text("jobId", w.JobID)
	s.text("executionId", w.ExecutionID)
	s.text("pod", w.Pod)
	s.text("event", w.Event)
	s.number("elapsedMs", w.ElapsedMs)
	optional(s, "outcome", w.Outcome)
	optionalNumber(s, "fence", w.Fence)
	optionalNumber(s, "stopMs", w.StopMs)
	if w.Owner != "" {
		s.bytes("owner", w.Owner)
	}
	optional(s, "detail", w.Detail)
}

func optionalNumber(s sink, name string, n *int64) {
	if n != nil {
		s.number(name, *n)
	}
}

// Verdict is what a demo scenario proved. Assertions stand in the order of the
// scenario; durations are milliseconds, nil where the scenario has none.
type Verdict struct {
	Scenario       string
	Assertions     []Assertion
	AsExpected     bool
	OverlapMs      *int64 // how long both workers worked
	RanPastLeaseMs *int64 // how long a worker went on after its lease
	TakeoverMs     *int64 // from the last holder's end to the next one's beginning
	Accepted       int64  // effects that the resource took
	Duplicate      int64  // effects that it knew already
	Rejected       int64  // effects that it refused
}

// Assertion is one thing that a scenario checks, and whether it held; null where
// the scenario ended before that was seen.
type Assertion struct {
	Name  string
	Known bool
	Held  bool
}

func heldField(s sink, name string, a Assertion) {
	if !a.Known {
		s.none(name)
		return
	}
	s.flag(name, a.Held)
}

func appendVerdict(b []byte, v *Verdict) []byte {
	o := newObject(b)
	o.text("kind", "verdict")
	o.text("scenario", v.Scenario)
	o.list("assertions", len(v.Assertions), func(i int, s *object) {
		s.text("name", v.Assertions[i].Name)
		heldField(s, "held", v.Assertions[i])
	})
	verdictFields(o, v)
	return o.close()
}

func verdictFields(s sink, v *Verdict) {
	s.flag("as_expected", v.AsExpected)
	for _, f := range []struct {
		name string
		ms   *int64
	}{{"overlap_ms", v.OverlapMs}, {"ran_past_lease_ms", v.RanPastLeaseMs}, {"takeover_ms", v.TakeoverMs}} {
		if f.ms == nil {
			s.none(f.name)
			continue
		}
		s.number(f.name, *f.ms)
	}
	s.number("accepted", v.Accepted)
	s.number("duplicate", v.Duplicate)
	s.number("rejected", v.Rejected)
}
