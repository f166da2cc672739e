package model

import (
	"cmp"
	"slices"
)

// fold is the working state while one observation goes into one lease: first
// the hints in their order, then the reading against what they left.
type fold struct {
	l     *Ledger
	n     *node
	lease *Lease
	o     *Observation
	out   []Transition

	spans   bool // we could not see for some time since the last reading
	free    bool // the key is known to be free at this point
	purging bool // the hint before this one removed members that were over
	stays   int  // tenures that the reading shows to go on
	ofNew   int  // of the writes: those of the holder who is there now, while the one before is ended
	changes
	born *opening // a tenure begun by a hint and not yet read
}

// changes are what the hints tell of the living tenures since the key was last
// put or taken away.
type changes struct {
	moved      int     // deadlines set, moved or taken away
	movedAt    Instant // the last of them
	movedFirst bool    // one of them came before any write
	wrote      int     // values written, or members that joined
	wroteAt    Instant
	whole      bool // one of the writes replaced the whole value, whatever it was
	carried    bool // one of them brought a value from elsewhere
	putOver    bool // `new` on a key that we hold for held: something took it away silently
	putNew     bool // the write that belongs to it is still to come
	left       int  // members that left
	leftAt     Instant
	purged     int  // of those, removals of what is over
	leftAfter  bool // one left after a write, which may have moved its deadline unread
}

// opening is the beginning of a tenure that hints showed.
type opening struct {
	at       Instant
	earliest Instant
	weak     bool    // by a hint that does not begin a tenure: the beginning was not announced
	fresh    bool    // only `new` so far: the write that follows belongs to it
	writes   int     // further writes, which may have been another party's
	wroteAt  Instant // the last of them
	moves    int     // deadlines set
	renamed  bool
}

// observe folds one observation. One that is not newer than the last of its
// node changes nothing.
func (l *Ledger) observe(out []Transition, o *Observation) []Transition {
	n := l.node(o.Key.Node)
	if o.Seq <= n.seq {
		return out
	}
	n.seq = o.Seq
	l.now = Later(l.now, o.ToldAt)
	lease := l.leases[o.Key]
	if lease == nil {
		if len(o.Hints) == 0 && (o.Reading == nil || len(o.Reading.Holders) == 0) {
			return l.settleMoved(out, o.ToldAt)
		}
		lease = &Lease{Key: o.Key}
		l.leases[o.Key] = lease
	}
	f := &fold{l: l, n: n, lease: lease, o: o, out: out, purging: lease.purging}
	f.spans = lease.ReadAt != 0 && n.spans(lease.ReadAt)
	f.free = len(lease.Tenures) == 0 && (lease.ReadAt != 0 || lease.EndedBy != 0 || n.synced)
	f.out = l.settleMovedBefore(f.out, o)
	if o.Lost == 0 {
		for i := range o.Hints {
			f.hint(&o.Hints[i])
		}
	}
	if o.Reading == nil {
		f.leave()
	} else {
		f.compare()
	}
	f.finish()
	return f.out
}

// finish keeps what the reading showed and the bookkeeping of free keys.
func (f *fold) finish() {
	lease := f.lease
	if r := f.o.Reading; r != nil {
		lease.Reading, lease.ReadAt, lease.ReadSource = r, r.At, f.o.Source
	}
	lease.purging = f.purging
	if len(lease.Tenures) == 0 && lease.FreeSince == 0 && lease.Last.Seq == 0 {
		// Nothing was ever told of it: it need not be remembered.
		if f.o.Reading == nil || !f.o.Reading.Present() {
			delete(f.l.leases, lease.Key)
		}
	}
}

// hint takes one notification.
func (f *fold) hint(h *Hint) {
	purge := h.Op == "zremrangebyscore" || h.Op == "zrembyscore" || h.Op == "hexpired"
	defer func() { f.purging = purge }()
	switch classOf(h.Op) {
	case opEnd:
		f.ended(h)
	case opNew:
		f.n.tellsNew = true
		f.put(h)
	case opWrite:
		f.write(h)
	case opDeadline:
		f.deadline(h)
	case opLeave:
		f.left++
		f.leftAt = h.At
		f.leftAfter = f.leftAfter || f.wrote > 0
		if purge {
			f.purged++
		}
	}
}

func (f *fold) living() bool { return f.born != nil || len(f.lease.Tenures) > 0 }

func (f *fold) open(h *Hint, weak bool) {
	f.born = &opening{at: h.At, earliest: f.floor(), weak: weak}
	f.changes = changes{}
}

// put takes `new`: a key was put under this name. It is the only event that
// tells a beginning from a rewrite, and RENAME, COPY REPLACE and RESTORE
// REPLACE send it over a living key too (REDIS 1.1).
func (f *fold) put(h *Hint) {
	if len(f.lease.Tenures) > 0 && f.born == nil {
		f.putOver, f.putNew = true, true
		f.wrote++
		f.wroteAt = h.At
		return
	}
	if f.born == nil {
		f.open(h, false)
		f.free = true
	} else if !f.born.fresh {
		f.born.writes++
		f.born.wroteAt = h.At
	}
	f.born.fresh = true
}

func (f *fold) write(h *Hint) {
	switch {
	case !f.living():
		f.open(h, false)
		f.born.renamed = h.Op == "rename_to"
	case f.born != nil && f.born.fresh:
		f.born.fresh = false
		f.born.renamed = h.Op == "rename_to"
	case f.born != nil:
		f.born.writes++
		f.born.wroteAt = h.At
	default:
		if h.Op == "rename_to" || h.Op == "copy_to" || h.Op == "restore" {
			f.putOver, f.carried = false, true // these replace in place and say `new` too
		}
		if !f.putNew {
			f.wrote++
		}
		f.putNew = false
		f.wroteAt = h.At
		f.whole = f.whole || replacesValue(h.Op)
	}
}

func (f *fold) deadline(h *Hint) {
	if !f.living() {
		// The write before it was not announced: its class may be switched off.
		f.open(h, true)
		return
	}
	if f.born != nil {
		f.born.fresh = false
		f.born.moves++
		return
	}
	f.moved++
	f.movedAt = h.At
	f.movedFirst = f.movedFirst || f.wrote == 0
}

// ended takes an event that removes the key: every living tenure ends.
func (f *fold) ended(h *Hint) {
	if f.born != nil {
		f.unread()
	}
	tenures := f.lease.Tenures
	f.lease.Tenures = nil
	slices.SortStableFunc(tenures, func(a, b Tenure) int { return cmp.Compare(a.overBy(h.At), b.overBy(h.At)) })
	for i := range tenures {
		f.endByHint(&tenures[i], h)
	}
	if len(tenures) > 0 {
		f.nowFree(f.lease.Last.At, f.lease.Last.Change)
	}
	f.free = true
	f.changes = changes{}
}

// overBy is the deadline of a tenure if that is over, else for ever: in this
// order ends are told.
func (t *Tenure) overBy(at Instant) Instant {
	if t.Deadline != 0 && !t.Untold && t.Deadline < at {
		return t.Deadline
	}
	return Forever
}

// unread tells the beginning of a tenure whose owner nobody read in time.
func (f *fold) unread() {
	b := f.born
	t := Tenure{Unread: true, Untold: true, Granted: NoDuration, LowWater: NoDuration}
	f.lease.format = "" // what was there before tells nothing of it
	f.begin(t, b)
	f.born = nil
}

// leave ends an observation without a reading: what the hints left stands, as
// far as they tell it.
func (f *fold) leave() {
	if f.born != nil {
		f.unread()
		return
	}
	for i := range f.lease.Tenures {
		t := &f.lease.Tenures[i]
		if f.whole || f.wrote > 0 && !f.members() {
			t.Unread = true
		}
		if f.wrote > 0 || f.moved > 0 {
			// Which of these set a later deadline, and which the one that it had,
			// only readings would show: rueidislock sets the same for thousands of
			// times a second.
			t.Untold, t.Inexact = true, true
		}
		if f.o.Lost > 0 {
			t.Unread, t.Untold, t.Inexact = true, true, true
		}
	}
}

// nowFree marks the key free since the given end.
func (f *fold) nowFree(at Instant, by Change) {
	f.lease.FreeSince, f.lease.EndedBy = at, by
	f.l.free.push(f.lease.Key, at)
}

// floor is the last moment at which what is told now had not happened: a reading
// did not show it, or what is told to have gone before cannot have been earlier.
// An overdue line goes before nothing, and members come and go by themselves.
func (f *fold) floor() Instant {
	t := f.lease.ReadAt
	if f.lease.Last.Change != Overdue && !f.members() {
		t = Later(t, f.lease.Last.Earliest)
	}
	if t == 0 {
		t = Later(f.o.Absent, f.n.syncedAt)
	}
	return t
}

// timed sets the times of a line that an event at the given arrival shows.
func (f *fold) timed(e *Entry, arrival Instant) {
	e.Latest = min(arrival.Add(f.o.Bound), f.notAfter())
	e.Earliest = min(f.floor(), e.Latest)
	e.At = max(min(arrival, e.Latest), e.Earliest)
	e.ToldAt = f.o.ToldAt
	e.Source = f.o.Source
}

// notAfter is a moment that no hint of the observation can lie behind: what a
// reading shows to be there was made before it, and before its own deadline. The
// end of a key that a reading misses may have been announced after it.
func (f *fold) notAfter() Instant {
	r := f.o.Reading
	switch {
	case r == nil || !r.Present():
		return Forever
	case r.Deadline != 0:
		return min(r.At, r.Deadline)
	}
	return r.At
}

// before caps the time of a line at a deadline that it must have preceded.
func (e *Entry) before(deadline Instant) {
	if deadline == 0 {
		return
	}
	e.At = min(e.At, deadline)
	e.Latest = min(e.Latest, deadline)
	e.Earliest = min(e.Earliest, e.At)
}
