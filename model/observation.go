package model

import "time"

// Key identifies a lock key: the same name on another node or in another
// database is another key.
type Key struct {
	Node string `json:"node"`
	DB   int    `json:"db"`
	Name string `json:"key"` // raw bytes, not necessarily UTF-8
}

// Owner is an owner token that may be unknown: the zero Owner means that nobody
// read it in time, or that the format records none.
type Owner struct {
	Token string // raw bytes, possibly empty although known
	Known bool
}

// OwnerOf is a known owner.
func OwnerOf(token string) Owner { return Owner{Token: token, Known: true} }

// Told is what an owner token itself says, read from its shape and plausible.
// It was written by the client and is shown as "read from the token".
type Told struct {
	Host      string  `json:"host,omitempty"`
	Process   string  `json:"process,omitempty"`
	Thread    string  `json:"thread,omitempty"`
	Acquired  Instant `json:"acquired,omitempty"`  // on the client's clock
	Refreshed Instant `json:"refreshed,omitempty"` // likewise, where the lock stores it: the same again means not renewed
	Metadata  string  `json:"metadata,omitempty"`
	Shape     string  `json:"shape,omitempty"` // name of the token shape, e.g. "uuid-v4", "host:pid"
}

// refreshedAs reports whether both tell of the same refresh.
func (t *Told) refreshedAs(o *Told) bool {
	return t != nil && o != nil && t.Refreshed != 0 && t.Refreshed == o.Refreshed
}

// Holder is one party that a reading shows on a key.
type Holder struct {
	Owner     string  `json:"owner"` // identity within the key, raw bytes
	Anonymous bool    `json:"anonymous,omitempty"`
	Count     int64   `json:"count,omitempty"`    // re-entry count or permits; 0 where the format has none
	Deadline  Instant `json:"deadline,omitempty"` // the holder's own or the key's; 0: no deadline
	Mode      string  `json:"mode,omitempty"`     // "", "read" or "write"
	Told      *Told   `json:"told,omitempty"`
}

// Reading is what one atomic read of one key showed.
type Reading struct {
	At       Instant  `json:"at"`                 // server clock inside the read
	Type     string   `json:"type"`               // Redis type, "none" when the key is missing
	Format   string   `json:"format,omitempty"`   // lock format, "unknown" where none fits
	Library  string   `json:"library,omitempty"`  // library whose key pattern matched, if one did
	Deadline Instant  `json:"deadline,omitempty"` // the key's own (PEXPIRETIME); 0: none
	Holders  []Holder `json:"holders,omitempty"`  // live at At, in a stable order
	Expired  []Holder `json:"expired,omitempty"`  // members whose own deadline lies before At
	Waiters  []string `json:"waiters,omitempty"`  // in order; nil where the format has none
	Fence    *int64   `json:"fence,omitempty"`    // fencing token stored by the lock itself
	Group    string   `json:"group,omitempty"`    // keys of one lock share it
	Note     string   `json:"note,omitempty"`     // what could not be decoded, in a few words
	Size     int64    `json:"size,omitempty"`     // length of the string or number of members
	Cut      bool     `json:"cut,omitempty"`      // only a bounded part was read
	Habit    *Habit   `json:"habit,omitempty"`    // of the library; nil: not known
}

// Present reports whether the key was there.
func (r *Reading) Present() bool { return r.Type != "none" }

// Hint is one notification for a key: it says that the key changed and by which
// event, never what it holds now.
type Hint struct {
	Op string  `json:"op"` // Redis event name: set, expire, del, expired, ...
	At Instant `json:"at"` // arrival, on the server's clock
}

// Source says which kind of evidence brought an observation.
type Source uint8

// The sources of CONTRACT, from strongest to weakest.
const (
	SourceEvent    Source = iota + 1 // a keyspace notification
	SourceTracking                   // a client-tracking push
	SourceDeadline                   // the confirming read at a known deadline
	SourcePoll                       // a sweep
)

func (s Source) String() string {
	switch s {
	case SourceEvent:
		return "event"
	case SourceTracking:
		return "tracking"
	case SourceDeadline:
		return "deadline"
	case SourcePoll:
		return "poll"
	}
	return ""
}

// Observation is all that became known of one key since the observation before
// it: the hints in the order of their arrival, and the reading that followed.
//
// The watcher settles an observation before it hands it on: Reading reflects
// every hint in Hints and no later change that is known. Where a key changes
// faster than it can be read, Reading is nil and the hints stand alone.
type Observation struct {
	Seq     uint64        `json:"seq"` // grows within a node; an older one changes nothing
	Key     Key           `json:"key"`
	Hints   []Hint        `json:"hints,omitempty"`
	Lost    int           `json:"lost,omitempty"` // hints dropped by a full queue: order and count are not known
	Reading *Reading      `json:"reading,omitempty"`
	Source  Source        `json:"source"`
	ToldAt  Instant       `json:"told_at"`          // when the evidence reached us, on the server's clock
	Bound   time.Duration `json:"bound,omitempty"`  // uncertainty of arrival times against the server's clock
	Absent  Instant       `json:"absent,omitempty"` // a sweep begun then did not meet the key; 0: not known
}

// Input is one thing that goes into a Ledger; exactly one field is set.
// A recording is a sequence of inputs.
type Input struct {
	Observation *Observation `json:"observation,omitempty"`
	Health      *Health      `json:"health,omitempty"`
	Advance     Instant      `json:"advance,omitempty"`
}
