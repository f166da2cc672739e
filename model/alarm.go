package model

import (
	"container/heap"
	"time"
)

// overdueAfter is how long a deadline may stand without a confirming read
// before that is told (CONTRACT: within 50 ms).
const overdueAfter = 50 * time.Millisecond

// alarm is a deadline of a key that may have to be told as overdue. Alarms of
// deadlines that were moved since are passed over when they come up.
type alarm struct {
	at    Instant
	lease *Lease
}

type alarms []alarm

func (a alarms) Len() int           { return len(a) }
func (a alarms) Less(i, j int) bool { return a[i].at < a[j].at }
func (a alarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)        { *a = append(*a, x.(alarm)) }
func (a *alarms) Pop() any {
	old := *a
	x := old[len(old)-1]
	old[len(old)-1] = alarm{}
	*a = old[:len(old)-1]
	return x
}

func (a alarms) next() (Instant, bool) {
	if len(a) == 0 {
		return 0, false
	}
	return a[0].at, true
}

// watch sets the alarm of a tenure's deadline.
func (l *Ledger) watch(lease *Lease, deadline Instant) {
	if deadline != 0 && deadline != Forever {
		heap.Push(&l.alarms, alarm{deadline.Add(overdueAfter), lease})
	}
	if len(l.alarms) > 1024 && len(l.alarms) > 4*len(l.leases) {
		l.alarms = l.alarms.standing()
	}
}

// standing drops the alarms of deadlines that no tenure has any more. Renewals
// leave one behind each; this bounds them to a multiple of the leases.
func (a alarms) standing() alarms {
	kept := a[:0]
	for _, x := range a {
		for i := range x.lease.Tenures {
			if x.lease.Tenures[i].Deadline.Add(overdueAfter) == x.at {
				kept = append(kept, x)
				break
			}
		}
	}
	clear(a[len(kept):])
	heap.Init(&kept)
	return kept
}

func (l *Ledger) advance(out []Transition, now Instant) []Transition {
	l.now = Later(l.now, now)
	out = l.settleMoved(out, now)
	for len(l.alarms) > 0 && l.alarms[0].at <= now {
		x := heap.Pop(&l.alarms).(alarm)
		lease := x.lease
		for i := range lease.Tenures {
			t := &lease.Tenures[i]
			if t.overdue || t.Untold || t.Deadline.Add(overdueAfter) != x.at {
				continue
			}
			t.overdue = true
			e := lease.entry(t, Overdue)
			e.At, e.Earliest, e.Latest, e.ToldAt = t.Deadline, t.Deadline, now, now
			e.Source, e.Certainty = SourceDeadline, Inferred
			out = l.tell(out, lease, e)
		}
	}
	return out
}
