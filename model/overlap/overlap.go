// Package overlap lays what workers tell of themselves beside a lease's
// timeline: how long a worker went on after its lease, how long two of them
// worked at the same time, and what became of their writes.
//
// It is pure, and it keeps two questions apart: work that overlapped costs load,
// effects that were duplicated cost correctness. Neither follows from the other.
//
// Workers have clocks of their own. Where the offset of a clock to the server's
// is not known, it is bounded by causality: a worker tells of its acquisition
// after the server carried it out, and of its attempt before. So every duration
// is a range, and says whether it could be bounded at all.
package overlap

import (
	"time"

	"leasetop/model"
)

// Attempt is one execution of a job, beside the tenure that it worked under.
type Attempt struct {
	Execution string
	Pod       string
	Job       string
	Start     model.Instant // of the work, by the worker's clock; 0: it has not begun
	End       model.Instant // by the worker's clock; 0: it has not told an end
	Clock     Clock         // of the pod
	Tenure    *Tenure       // nil: none fits
	ByToken   bool          // the tenure was found by the owner token, not by the time
	Accepted  int64         // writes that the resource took
	Duplicate int64         // writes whose effect was there already
	Rejected  int64         // writes that the resource refused

	owner    model.Owner
	tried    model.Instant // last line before acquired
	acquired model.Instant
	finished model.Instant // last line before the release
	released model.Instant // with outcome deleted
}

// Tenure is one holder's time on the key, as the timeline has it, on the
// server's clock.
type Tenure struct {
	Owner      model.Owner
	Generation int32
	From       model.Instant
	Earliest   model.Instant // bounds of From
	Latest     model.Instant
	To         model.Instant // its end; the last known deadline while it has none; 0: no deadline
	Ended      bool
	end        model.Entry
}

// Clock is the offset of a pod's clock: server time minus worker time.
type Clock struct {
	Min, Max       time.Duration
	HasMin, HasMax bool
}

// Known is an offset with its uncertainty.
func Known(offset, bound time.Duration) Clock {
	return Clock{Min: offset - bound, Max: offset + bound, HasMin: true, HasMax: true}
}

// Bounded reports whether both bounds are known.
func (c Clock) Bounded() bool { return c.HasMin && c.HasMax }

// span is the range of offsets to reckon with. Where a bound is missing the
// clocks are taken to agree as far as the other bound allows.
func (c Clock) span() (lo, hi time.Duration) {
	switch {
	case c.Bounded():
		return c.Min, c.Max
	case c.HasMin:
		return max(0, c.Min), max(0, c.Min)
	case c.HasMax:
		return min(0, c.Max), min(0, c.Max)
	}
	return 0, 0
}

// Range bounds a duration. Bounded is false where a clock's offset is not
// bounded: then Min and Max hold only as far as the clocks agree.
type Range struct {
	Min, Max time.Duration
	Bounded  bool
}

// Middle is the middle of the range.
func (r Range) Middle() time.Duration { return r.Min + (r.Max-r.Min)/2 }

// RanPast is how long the attempt went on after its lease had ended, at now on
// the server's clock if it has not told its end. It is false when the attempt
// has not begun, has no tenure, or the tenure has no end.
func (a *Attempt) RanPast(now model.Instant) (Range, bool) {
	if a.Start == 0 || a.Tenure == nil || a.Tenure.To == 0 {
		return Range{}, false
	}
	lo, hi := a.endAt(now)
	return Range{
		Min:     max(0, lo.Sub(a.Tenure.To)),
		Max:     max(0, hi.Sub(a.Tenure.To)),
		Bounded: a.Clock.Bounded() || a.End == 0,
	}, true
}

// Between is how long two attempts worked at the same time, at now on the
// server's clock if one has not told its end. It is false when one of them has
// not begun.
func Between(a, b *Attempt, now model.Instant) (Range, bool) {
	if a.Start == 0 || b.Start == 0 {
		return Range{}, false
	}
	aStartLo, aStartHi := a.at(a.Start)
	bStartLo, bStartHi := b.at(b.Start)
	aEndLo, aEndHi := a.endAt(now)
	bEndLo, bEndHi := b.endAt(now)
	r := Range{
		Min:     max(0, min(aEndLo, bEndLo).Sub(max(aStartHi, bStartHi))),
		Max:     max(0, min(aEndHi, bEndHi).Sub(max(aStartLo, bStartLo))),
		Bounded: a.Clock.Bounded() && b.Clock.Bounded(),
	}
	if a.Pod == b.Pod && a.End != 0 && b.End != 0 {
		// One clock told all four times: its offset does not matter.
		exact := max(0, min(a.End, b.End).Sub(max(a.Start, b.Start)))
		r = Range{Min: exact, Max: exact, Bounded: true}
	}
	return r, true
}

// at is a time of the worker's clock on the server's.
func (a *Attempt) at(t model.Instant) (lo, hi model.Instant) {
	l, h := a.Clock.span()
	return t.Add(l), t.Add(h)
}

func (a *Attempt) endAt(now model.Instant) (lo, hi model.Instant) {
	if a.End == 0 {
		return now, now
	}
	return a.at(a.End)
}
