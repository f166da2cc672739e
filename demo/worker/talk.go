package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"leasetop/demo/dial"
	"leasetop/model"
)

// A worker is told what to do by JSON lines on its standard input: one Setup,
// then Orders. It answers with Messages on its standard output. When its input
// ends it ends too, at once: no worker outlives the demo that started it.

// Role says what a process is for.
type Role string

// The roles of a child process.
const (
	RoleWorker Role = "worker"
	RoleGuard  Role = "guard"
)

// Setup is the first line.
type Setup struct {
	Role   Role        `json:"role"`
	Target dial.Target `json:"target"`

	// Of a worker.
	Name      string        `json:"name,omitempty"` // "A" or "B"
	Pod       string        `json:"pod,omitempty"`
	Job       string        `json:"job,omitempty"`
	Execution string        `json:"execution,omitempty"`
	Key       string        `json:"key,omitempty"`  // of the lock
	Base      string        `json:"base,omitempty"` // prefix of all keys of the run, for markers
	TTL       time.Duration `json:"ttl,omitempty"`
	Resource  string        `json:"resource,omitempty"` // path of the SQLite file
	Manner    Manner        `json:"manner,omitzero"`
	Gates     []string      `json:"gates,omitempty"` // armed from the start

	// Of a guard.
	Keys []string `json:"keys,omitempty"` // to delete
	Dirs []string `json:"dirs,omitempty"` // to remove
}

// Manner is how a worker goes about its job: each field is a decision that real
// workers take, rightly or wrongly.
type Manner struct {
	Right   bool          `json:"right,omitempty"` // the whole life cycle of lease.go; Acquire, Release and Check do not apply
	Acquire Acquiring     `json:"acquire,omitempty"`
	Release Releasing     `json:"release,omitempty"`
	Check   Checking      `json:"check,omitempty"`
	Write   Writing       `json:"write,omitempty"`
	Renew   bool          `json:"renew,omitempty"`
	Wait    time.Duration `json:"wait,omitempty"`   // how long to try while the lease is held; 0: one attempt
	Marker  string        `json:"marker,omitempty"` // "first" or "second": coordinate by markers in Redis, write nothing
}

// Acquiring is how a careless worker acquires.
type Acquiring string

// Releasing is how a careless worker releases.
type Releasing string

// Checking is what a careless worker asks before it writes.
type Checking string

// Writing is how the resource is written.
type Writing string

// The decisions.
const (
	AcquireFenced   Acquiring = "fenced"    // SET NX PX with a fencing token
	AcquirePlain    Acquiring = "plain"     // SET NX PX
	AcquireTwoSteps Acquiring = "two-steps" // SETNX, then EXPIRE

	ReleaseCompared Releasing = "compared" // compare and delete in one step
	ReleaseDelete   Releasing = "delete"   // DEL

	CheckNothing Checking = ""
	CheckByAsk   Checking = "ask" // GET and PTTL

	WriteNothing Writing = ""
	WritePlain   Writing = "plain"
	WriteFenced  Writing = "fenced"
	WriteOnce    Writing = "once"
)

// The points at which a worker can be held. None lies inside a transaction of
// the resource.
const (
	GateBegin   = "begin"   // before anything
	GateExpire  = "expire"  // between SETNX and EXPIRE
	GateWork    = "work"    // the job goes on in units until this is opened
	GateWrite   = "write"   // all checks are done, the write is about to be sent
	GateRenew   = "renew"   // the check is done, a renewal is about to be sent
	GateRelease = "release" // the job is over, the release is about to be sent
)

// Order is one line to a child.
type Order struct {
	Do   Doing  `json:"do"`
	Gate string `json:"gate,omitempty"`
	Pid  int    `json:"pid,omitempty"`
}

// Doing is what an order asks for.
type Doing string

// The orders. Arm, Pause and Resume are answered with an Ack; after that of Arm
// and Pause no renewal is under way.
const (
	Go     Doing = "go"     // let what waits at Gate pass, once
	Arm    Doing = "arm"    // hold whatever comes to Gate from now on
	Disarm Doing = "disarm" // let everything pass at Gate
	Pause  Doing = "pause"  // the cooperative pause: hold everything everywhere
	Resume Doing = "resume"
	Watch  Doing = "watch"  // guard: end the process Pid if the demo dies
	Forget Doing = "forget" // guard: the process Pid has ended
)

// Message is one line from a child.
type Message struct {
	Who   string `json:"who"`
	Event *Event `json:"event,omitempty"`
	Gate  string `json:"gate,omitempty"` // reached and waiting there
	Ack   Doing  `json:"ack,omitempty"`  // an order was carried out
	Fail  string `json:"fail,omitempty"` // it could not go on, and why
	End   bool   `json:"end,omitempty"`  // it has ended by itself
	Gone  bool   `json:"gone,omitempty"` // the demo itself: the process is gone
}

// Event is a worker event with its time, which model leaves out of its JSON.
type Event struct {
	model.WorkerEvent
	At model.Instant `json:"at"`
}

// maxText bounds what a message quotes. Messages of several workers go through
// one pipe, in the order of their writing and never mixed up, as long as each is
// one write of less than PIPE_BUF (4096 bytes on Linux, at least 512 anywhere).
const maxText = 512

// speaker writes messages, one write each.
type speaker struct {
	mu  sync.Mutex
	out io.Writer
	who string
}

func (s *speaker) say(m Message) {
	m.Who = s.who
	if m.Event != nil {
		m.Event.Detail = cut(m.Event.Detail)
	}
	m.Fail = cut(m.Fail)
	b, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("worker: a message that cannot be written: %v", err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Nobody is left to be told when the demo is gone, and the end of the input
	// ends this process.
	_, _ = s.out.Write(append(b, '\n'))
}

func cut(s string) string { return s[:min(len(s), maxText)] }
