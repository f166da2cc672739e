package watcher

import (
	"context"
	"crypto/tls"
	"net"
	"strconv"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
)

// Source is where inputs for a ledger come from: a live server or a recording.
type Source interface {
	// Run hands on what is seen in batches, in their order and never two at a
	// time, until ctx ends or there is nothing more to come. emit may block.
	Run(ctx context.Context, emit func([]model.Input)) error
	// Now is the best estimate of the server's clock.
	Now() model.Instant
	// Counters is what was done and dropped so far.
	Counters() model.Counters
}

// Mode says whether a way of learning of changes is used.
type Mode string

// The modes of --notify and --tracking.
const (
	Auto    Mode = "auto"    // where the server allows it
	Require Mode = "require" // fail without it
	Off     Mode = "off"     // never
)

// ParseMode reads a mode as the command line spells it; "" is Auto.
func ParseMode(word string) (Mode, bool) {
	switch m := Mode(word); m {
	case Auto, Require, Off:
		return m, true
	case "":
		return Auto, true
	}
	return "", false
}

// Config says which server is watched and how. ConnOptions.Resolve fills the
// part about the connection.
type Config struct {
	Network  string // "tcp" or "unix"
	Addr     string // host:port or the path of a socket
	User     string
	Password string
	DB       int
	TLS      *tls.Config // nil: plain

	Patterns            keyspace.Patterns
	Forces              keyspace.Forces // --format
	Notify              Mode
	Tracking            Mode
	EnableNotifications bool                // set the flags that are missing, put the old value back at the end
	Interval            time.Duration       // between full sweeps; 0: 2 s
	Budget              int                 // most commands a second; 0: as DESIGN says
	NoTouch             bool                // never read a key past its deadline before the server announced its end
	Mask                func(string) string // applied to every owner token; nil: none
}

const defaultInterval = 2 * time.Second

func (c Config) orDefaults() Config {
	if c.Network == "" {
		c.Network = "tcp"
	}
	if c.Addr == "" {
		c.Addr = net.JoinHostPort(defaultHost, strconv.Itoa(defaultPort))
	}
	if c.Notify == "" {
		c.Notify = Auto
	}
	if c.Tracking == "" {
		c.Tracking = Auto
	}
	if c.Interval <= 0 {
		c.Interval = defaultInterval
	}
	return c
}

// address is what people call the server: host:port/db or socket/db.
func (c *Config) address() string { return c.Addr + "/" + strconv.Itoa(c.DB) }
