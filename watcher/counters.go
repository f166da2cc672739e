package watcher

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"leasetop/model"
)

// counters is what a feed counts. What changes with every notification is
// atomic, the rest is under the lock.
type counters struct {
	events, foreign, duplicates, coalesced, dropped atomic.Uint64

	mu       sync.Mutex
	rest     model.Counters
	commands map[string]uint64
	sent     uint64
	rate     [rateTicks]uint64 // sent at the last ticks, oldest at rateAt
	rateAt   int
	lags     [512]time.Duration // of expired events, a ring
	lagged   int
}

// rateTicks ticks of the heart make the second over which the rate is told.
const rateTicks = int(time.Second / heartbeat)

func newCounters() *counters { return &counters{commands: make(map[string]uint64)} }

// count adds commands that were sent, by their names in any case.
func (c *counters) count(names ...string) {
	c.mu.Lock()
	for _, n := range names {
		c.commands[strings.ToLower(n)]++
	}
	c.sent += uint64(len(names))
	c.mu.Unlock()
}

// update changes the rest under the lock.
func (c *counters) update(change func(*model.Counters)) {
	c.mu.Lock()
	change(&c.rest)
	c.mu.Unlock()
}

// tick ends one beat of the rate.
func (c *counters) tick() {
	c.mu.Lock()
	c.rest.SentPerSecond = float64(c.sent-c.rate[c.rateAt]) * float64(time.Second) / (float64(rateTicks) * float64(heartbeat))
	c.rate[c.rateAt] = c.sent
	c.rateAt = (c.rateAt + 1) % rateTicks
	c.mu.Unlock()
}

// lag notes how long after its deadline an expiry was announced.
func (c *counters) lag(d time.Duration) {
	c.mu.Lock()
	c.lags[c.lagged%len(c.lags)] = d
	c.lagged++
	c.mu.Unlock()
}

func (c *counters) snapshot() model.Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.rest
	s.Sent = c.sent
	s.Commands = make([]model.CommandSent, 0, len(c.commands))
	for n, k := range c.commands {
		s.Commands = append(s.Commands, model.CommandSent{Name: n, Count: k})
	}
	slices.SortFunc(s.Commands, func(a, b model.CommandSent) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	s.Events, s.Foreign, s.Duplicates = c.events.Load(), c.foreign.Load(), c.duplicates.Load()
	s.Coalesced, s.DroppedHints = c.coalesced.Load(), c.dropped.Load()
	if n := min(c.lagged, len(c.lags)); n > 0 {
		lags := slices.Clone(c.lags[:n])
		slices.Sort(lags)
		s.LagP50, s.LagP99 = lags[n/2], lags[n*99/100]
	}
	return s
}
