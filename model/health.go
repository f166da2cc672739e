package model

import "time"

// State is what a status line tells: a change in what can be seen.
type State string

// The states of CONTRACT.
const (
	StateConnected     State = "connected"
	StateDisconnected  State = "disconnected"  // blind from At until the gap that follows
	StateSynced        State = "synced"        // the first full sweep is done
	StateNotifications State = "notifications" // Health.Notify says which
	StateGap           State = "gap"           // blind from From to To; a sweep follows
	StateTopology      State = "topology"      // another server, role or run id
	StateDegraded      State = "degraded"      // something is missing or slow; Detail says what
	StateRecovered     State = "recovered"     // the sweep after a gap is done, or a degradation is over
)

// Notify is what is known of a server's notifications.
type Notify string

// The values of Notify.
const (
	NotifyOn      Notify = "on"
	NotifyOff     Notify = "off"
	NotifyUnknown Notify = "unknown" // not permitted to ask
	NotifyPartial Notify = "partial" // some classes that we need are missing
)

// Health is a change in what can be seen of a node now. It is an input like an
// observation, and recorded like one, because a stale feed forbids claims.
type Health struct {
	Node    string  `json:"node"`
	At      Instant `json:"at"`
	State   State   `json:"state"`
	Detail  string  `json:"detail,omitempty"` // for people; holds no secret
	From    Instant `json:"from,omitempty"`   // gap: last moment that we could see; synced: when the sweep began, at the earliest
	To      Instant `json:"to,omitempty"`     // gap: first moment that we can see again
	Notify  Notify  `json:"notify,omitempty"`
	Flags   string  `json:"flags,omitempty"` // notify-keyspace-events as read
	Source  Source  `json:"source,omitempty"`
	Role    string  `json:"role,omitempty"`    // "master" or "slave", as ROLE says
	RunID   string  `json:"run_id,omitempty"`  // INFO server run_id
	Changed bool    `json:"changed,omitempty"` // topology: what was known is of another server
	Flushed bool    `json:"flushed,omitempty"` // topology: a flush was counted since the last look
}

// Counters is a snapshot of what the watcher did and dropped; every bounded
// queue has its counter here and the screen shows it.
type Counters struct {
	Server        string        // "redis 7.0.15", as INFO says
	Address       string        // host:port/db or the socket
	Role          string        // "master" or "slave"
	State         State         // last state of the connection
	Notify        Notify        // notifications in use
	Source        Source        // best source of hints in use
	Connected     bool          // commands are answered
	Synced        bool          // the first full sweep is done
	Sent          uint64        // commands sent, counted as INFO commandstats counts them
	SentPerSecond float64       // over the last second
	Commands      []CommandSent // by name, most frequent first
	Events        uint64        // notifications received
	Foreign       uint64        // notifications for keys that no pattern selects
	Duplicates    uint64        // notifications received twice through overlapping subscriptions
	Coalesced     uint64        // hints folded into a read that was due anyway
	DroppedHints  uint64        // hints lost to the bound of the queue
	Reads         uint64        // keys read back
	Denied        uint64        // keys that we may not read
	Gaps          uint64        // spans in which we could not see
	Dirty         int           // keys waiting to be read
	Known         int           // keys that matched and were there when last read
	Scanned       uint64        // keys passed by the last full sweep
	Interval      time.Duration // between full sweeps
	LastRead      Instant       // server clock of the last reading
	LastSweep     Instant       // end of the last full sweep
	RoundTrip     time.Duration // of the last read
	ClockBound    time.Duration // uncertainty of our idea of the server's clock
	LagP50        time.Duration // of expired events against their deadlines
	LagP99        time.Duration
	Err           string // what fails now, in one line; "" when nothing does
	Hint          string // what to do about it
}

// CommandSent counts one command by name.
type CommandSent struct {
	Name  string
	Count uint64
}
