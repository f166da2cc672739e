package model

// compare takes the reading against what the hints left standing.
func (f *fold) compare() {
	r := f.o.Reading
	if len(r.Holders) == 0 {
		// A key that is there and holds nobody (a reader who is dead, a counter at
		// zero) was written or prolonged, not acquired.
		if f.born != nil && !r.Present() {
			f.unread()
		}
		f.endAll()
		if r.Present() {
			f.lease.format = r.Format
		}
		return
	}
	switch {
	case f.born != nil:
		f.lease.format = r.Format
		for i := range r.Holders {
			f.begin(tenureOf(&r.Holders[i]), f.born)
		}
	case len(f.lease.Tenures) == 0:
		f.lease.format = r.Format
		for i := range r.Holders {
			f.appear(&r.Holders[i])
		}
	default:
		f.diff()
	}
}

// endAll ends every tenure that the hints left: the reading shows none.
func (f *fold) endAll() {
	tenures := f.lease.Tenures
	f.lease.Tenures = nil
	for i := range tenures {
		f.endByReading(&tenures[i])
	}
	if len(tenures) > 0 {
		f.nowFree(f.lease.Last.At, f.lease.Last.Change)
	}
}

func tenureOf(h *Holder) Tenure {
	t := Tenure{
		Owner: OwnerOf(h.Owner), Identity: h.Owner, Mode: h.Mode, Told: h.Told,
		Deadline: h.Deadline, Granted: NoDuration, LowWater: NoDuration,
		Count: int32(min(h.Count, 1<<31-1)),
	}
	if h.Anonymous {
		t.Owner = Owner{}
	}
	return t
}

// seen sets the times of a line that only the reading shows.
func (f *fold) seen(e *Entry) {
	r := f.o.Reading
	e.Earliest, e.At, e.Latest = min(f.floor(), r.At), r.At, r.At
	e.ToldAt, e.Source, e.Certainty = f.o.ToldAt, f.o.Source, Inferred
}

// appear begins a tenure that a reading shows without any hint.
func (f *fold) appear(h *Holder) {
	t := tenureOf(h)
	if !f.free {
		f.found(t)
		return
	}
	e := f.lease.entry(&t, Acquired)
	f.seen(&e)
	e.before(t.Deadline)
	f.start(t, e)
}

// found tells a lease that was there before we looked.
func (f *fold) found(t Tenure) {
	f.lease.Generation++
	t.Generation, t.Inexact = f.lease.Generation, true
	e := f.lease.entry(&t, Found)
	f.seen(&e)
	e.Earliest = 0
	f.join(t)
	f.out = f.l.tell(f.out, f.lease, e)
}

// begin begins a tenure that a hint opened.
func (f *fold) begin(t Tenure, b *opening) {
	if !f.free && f.lease.EndedBy == 0 {
		if f.o.Reading != nil {
			f.found(t)
			return
		}
		// Nothing was read: it can only be told once it is.
		f.lease.Generation++
		t.Generation, t.Inexact = f.lease.Generation, true
		f.join(t)
		return
	}
	e := f.lease.entry(&t, Acquired)
	f.timed(&e, b.at)
	e.Earliest = min(max(e.Earliest, b.earliest), e.At)
	if !t.Untold {
		e.before(t.Deadline)
	}
	e.Certainty = Observed
	t.Inexact = b.moves > 1 || b.writes > 0
	if b.weak || b.writes > 0 && !t.Unread && f.o.Reading.Type == "string" {
		e.Certainty = Inferred
	}
	if b.writes > 0 && !t.Unread {
		// Whoever was read may have come with any of the writes.
		e.Latest = Later(e.Latest, b.wroteAt.Add(f.o.Bound))
		e.before(t.Deadline)
	}
	if b.renamed && !t.Unread && f.movedTo(t.Identity, t.Deadline) {
		e.After = Renamed
	}
	f.start(t, e)
}

// start tells an acquisition and adds what went before it.
func (f *fold) start(t Tenure, e Entry) {
	lease := f.lease
	lease.Generation++
	t.Generation, e.Generation = lease.Generation, lease.Generation
	// `at` never goes back within a key; the durations follow what is told.
	e.At = max(e.At, lease.Last.At)
	if e.Change == Acquired && len(lease.Tenures) == 0 && !f.spans && e.After == 0 && lease.EndedBy != 0 {
		e.After = lease.EndedBy
		e.Free = max(0, e.At.Sub(lease.FreeSince))
	}
	t.Acquired, t.Earliest, t.Latest = e.At, e.Earliest, e.Latest
	if t.Deadline != 0 && !t.Untold {
		t.Granted, t.GrantedAt = t.Deadline.Sub(e.At), e.At
		e.Granted = t.Granted
	}
	t.Inexact = t.Inexact || f.n.notify != NotifyOn && f.o.Source != SourceEvent || f.o.Lost > 0
	e.RenewalsExact = !t.Inexact
	f.join(t)
	f.out = f.l.tell(f.out, lease, e)
}

// join adds a tenure to the key's holders.
func (f *fold) join(t Tenure) {
	if len(f.lease.Tenures) == 0 && f.lease.FreeSince != 0 {
		f.l.free.count--
		f.lease.FreeSince = 0
	}
	f.lease.Tenures = append(f.lease.Tenures, t)
	if !t.Untold {
		f.l.watch(f.lease, t.Deadline)
	}
}

// update takes what the reading says of a holder who is still there.
func (f *fold) update(t *Tenure, h *Holder) {
	if t.nameless() {
		n := tenureOf(h)
		t.Owner, t.Identity, t.Mode, t.Count = n.Owner, n.Identity, n.Mode, n.Count
	}
	t.Unread = false
	same := t.Told.refreshedAs(h.Told)
	if h.Told != nil {
		t.Told = h.Told
	}
	count := int32(min(h.Count, 1<<31-1))
	if t.Untold && t.Deadline == 0 && t.Granted == NoDuration {
		// Begun by hints alone: its first reading completes the beginning.
		t.Untold, t.Deadline, t.Count = false, h.Deadline, count
		if t.Deadline != 0 && t.Acquired != 0 && f.moved == 0 && f.wrote == 0 {
			t.Granted, t.GrantedAt = t.Deadline.Sub(t.Acquired), t.Acquired
		}
		f.l.watch(f.lease, t.Deadline)
		return
	}
	deadline := h.Deadline
	if same {
		// Such a deadline is reckoned from what others on the key did since, and
		// wobbles by their latency.
		deadline = t.Deadline
	}
	change := changeOf(t, deadline, count)
	// Where hints alone moved the deadline before, the old one bounds nothing.
	known := !t.Untold
	t.Untold, t.Count = false, count
	if change == 0 {
		// Several changes may have cancelled each other out, renewals among them.
		t.Inexact = t.Inexact || f.several()
		return
	}
	f.renew(t, deadline, change, known)
}

func changeOf(t *Tenure, deadline Instant, count int32) Change {
	switch {
	case count != t.Count:
		return Recount
	case deadline == t.Deadline:
		return 0
	case t.Deadline == 0:
		return ExpiryAdded
	case deadline == 0:
		return ExpiryRemoved
	case deadline > t.Deadline:
		return Renewed
	}
	return Shortened
}

// renew moves a tenure's deadline and tells it.
func (f *fold) renew(t *Tenure, deadline Instant, change Change, known bool) {
	before, granted := t.Deadline, t.Granted
	moved := deadline != before
	t.Deadline = deadline
	e := f.lease.entry(t, change)
	if at := Later(f.movedAt, Later(f.wroteAt, f.leftAt)); f.moved+f.wrote+f.left > 0 && !f.spans {
		f.timed(&e, at)
		f.beforeOld(&e, before, known && !f.several())
		e.Certainty = Observed
	} else {
		f.seen(&e)
		if before != 0 && known {
			// Or it was taken again after its deadline: the bounds keep that open.
			e.At = min(e.At, before)
		}
		t.Inexact = t.Inexact || f.spans || f.n.notify != NotifyOn
	}
	if f.o.Lost > 0 {
		e.Certainty, t.Inexact = Inferred, true
	}
	e.before(deadline)
	e.At = max(e.At, f.lease.Last.At)
	if moved {
		t.overdue = false
		t.Granted, t.GrantedAt = NoDuration, e.At
		if deadline != 0 {
			t.Granted = deadline.Sub(e.At)
			f.l.watch(f.lease, deadline)
		}
	}
	if change == Renewed || change == Shortened {
		if left := before.Sub(e.At); change == Renewed && e.Certainty == Observed && (t.LowWater == NoDuration || left < t.LowWater) {
			t.LowWater, t.LowOf = left, granted
		}
		t.Renewals++
	}
	// More hints than one in a window may be further renewals, or the same deadline
	// set again.
	t.Inexact = t.Inexact || f.several()
	e.Granted, e.Renewals, e.RenewalsExact, e.Count = t.Granted, t.Renewals, !t.Inexact, t.Count
	f.out = f.l.tell(f.out, f.lease, e)
}

// several reports whether the hints tell more than one change of a living tenure:
// a write and the deadline that it brings are one.
func (f *fold) several() bool {
	return f.moved > 1 || f.wrote > 1 || f.wrote == 1 && f.movedFirst
}

// beforeOld caps the time of a change at the deadline that stood before it, or
// the key would have been gone. Only when it is the one change: the last of
// several may lie behind it.
func (f *fold) beforeOld(e *Entry, deadline Instant, only bool) {
	if only {
		e.before(deadline)
	} else if deadline != 0 {
		e.At = min(e.At, deadline)
	}
}

// replace tells that another holder stands where one stood.
func (f *fold) replace(old *Tenure, h *Holder) {
	// The server would have announced that the key's own deadline was over.
	late := old.Deadline != 0 && !old.Untold && f.wrote > 0 && f.wroteAt.Add(-f.o.Bound) > old.Deadline &&
		(f.n.notify != NotifyOn || f.ownDeadline(old))
	flushed := f.n.flushed(Later(f.lease.ReadAt, old.Acquired), f.o.Reading.At.Add(f.o.Bound))
	again := f.putOver && old.Identity == h.Owner
	if flushed && (f.wrote == 0 || f.putOver) || late && !f.spans || again {
		// The old one was gone before the new one came: two lines.
		f.ofNew = min(f.wrote, 1)
		f.endByReading(old)
		f.ofNew = 0
		f.nowFree(f.lease.Last.At, f.lease.Last.Change)
		f.free = true
		f.lease.format = f.o.Reading.Format
		if f.wrote > 0 {
			f.begin(tenureOf(h), &opening{at: f.wroteAt, moves: f.moved})
		} else {
			f.appear(h)
		}
		return
	}
	t := tenureOf(h)
	t.Inexact = f.moved > 1 || f.wrote > 1
	p := &Previous{
		Owner: old.Owner, Format: f.lease.format, Deadline: old.Deadline, Granted: old.Granted,
		Generation: old.Generation, Renewals: old.Renewals, RenewalsExact: !old.Inexact,
	}
	if old.Unread {
		p.Owner = Owner{}
	}
	if old.Untold {
		p.Deadline, p.Granted = 0, NoDuration
	}
	f.lease.format = f.o.Reading.Format
	e := f.lease.entry(&t, Replaced)
	e.Previous = p
	// After a flush only `new` tells a write over a lock from one on a free key, and
	// not with a renaming, which sends it anyway.
	if f.wrote > 0 && !f.spans && !f.putOver && f.o.Lost == 0 && !old.Unread && (!flushed || f.n.tellsNew && !f.carried) {
		e.Change = Overwritten
		f.timed(&e, f.wroteAt)
		e.Certainty = Observed
		if f.wrote > 1 {
			e.Certainty = Inferred
		}
		if !old.Untold {
			f.beforeOld(&e, old.Deadline, f.wrote == 1 && !f.movedFirst)
		}
	} else {
		f.seen(&e)
	}
	e.before(t.Deadline)
	p.Held = old.held(e.At)
	if e.Change == Overwritten {
		f.movedTo(t.Identity, t.Deadline)
	}
	f.start(t, e)
}
