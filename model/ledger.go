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
	Retention     time.Duration // how long a free key is kept at least when there is room (default 1 h)
}

// Ledger folds inputs into leases and tells the transitions. It reads no clock
// and starts no goroutine; it is not safe for concurrent use.
type Ledger struct {
	limits Limits
}

// NewLedger returns an empty ledger.
func NewLedger(limits Limits) *Ledger { return &Ledger{limits: limits} }

// Apply folds inputs in order. Applying an input again, or an older one late,
// changes nothing and tells nothing.
func (l *Ledger) Apply(inputs ...Input) []Transition { return nil }

// Advance lets time pass to now, on the servers' clock.
func (l *Ledger) Advance(now Instant) []Transition { return nil }

// NextDeadline is the next instant at which Advance would tell something or a
// lease would change its state; false when there is none.
func (l *Ledger) NextDeadline() (Instant, bool) { return 0, false }

// Now is the latest time that the ledger was told of.
func (l *Ledger) Now() Instant { return 0 }

// State is where a lease stands at the ledger's Now.
func (l *Ledger) State(lease *Lease) LeaseState { return 0 }

// Lease is what is known of a key, nil when nothing is. The caller must not
// change it and must not keep it over the next Apply.
func (l *Ledger) Lease(k Key) *Lease { return nil }

// Leases yields held and remembered keys in no particular order.
func (l *Ledger) Leases() iter.Seq[*Lease] { return func(func(*Lease) bool) {} }

// History is the timeline of a key, oldest first; the caller must not change it.
func (l *Ledger) History(k Key) []Entry { return nil }

// Dropped is how many entries of the key's timeline were given up to its bound.
func (l *Ledger) Dropped(k Key) int { return 0 }

// Gaps lists the spans in which a node could not be seen, oldest first, bounded.
func (l *Ledger) Gaps(node string) []Gap { return nil }

// Health is the last state of a node.
func (l *Ledger) Health(node string) Health { return Health{} }

// Totals counts what the ledger holds.
type Totals struct {
	Held, NoExpiry, Overdue, Free int
	Entries                       int    // timeline entries kept
	Transitions                   uint64 // told since the start
	DroppedEntries                uint64 // timeline entries given up to the bound
}

// Totals counts what the ledger holds at its Now.
func (l *Ledger) Totals() Totals { return Totals{} }
