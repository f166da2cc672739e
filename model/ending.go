package model

import "time"

// endByHint tells the end of a tenure by an event that removes the key.
func (f *fold) endByHint(t *Tenure, h *Hint) {
	rewritten := f.whole || f.wrote > 0 && !f.members()
	if rewritten {
		t.Unread = true
	}
	if rewritten || f.moved > 0 {
		t.Untold, t.Inexact = true, true
	}
	t.forgetUnread()
	if h.Op == "rename_from" && !f.spans {
		f.rename(t, h)
		return
	}
	e := f.lease.entry(t, Released)
	f.timed(&e, h.At)
	e.Certainty = Observed
	own := f.ownDeadline(t)
	passed := t.Deadline != 0 && !t.Untold && h.At.Add(f.o.Bound) > t.Deadline
	switch h.Op {
	case "expired":
		f.expiredByHint(&e, t, h)
		if f.left > 0 && f.members() {
			e.Certainty = Inferred // it may have left before
		}
	case "evicted":
		e.Change = Evicted
	case "move_from":
		e.Change = Renamed
	default: // del
		// A replica announces an expiry as `del`; a member whose own deadline is
		// over is purged by the next acquisition, which may delete the key.
		if passed && (own || f.n.replica) {
			e.Change, e.Certainty = Expired, Inferred
			e.at(t.Deadline)
		} else if t.Untold && own && h.At > t.Deadline {
			// Unless it was renewed since: the bounds keep that open.
			e.Change, e.Certainty = Expired, Inferred
		} else if !t.Untold {
			e.before(t.Deadline)
		}
		if f.purged > 0 {
			e.Certainty = Inferred // it may have been among what was removed as over
		}
		if f.purging {
			// Whoever was not read was probably over; the others were not, by what we
			// knew of them.
			if t.nameless() && e.Change == Released {
				e.Change = Expired
			}
		}
	}
	if f.members() && f.wrote > 0 && f.n.flushed(f.lease.ReadAt, h.At.Add(f.o.Bound)) {
		e.Certainty = Inferred // it may have gone with the flush, before the others came
	}
	if f.spans && e.Change != Evicted {
		f.blinded(&e, t, h)
	}
	f.close(t, e)
}

// expiredByHint tells `expired`: at the deadline where that is known, or a
// deadline set into the past where the event came before it (Valkey 8.1).
func (f *fold) expiredByHint(e *Entry, t *Tenure, h *Hint) {
	e.Change = Expired
	switch {
	case t.Untold || t.Deadline == 0:
		// When it was set is not known: its hint came later than it was done.
	case h.At.Add(f.o.Bound+time.Millisecond) < t.Deadline:
		e.Change = Released
	default:
		e.at(t.Deadline)
	}
}

// blinded weakens an end that an event shows after a time in which we could not
// see: the tenure that it ended may not be the one that we knew.
func (f *fold) blinded(e *Entry, t *Tenure, h *Hint) {
	if e.Change == Expired && t.Deadline > f.n.gapTo {
		e.Certainty = Inferred
		return
	}
	f.timed(e, h.At)
	e.Change, e.Certainty = Lost, Inferred
	e.Earliest = min(f.lease.ReadAt, e.Latest)
	// Unless it was renewed where we could not see: the bounds keep that open.
	if t.Deadline != 0 && !t.Untold {
		e.At = max(min(e.At, t.Deadline), e.Earliest)
	}
}

// endByReading tells the end of a tenure that a reading does not show any more.
func (f *fold) endByReading(t *Tenure) {
	r := f.o.Reading
	if f.wrote > f.ofNew && (f.whole || !f.members()) && !f.tookAway() {
		t.Unread, t.Untold, t.Inexact = true, true, true
	}
	t.forgetUnread()
	e := f.lease.entry(t, Released)
	e.ToldAt, e.Source, e.Certainty = f.o.ToldAt, f.o.Source, Inferred
	e.Earliest, e.Latest = min(f.floor(), r.At), r.At
	e.At = r.At
	over := f.over(t)
	fl, flushed := f.n.flushedBetween(Later(f.lease.ReadAt, t.Acquired), r.At.Add(f.o.Bound))
	dead := r.deadOf(t.Identity)
	if dead != 0 {
		t.Deadline, t.Untold, over = dead, false, true
		e.Deadline, e.Untold = t.Deadline, false
	}
	switch {
	case f.spans:
		// Unless it was renewed where we could not see: the bounds keep that open.
		e.Change = Lost
		if t.Deadline != 0 {
			e.At = max(min(e.At, t.Deadline), e.Earliest)
		}
	case t.Untold && f.members() && t.Deadline != 0 && r.At > t.Deadline && r.Present():
		// Unless its deadline was moved since: the bounds keep that open.
		e.Change = Expired
	case f.left > 0 && !over && r.Present() && (f.stays > 0 || !f.n.flushed(f.lease.ReadAt, r.At.Add(f.o.Bound))):
		f.timed(&e, f.leftAt)
		if f.purged == 0 && !t.Untold && !f.leftAfter {
			e.Certainty = Observed
		}
	case dead == 0 && f.stays == 0 && flushed && !(over && (t.Deadline <= fl.from || f.ownDeadline(t))):
		e.Change = Flushed
		if f.n.notify == NotifyOn && f.left == 0 { // nobody left before it
			e.Earliest = Later(e.Earliest, min(fl.from, e.At))
		}
		e.Latest = min(e.Latest, fl.to)
		e.At = max(min(e.At, e.Latest), e.Earliest)
	case over:
		e.Change = Expired
		e.at(t.Deadline)
		if f.o.Source == SourceDeadline && f.n.notify == NotifyOn {
			e.Certainty = Observed
		}
	default:
		if !t.Untold {
			e.before(t.Deadline)
		}
	}
	f.close(t, e)
}

// forgetUnread leaves out of the end of a tenure what was known before somebody
// wrote over it whom nobody read: it may have been another one.
func (t *Tenure) forgetUnread() {
	if t.Unread && !t.nameless() {
		t.Acquired, t.Renewals, t.Count, t.Inexact = 0, 0, 0, true
	}
}

// over reports whether a tenure's deadline lies before the reading.
func (f *fold) over(t *Tenure) bool {
	return t.Deadline != 0 && !t.Untold && f.o.Reading.At > t.Deadline
}

// tookAway reports whether the one write that there was is what a holder is gone
// by: the key is there, as it was, without it. So are permits given back, and
// counts.
func (f *fold) tookAway() bool {
	r := f.o.Reading
	return f.wrote == 1 && f.ofNew == 0 && r.Present() && r.Format == f.lease.format && !f.spans && f.o.Lost == 0
}

// deadOf is the deadline with which a dead member is still there, 0 when it is
// not or when its deadline is not known: the time of the reading stands for it.
func (r *Reading) deadOf(identity string) Instant {
	for i := range r.Expired {
		if h := &r.Expired[i]; h.Owner == identity && h.Deadline < r.At {
			return h.Deadline
		}
	}
	return 0
}

// at pins a line to an instant that is known exactly.
func (e *Entry) at(i Instant) { e.At, e.Earliest, e.Latest = i, i, i }

// close tells an end and adds how long the tenure was held.
func (f *fold) close(t *Tenure, e Entry) {
	e.Held = t.held(e.At)
	f.out = f.l.tell(f.out, f.lease, e)
}

// ownDeadline reports whether the holder has a deadline of its own, which nobody
// announces: a score, also one that the key's deadline follows, or a companion.
func (f *fold) ownDeadline(t *Tenure) bool {
	r := f.lease.Reading
	return r != nil && t.Deadline != 0 && (t.Deadline != r.Deadline || r.Type == "zset")
}

// members reports whether holders of this key are told apart by member or
// field, so that a write does not replace who was there.
func (f *fold) members() bool {
	if f.lease.Reading == nil {
		return false
	}
	switch f.lease.Reading.Type {
	case "hash", "zset", "set", "list":
		return true
	}
	return false
}
