package ui

import (
	"math"
	"slices"
	"sort"
	"time"

	"leasetop/model"
)

// cut divides what has happened from what has not yet, for a picture of one
// instant. Entries of a key are in the order of both At and Seq, so that a cut
// always leaves a prefix of its timeline.
type cut struct {
	at    model.Instant
	seq   uint64 // of entries at the same instant, the last one that has happened
	known uint64 // entries told later than this one do not exist yet
}

// wholeStory lets every entry through.
var wholeStory = cut{at: model.Forever, seq: math.MaxUint64, known: math.MaxUint64}

func (c cut) has(at model.Instant, seq uint64) bool {
	return seq <= c.known && (at < c.at || at == c.at && seq <= c.seq)
}

// prefix is the part of a key's timeline that has happened.
func (c cut) prefix(entries []model.Entry) []model.Entry {
	n := sort.Search(len(entries), func(i int) bool { return !c.has(entries[i].At, entries[i].Seq) })
	return entries[:n]
}

// step is one thing that happened on any key.
type step struct {
	at  model.Instant
	seq uint64
	key model.Key
}

func (s step) compare(o step) int {
	if s.at != o.at {
		return cmpOf(s.at, o.at)
	}
	return cmpOf(s.seq, o.seq)
}

func cmpOf[T int | int64 | uint64 | model.Instant](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// maxSteps bounds how far one can step back: the oldest are given up, and the
// screen says so. 65,536 steps take about 5 MiB.
const maxSteps = 1 << 16

// record is the order in which things happened, over all keys. What was found
// at the start did not happen then and is no step.
type record struct {
	steps   []step // by at, then seq
	dropped uint64
}

func (r *record) add(t *model.Transition) {
	if t.Change == model.Found {
		return
	}
	s := step{t.At, t.Seq, t.Key}
	i := len(r.steps)
	for i > 0 && r.steps[i-1].compare(s) > 0 {
		i--
	}
	r.steps = slices.Insert(r.steps, i, s)
	if len(r.steps) > maxSteps {
		n := maxSteps / 16
		r.steps = append(r.steps[:0:0], r.steps[n:]...)
		r.dropped += uint64(n)
	}
}

// before is the number of steps that have happened at a cut, known or not.
func (r *record) before(c cut) int {
	return sort.Search(len(r.steps), func(i int) bool {
		s := r.steps[i]
		return s.at > c.at || s.at == c.at && s.seq > c.seq
	})
}

// between yields the keys of the steps from one instant to another.
func (r *record) between(from, to model.Instant) []model.Key {
	i := sort.Search(len(r.steps), func(i int) bool { return r.steps[i].at >= from })
	var keys []model.Key
	for ; i < len(r.steps) && r.steps[i].at <= to; i++ {
		keys = append(keys, r.steps[i].key)
	}
	return keys
}

// leaseAt is the lease of a key as the given part of its timeline tells it; nil
// when nothing had happened yet. What only a reading shows (waiters, modes, the
// fence) is not in a timeline and stays empty.
func leaseAt(key model.Key, entries []model.Entry) *model.Lease {
	if len(entries) == 0 {
		return nil
	}
	l := &model.Lease{Key: key, Last: entries[len(entries)-1]}
	for i := range entries {
		foldEntry(l, &entries[i])
	}
	return l
}

func foldEntry(l *model.Lease, e *model.Entry) {
	l.Generation = max(l.Generation, e.Generation)
	switch {
	case e.Change == model.Overwritten || e.Change == model.Replaced:
		if p := e.Previous; p != nil {
			dropTenure(l, p.Owner, p.Generation)
		}
		l.Tenures = append(l.Tenures, tenureOf(e))
	case e.Change.Begins():
		l.Tenures = append(l.Tenures, tenureOf(e))
	case e.Change.Ends():
		dropTenure(l, e.Owner, e.Generation)
		if len(l.Tenures) == 0 {
			l.FreeSince, l.EndedBy = e.At, e.Change
		}
		return
	default:
		renewTenure(l, e)
	}
	l.FreeSince, l.EndedBy = 0, 0
}

func tenureOf(e *model.Entry) model.Tenure {
	t := model.Tenure{
		Owner: e.Owner, Identity: e.Owner.Token, Acquired: e.At, Earliest: e.Earliest, Latest: e.Latest,
		Deadline: e.Deadline, Granted: e.Granted, GrantedAt: e.At, LowWater: model.NoDuration,
		Count: e.Count, Generation: e.Generation, Renewals: e.Renewals, Inexact: !e.RenewalsExact,
		Untold: e.Untold,
	}
	if e.Change == model.Found {
		t.Acquired, t.Earliest, t.Latest = 0, 0, 0
	}
	return t
}

func findTenure(l *model.Lease, o model.Owner, generation int32) int {
	return slices.IndexFunc(l.Tenures, func(t model.Tenure) bool {
		if generation > 0 && t.Generation > 0 {
			return t.Generation == generation
		}
		return t.Owner == o
	})
}

func dropTenure(l *model.Lease, o model.Owner, generation int32) {
	if i := findTenure(l, o, generation); i >= 0 {
		l.Tenures = slices.Delete(l.Tenures, i, i+1)
	}
}

// renewTenure applies a change within a tenure. Where the beginning is no
// longer kept, the tenure is taken up with an unknown acquisition.
func renewTenure(l *model.Lease, e *model.Entry) {
	i := findTenure(l, e.Owner, e.Generation)
	if i < 0 {
		t := tenureOf(e)
		t.Acquired, t.Earliest, t.Latest = 0, 0, 0
		l.Tenures = append(l.Tenures, t)
		return
	}
	t := &l.Tenures[i]
	switch e.Change {
	case model.Recount:
		t.Count = e.Count
		if e.Deadline != 0 {
			t.Deadline = e.Deadline
		}
	case model.Overdue:
	default:
		t.LowWater = lowWater(t, e)
		t.Deadline, t.Granted, t.GrantedAt, t.Untold = e.Deadline, e.Granted, e.At, e.Untold
	}
	t.Renewals, t.Inexact = e.Renewals, !e.RenewalsExact
}

func lowWater(t *model.Tenure, e *model.Entry) (left time.Duration) {
	if e.Change != model.Renewed || t.Deadline == 0 {
		return t.LowWater
	}
	left = t.Deadline.Sub(e.At)
	if t.LowWater != model.NoDuration {
		left = min(left, t.LowWater)
	}
	return left
}

// stateAt is where a lease stands at an instant. blind: its node could not be
// seen then.
func stateAt(l *model.Lease, now model.Instant, blind bool) model.LeaseState {
	if s := l.StateAt(now); s == model.Free || !blind {
		return s
	}
	return model.Blind
}
