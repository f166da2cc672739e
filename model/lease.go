package model

import "time"

// LeaseState is where a key stands now.
type LeaseState uint8

// The states of a key in the ledger.
const (
	Held     LeaseState = iota + 1 // at least one holder, all known deadlines ahead
	NoExpiry                       // held, and it will not end by itself
	Over                           // a deadline has passed and the end is not confirmed: "overdue"
	Free                           // nobody holds it; kept for its timeline
	Blind                          // held when last read; we cannot see it now
)

func (s LeaseState) String() string {
	switch s {
	case Held:
		return "held"
	case NoExpiry:
		return "no-expiry"
	case Over:
		return "overdue"
	case Free:
		return "free"
	case Blind:
		return "unseen"
	}
	return ""
}

// Tenure is one holder's time on a key, from its acquisition to its end.
type Tenure struct {
	Owner      Owner
	Identity   string        // what tells holders of one key apart; equal to the token where one is known
	Mode       string        // "", "read" or "write"
	Told       *Told         // what the token says of itself
	Acquired   Instant       // 0: not known (found)
	Earliest   Instant       // bounds of Acquired
	Latest     Instant       //
	Deadline   Instant       // 0: none
	Granted    time.Duration // by the last acquisition or renewal; NoDuration: not known
	GrantedAt  Instant       // when that was
	LowWater   time.Duration // least time left just before a renewal; NoDuration: never renewed
	LowOf      time.Duration // what had been granted when LowWater was seen
	Count      int32         // re-entry count; 0 where the format has none
	Renewals   int32
	Generation int32
	Inexact    bool // renewals may have been missed
	Unread     bool // the owner was not read since the key may last have changed hands
	Untold     bool // the deadline was moved and not read since: Deadline is an old one
	overdue    bool // an Overdue line was told for this deadline
}

// Lease is what the ledger knows of one key.
type Lease struct {
	Key        Key
	Tenures    []Tenure // live holders; empty when the key is free
	Reading    *Reading // the last one; its holders and times are of ReadAt
	ReadAt     Instant  // server clock of the last reading
	ReadSource Source   // what brought it
	Last       Entry    // the newest line of the timeline
	Generation int32    // tenures seen so far
	FreeSince  Instant  // when it became free; 0 while held
	EndedBy    Change   // how the last tenure ended
	format     string   // of the tenures, as last read
	history    []Entry  // oldest first, bounded
	dropped    int      // entries given up to the bound
	purging    bool     // the last hint removed members that were over
	unnamed    bool     // free, and waiting for the name that it was renamed to
}

// Deadline is the latest deadline among the holders, 0 when one of them has
// none or nobody holds the key.
func (l *Lease) Deadline() Instant {
	var d Instant
	for i := range l.Tenures {
		if l.Tenures[i].Deadline == 0 {
			return 0
		}
		d = Later(d, l.Tenures[i].Deadline)
	}
	return d
}

// Remaining is the time left at now: negative when overdue, NoDuration when
// there is no deadline or no holder.
func (l *Lease) Remaining(now Instant) time.Duration {
	d := l.Deadline()
	if d == 0 {
		return NoDuration
	}
	return d.Sub(now)
}

// Gap is a span in which a node could not be seen. To is 0 while it lasts.
type Gap struct {
	Node     string
	From, To Instant
}
