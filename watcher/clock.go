package watcher

import (
	"sync"
	"sync/atomic"
	"time"

	"leasetop/model"
)

// localClock counts since the start of the program: monotonic, so that a wall
// clock that is set changes nothing, and with the time that the machine slept.
type localClock struct {
	start time.Time
	boot  time.Duration
	slept atomic.Int64
}

func newLocalClock() *localClock {
	c := &localClock{start: time.Now()}
	c.boot, _ = sinceBoot()
	return c
}

func (c *localClock) now() time.Duration {
	return time.Since(c.start) + time.Duration(c.slept.Load())
}

// tick finds out how long the machine slept. It is called a few times a second.
func (c *localClock) tick() {
	boot, ok := sinceBoot()
	if !ok {
		return
	}
	// The two clocks are read apart, so small differences mean nothing.
	slept := boot - c.boot - time.Since(c.start)
	if slept-time.Duration(c.slept.Load()) > 10*time.Millisecond {
		c.slept.Store(int64(slept))
	}
}

// drift is how far two clocks may run apart without anybody setting them: NTP
// slews by at most 500 ppm, a quartz is good for 100 at worst.
const drift = 200 // parts per million

// serverClock estimates a server's clock from the local one. Each answer to
// TIME bounds the offset: the server's reading lies between our sending and our
// receiving. The bounds are intersected and widen with age; an answer that does
// not meet them means that the server's clock was set.
type serverClock struct {
	local *localClock

	mu     sync.Mutex
	known  bool
	lo, hi time.Duration // bounds of server time minus local time
	at     time.Duration // local time for which they hold
	last   model.Instant // latest answer of now, which never goes back
}

// bounds are lo and hi as of a local time.
func (c *serverClock) bounds(local time.Duration) (lo, hi time.Duration) {
	wider := max(0, local-c.at) / 1_000_000 * drift
	return c.lo - wider, c.hi + wider
}

// sample takes an answer to TIME, sent and received at local times. It reports
// by how much the server's clock was set since the last one, 0 if it was not.
func (c *serverClock) sample(server model.Instant, sent, received time.Duration) (step time.Duration) {
	t := time.Duration(server) * time.Microsecond
	lo, hi := t-received, t-sent+time.Microsecond
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		l, h := c.bounds(received)
		switch {
		case lo <= h && l <= hi:
			lo, hi = max(lo, l), min(hi, h)
		default:
			step = (lo+hi)/2 - (l+h)/2
			c.last = 0
		}
	} else {
		c.last = 0
	}
	c.known, c.lo, c.hi, c.at = true, lo, hi, received
	return step
}

// now is the best estimate; before the first sample it is the wall clock.
func (c *serverClock) now() model.Instant { return c.onwards(c.local.now()) }

// onwards is the server's time at a local time that is now: the answers never go
// back unless the server's clock is set.
func (c *serverClock) onwards(local time.Duration) model.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return model.InstantOf(time.Now())
	}
	c.last = max(c.last, c.middle(local))
	return c.last
}

// of is the server's time at a local time that is over.
func (c *serverClock) of(local time.Duration) model.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return model.InstantOf(time.Now())
	}
	return c.middle(local)
}

// middle is the middle of the bounds. The caller holds the clock.
func (c *serverClock) middle(local time.Duration) model.Instant {
	lo, hi := c.bounds(local)
	return model.Instant((local + lo + (hi-lo)/2) / time.Microsecond)
}

// date turns the local times of hints into the server's by what is known now, so
// that the bound of now holds for them too: what was known when they came may
// have been less.
func (c *serverClock) date(hints []model.Hint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range hints {
		hints[i].At = c.middle(time.Duration(hints[i].At) * time.Microsecond)
	}
}

// past is how long to wait until a moment is over on the server's clock for
// certain; 0 or less when it is.
func (c *serverClock) past(m model.Instant) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	local := c.local.now()
	lo, _ := c.bounds(local)
	return m.Sub(model.Instant((local + lo) / time.Microsecond))
}

// earliest is what the server's clock shows now at least.
func (c *serverClock) earliest() model.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	local := c.local.now()
	lo, _ := c.bounds(local)
	return model.Instant((local + lo) / time.Microsecond)
}

// mayBePast reports whether a moment may be over on the server's clock.
func (c *serverClock) mayBePast(m model.Instant) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	local := c.local.now()
	_, hi := c.bounds(local)
	return m <= model.Instant((local+hi)/time.Microsecond)
}

// bound is the uncertainty of now, either way.
func (c *serverClock) bound() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return 0
	}
	lo, hi := c.bounds(c.local.now())
	return (hi - lo) / 2
}
