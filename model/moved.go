package model

import "time"

// renameWait bounds how long the end of a renamed key waits to be told with its
// new name. The server announces both names in one step and links them by
// nothing: token and deadline do.
const renameWait = 100 * time.Millisecond

// maxMoved bounds the ends that wait; the oldest is told without a name then.
const maxMoved = 1024

// moved is a tenure whose key was renamed away.
type moved struct {
	key    Key
	entry  Entry
	tenure Tenure
	due    Instant
}

// rename holds back the end of a tenure until the new name is known.
func (f *fold) rename(t *Tenure, h *Hint) {
	e := f.lease.entry(t, Renamed)
	f.timed(&e, h.At)
	if !t.Untold {
		e.before(t.Deadline)
	}
	e.Certainty = Observed
	e.Held = t.held(e.At)
	f.lease.unnamed = true
	f.lease.Last.At = Later(f.lease.Last.At, e.At)
	f.lease.Last.Earliest, f.lease.Last.Change = e.Earliest, Renamed
	f.l.moved = append(f.l.moved, moved{
		key: f.lease.Key, entry: e, tenure: *t, due: f.o.ToldAt.Add(renameWait),
	})
	if len(f.l.moved) > maxMoved {
		f.out = f.l.tellMoved(f.out, 0, "")
	}
}

// settleMoved tells the ends that have waited long enough.
func (l *Ledger) settleMoved(out []Transition, now Instant) []Transition {
	for len(l.moved) > 0 && l.moved[0].due <= now {
		out = l.tellMoved(out, 0, "")
	}
	return out
}

// settleMovedBefore keeps the lines of one key in order: what waits for the
// observed key is told first, and what was renamed to it gets its name.
func (l *Ledger) settleMovedBefore(out []Transition, o *Observation) []Transition {
	out = l.settleMoved(out, o.ToldAt)
	return l.tellUnnamed(out, o.Key)
}

// tellUnnamed tells what waits of a key: other lines of it follow.
func (l *Ledger) tellUnnamed(out []Transition, k Key) []Transition {
	for i := 0; i < len(l.moved); i++ {
		if l.moved[i].key == k {
			out = l.tellMoved(out, i, "")
			i--
		}
	}
	return out
}

// movedTo finds the end that belongs to a tenure that a rename put here, tells
// it with the new name, and reports whether there was one.
func (f *fold) movedTo(owner string, deadline Instant) bool {
	for i := range f.l.moved {
		m := &f.l.moved[i]
		if m.key.Node != f.o.Key.Node || m.key.Name == f.o.Key.Name || m.tenure.Unread {
			continue
		}
		if m.tenure.Identity == owner && m.tenure.Deadline == deadline {
			f.out = f.l.tellMoved(f.out, i, f.o.Key.Name)
			return true
		}
	}
	return false
}

func (l *Ledger) tellMoved(out []Transition, i int, to string) []Transition {
	m := l.moved[i]
	l.moved = append(l.moved[:i], l.moved[i+1:]...)
	lease := l.leases[m.key]
	if lease == nil {
		lease = &Lease{Key: m.key}
		l.leases[m.key] = lease
	}
	lease.unnamed = false
	m.entry.To = to
	return l.tell(out, lease, m.entry)
}
