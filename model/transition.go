package model

import "time"

// Change names a transition. The words and their meanings are CONTRACT's.
type Change uint8

// The changes of a lease's life.
const (
	Found         Change = iota + 1 // already held at the first sweep
	Acquired                        // a new tenure on a key that we knew to be free
	Renewed                         // same owner, later deadline
	Shortened                       // same owner, earlier deadline
	ExpiryAdded                     // a lease without a deadline got one
	ExpiryRemoved                   // a lease lost its deadline
	Recount                         // same owner, other re-entry count
	Overdue                         // the deadline passed and no confirming read was possible in time
	Released                        // deleted before its deadline, by whomever
	Expired                         // ended at its deadline
	Overwritten                     // replaced in place before its deadline, no deletion between
	Replaced                        // another owner is there; how the first tenure ended was not seen
	Evicted                         // removed by the server for memory
	Flushed                         // removed with the whole database
	Renamed                         // the key moved
	Lost                            // gone inside a gap or with a changed server
	changeCount                     // not a change
)

var changeNames = [changeCount]string{
	Found: "found", Acquired: "acquired", Renewed: "renewed", Shortened: "shortened",
	ExpiryAdded: "expiry-added", ExpiryRemoved: "expiry-removed", Recount: "recount",
	Overdue: "overdue", Released: "released", Expired: "expired", Overwritten: "overwritten",
	Replaced: "replaced", Evicted: "evicted", Flushed: "flushed", Renamed: "renamed", Lost: "lost",
}

// String is the word of CONTRACT; "" for the zero Change.
func (c Change) String() string {
	if int(c) < len(changeNames) {
		return changeNames[c]
	}
	return ""
}

// Ends reports whether the change is the end of a tenure and nothing else.
// Overwritten and Replaced are an end and a beginning in one line.
func (c Change) Ends() bool {
	switch c {
	case Released, Expired, Evicted, Flushed, Renamed, Lost:
		return true
	}
	return false
}

// Begins reports whether the change begins a tenure.
func (c Change) Begins() bool {
	switch c {
	case Found, Acquired, Overwritten, Replaced:
		return true
	}
	return false
}

// Certainty says how sure a transition is.
type Certainty uint8

// The certainties of CONTRACT.
const (
	Observed Certainty = iota + 1 // a named event shows it, or a confirming read settled a deadline
	Inferred                      // deduced from readings
)

func (c Certainty) String() string {
	switch c {
	case Observed:
		return "observed"
	case Inferred:
		return "inferred"
	}
	return ""
}

// NoDuration stands for a duration that is not known (null in JSON).
const NoDuration time.Duration = -1 << 63

// Entry is one line of a key's timeline.
type Entry struct {
	Seq           uint64        // grows in the order of writing
	At            Instant       // lies between Earliest and Latest
	Earliest      Instant       // bounds of the true instant
	Latest        Instant       //
	ToldAt        Instant       // when the evidence reached us
	Deadline      Instant       // 0: none, or not known
	Granted       time.Duration // by the last acquisition or renewal; NoDuration: not known
	Held          time.Duration // acquisition to end; NoDuration where it does not apply
	Free          time.Duration // acquired: how long the key was free
	Owner         Owner         // the holder that the line is about
	Format        string        //
	Previous      *Previous     // the old tenure, on Overwritten and Replaced only
	To            string        // renamed: the new name, when token and deadline match
	Generation    int32         // our own count of tenures on the key
	Renewals      int32         //
	Count         int32         // re-entry count; 0 where the format has none
	Change        Change        //
	After         Change        // acquired: how the last tenure ended
	Source        Source        //
	Certainty     Certainty     //
	RenewalsExact bool          // false: Renewals is a lower bound
	Untold        bool          // the deadline changed to one that nobody read
}

// Previous is the tenure that an Overwritten or Replaced line ends.
type Previous struct {
	Owner         Owner
	Format        string
	Deadline      Instant
	Granted       time.Duration
	Held          time.Duration
	Generation    int32
	Renewals      int32
	RenewalsExact bool
}

// Transition is one change in a lease's life: an entry of the timeline with the
// key that it belongs to.
type Transition struct {
	Key Key
	Entry
}
