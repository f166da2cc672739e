package model

import (
	"iter"
	"time"
)

// Limits bound what a Ledger keeps. Zero values mean the defaults.
type Limits struct {
	EntriesPerKey int           // timeline entries of one key (default 512)
	Entries       int           // timeline entries of all keys (default 200000)
	FreeKeys      int           // keys kept for their timeline after their last tenure (default 20000)
	Retention     time.Duration // how long a free key is kept at most (default 1 h)
}

func (l Limits) orDefaults() Limits {
	if l.EntriesPerKey <= 0 {
		l.EntriesPerKey = 512
	}
	if l.Entries <= 0 {
		l.Entries = 200_000
	}
	if l.FreeKeys <= 0 {
		l.FreeKeys = 20_000
	}
	if l.Retention <= 0 {
		l.Retention = time.Hour
	}
	return l
}

// Ledger folds inputs into leases and tells the transitions. It reads no clock
// and starts no goroutine; it is not safe for concurrent use.
type Ledger struct {
	limits  Limits
	nodes   map[string]*node
	leases  map[Key]*Lease
	alarms  alarms   // deadlines that an Overdue line may be due for
	free    freeList // keys without a holder, oldest first
	moved   []moved  // keys renamed away that wait for their new name
	now     Instant
	seq     uint64
	entries int
	dropped uint64
}

// NewLedger returns an empty ledger.
func NewLedger(limits Limits) *Ledger {
	return &Ledger{
		limits: limits.orDefaults(),
		nodes:  make(map[string]*node),
		leases: make(map[Key]*Lease),
	}
}

// Apply folds inputs in order. Applying an input again, or an older one late,
// changes nothing and tells nothing.
func (l *Ledger) Apply(inputs ...Input) []Transition {
	var out []Transition
	for i := range inputs {
		in := &inputs[i]
		switch {
		case in.Observation != nil:
			out = l.observe(out, in.Observation)
			// After each, so that it does not matter how inputs are batched; and
			// never after an Advance, so that a recording need not hold them all.
			l.prune(in.Observation.ToldAt)
		case in.Health != nil:
			l.node(in.Health.Node).apply(in.Health)
			l.now = Later(l.now, in.Health.At)
		case in.Advance != 0:
			out = l.advance(out, in.Advance)
		}
	}
	return out
}

// Advance lets time pass to now, on the servers' clock. It tells something only
// when NextDeadline is not after now: a recording needs no other Advance.
func (l *Ledger) Advance(now Instant) []Transition { return l.advance(nil, now) }

// NextDeadline is the next instant at which Advance would tell something; false
// when there is none. What a lease's state is at any instant, State tells.
func (l *Ledger) NextDeadline() (Instant, bool) {
	next, ok := l.alarms.next()
	if len(l.moved) > 0 {
		if due := l.moved[0].due; !ok || due < next {
			next, ok = due, true
		}
	}
	return next, ok
}

// Now is the latest time that the ledger was told of.
func (l *Ledger) Now() Instant { return l.now }

// State is where a lease stands at now, on the server's clock.
func (l *Ledger) State(lease *Lease, now Instant) LeaseState {
	if len(lease.Tenures) == 0 {
		return Free
	}
	if n := l.nodes[lease.Key.Node]; n != nil && n.blind != 0 {
		return Blind
	}
	return lease.StateAt(now)
}

// StateAt is where a lease stands at now for one who can see it: Free, Held,
// NoExpiry or Over.
func (lease *Lease) StateAt(now Instant) LeaseState {
	switch d := lease.Deadline(); {
	case len(lease.Tenures) == 0:
		return Free
	case lease.untold():
		return Held
	case d == 0:
		return NoExpiry
	case now > d:
		return Over
	}
	return Held
}

func (lease *Lease) untold() bool {
	for i := range lease.Tenures {
		if lease.Tenures[i].Untold {
			return true
		}
	}
	return false
}

// Lease is what is known of a key, nil when nothing is. The caller must not
// change it and must not keep it over the next Apply.
func (l *Ledger) Lease(k Key) *Lease { return l.leases[k] }

// Leases yields held and remembered keys in no particular order.
func (l *Ledger) Leases() iter.Seq[*Lease] {
	return func(yield func(*Lease) bool) {
		for _, lease := range l.leases {
			if !yield(lease) {
				return
			}
		}
	}
}

// History is the timeline of a key, oldest first; the caller must not change it.
func (l *Ledger) History(k Key) []Entry {
	if lease := l.leases[k]; lease != nil {
		return lease.history
	}
	return nil
}

// Dropped is how many entries of the key's timeline were given up to its bound.
func (l *Ledger) Dropped(k Key) int {
	if lease := l.leases[k]; lease != nil {
		return lease.dropped
	}
	return 0
}

// Gaps lists the spans in which a node could not be seen, oldest first, the
// last 256 of them. The last one has no end while it lasts.
func (l *Ledger) Gaps(node string) []Gap {
	n := l.nodes[node]
	if n == nil {
		return nil
	}
	if n.blind != 0 {
		return append(n.gaps[:len(n.gaps):len(n.gaps)], Gap{Node: node, From: n.blind})
	}
	return n.gaps
}

// Health is the last state of a node.
func (l *Ledger) Health(node string) Health {
	if n := l.nodes[node]; n != nil {
		return n.health
	}
	return Health{}
}

// Totals counts what the ledger holds.
type Totals struct {
	Held, NoExpiry, Overdue, Free int
	Entries                       int    // timeline entries kept
	Transitions                   uint64 // told since the start
	DroppedEntries                uint64 // timeline entries given up to the bounds
}

// Totals counts what the ledger holds at now.
func (l *Ledger) Totals(now Instant) Totals {
	t := Totals{Entries: l.entries, Transitions: l.seq, DroppedEntries: l.dropped}
	for _, lease := range l.leases {
		switch lease.StateAt(now) {
		case Held:
			t.Held++
		case NoExpiry:
			t.NoExpiry++
		case Over:
			t.Overdue++
		case Free:
			t.Free++
		}
	}
	return t
}
