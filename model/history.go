package model

import "time"

// tell numbers a line, adds it to the timeline and hands it out.
func (l *Ledger) tell(out []Transition, lease *Lease, e Entry) []Transition {
	if lease.unnamed {
		out = l.tellUnnamed(out, lease.Key)
	}
	l.seq++
	e.Seq = l.seq
	// Within a key `at` never goes back, whatever the error of an arrival time.
	e.At = max(e.At, lease.Last.At)
	e.Latest, e.Earliest = max(e.Latest, e.At), min(e.Earliest, e.At)
	lease.Last = e
	lease.history = append(lease.history, e)
	l.entries++
	if over := len(lease.history) - l.limits.EntriesPerKey; over > 0 {
		// Give up an eighth at once, so that the copying stays rare.
		l.forget(lease, max(over, l.limits.EntriesPerKey/8))
	}
	return append(out, Transition{Key: lease.Key, Entry: e})
}

// forget gives up the oldest n entries of a timeline.
func (l *Ledger) forget(lease *Lease, n int) {
	n = min(n, len(lease.history))
	lease.history = append(lease.history[:0], lease.history[n:]...)
	lease.dropped += n
	l.entries -= n
	l.dropped += uint64(n)
}

// freeList holds the keys without a holder in the order in which they became
// free. A key that was taken again since is passed over when it comes up.
type freeList struct {
	items []freed
	head  int
	count int // keys that are free now
}

type freed struct {
	key   Key
	since Instant
}

func (f *freeList) push(k Key, since Instant) {
	f.items = append(f.items, freed{k, since})
	f.count++
}

func (f *freeList) pop() freed {
	x := f.items[f.head]
	f.items[f.head] = freed{}
	f.head++
	if f.head > 1024 && f.head > len(f.items)/2 {
		f.items = append(f.items[:0], f.items[f.head:]...)
		f.head = 0
	}
	return x
}

// prune keeps the ledger within its limits: free keys go first, the longest
// free of them before the others; then the older half of the longest timelines.
func (l *Ledger) prune(now Instant) {
	for l.free.head < len(l.free.items) {
		first := l.free.items[l.free.head]
		lease := l.leases[first.key]
		stale := lease == nil || len(lease.Tenures) > 0 || lease.FreeSince != first.since
		tooMany := l.free.count > l.limits.FreeKeys || l.entries > l.limits.Entries
		if !stale && !tooMany && now.Sub(first.since) < l.limits.Retention {
			break
		}
		l.free.pop()
		if stale {
			continue
		}
		l.free.count--
		l.entries -= len(lease.history)
		l.dropped += uint64(len(lease.history))
		delete(l.leases, first.key)
	}
	if l.entries > l.limits.Entries {
		l.thin()
	}
}

// thin halves the timelines that are longer than the mean. It runs only when
// no free key is left to give up, and then frees enough to be rare.
func (l *Ledger) thin() {
	mean := l.limits.Entries / max(1, len(l.leases))
	for _, lease := range l.leases {
		if n := len(lease.history); n > 2 && n >= mean {
			l.forget(lease, n/2)
		}
	}
}

// entry is a line about a tenure as it stands; its times are to be set.
func (lease *Lease) entry(t *Tenure, c Change) Entry {
	e := Entry{
		Change: c, Owner: t.Owner, Deadline: t.Deadline, Granted: t.Granted,
		Held: NoDuration, Free: NoDuration, Generation: t.Generation,
		Renewals: t.Renewals, RenewalsExact: !t.Inexact, Count: t.Count,
	}
	if t.Unread {
		e.Owner = Owner{}
	}
	if t.Untold {
		e.Deadline, e.Granted, e.Untold = 0, NoDuration, true
	}
	e.Format = lease.format
	return e
}

// held is how long a tenure lasted until its end at the given instant;
// NoDuration when its beginning was not seen.
func (t *Tenure) held(end Instant) time.Duration {
	if t.Acquired == 0 {
		return NoDuration
	}
	return max(0, end.Sub(t.Acquired))
}
