package demo

import (
	"errors"
	"fmt"
	"time"

	"leasetop/demo/dial"
)

// Target is a server to play on, and how to log in to it.
type Target = dial.Target

// TLS is how a Target's connections are made private.
type TLS = dial.TLS

// Bounds of the TTL that a scenario plays with. The default leaves a class the
// time to see a lease run down.
const (
	DefaultTTL = 5 * time.Second
	MinTTL     = 200 * time.Millisecond
	MaxTTL     = 10 * time.Minute
)

// steadyTTL is the least TTL of the second worker's lease, so that it outlives
// the moments in which its renewals are held back, also on a busy machine.
const steadyTTL = 5 * time.Second

// Options say what to play and where. Only Scenario and one of Embedded and
// Target are needed.
type Options struct {
	Scenario    string        // a name that Scenarios has
	Embedded    *Embedded     // plays on it
	Target      Target        // or on this server
	TTL         time.Duration // of the first worker's lease; 0: DefaultTTL
	Yes         bool          // the server may be on another host
	Run         string        // names the run in its keys; "" makes one up
	Command     []string      // starts a child; nil: this program with "demo-worker"
	Cooperative bool          // pause by asking, also where the system can stop a process
}

// What an *Error may match with errors.Is.
var (
	ErrScenario  = errors.New("no such scenario")
	ErrTTL       = errors.New("unusable TTL")
	ErrElsewhere = errors.New("the server is not on this machine")
	ErrNoServer  = errors.New("neither redis-server nor valkey-server is on the PATH")
	ErrRefused   = errors.New("the server refused")
	ErrGone      = errors.New("the server does not answer any more")
	ErrSlow      = errors.New("the machine was too slow for this TTL")
	ErrWorker    = errors.New("a worker could not go on")
)

// Error is a failure that reaches the user: what was being done, its cause and
// what to do about it. It holds no password.
type Error struct {
	Doing string
	Err   error
	Hint  string // "" where there is nothing to advise
}

func (e *Error) Error() string { return e.Doing + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// check fills what was left out and refuses what cannot be played.
func (o *Options) check() (*scenario, error) {
	s, err := find(o.Scenario)
	if err != nil {
		return nil, err
	}
	if o.Embedded != nil {
		o.Target = Target{Addr: o.Embedded.Addr()}
	}
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	if o.TTL < MinTTL || o.TTL > MaxTTL {
		return nil, &Error{Doing: "play " + s.Name, Err: fmt.Errorf("%w: %v", ErrTTL, o.TTL), Hint: fmt.Sprintf("a TTL from %v to %v", MinTTL, MaxTTL)}
	}
	if err := Playable(s.Name); err != nil {
		return nil, err
	}
	if !o.Target.Loopback() && !o.Yes {
		return nil, &Error{
			Doing: "play on " + o.Target.String(), Err: ErrElsewhere,
			Hint: "the demo writes keys under " + Prefix + " and removes them again; --yes allows it on that server",
		}
	}
	if o.Run == "" {
		o.Run = randomHex(3)
	}
	return s, nil
}
