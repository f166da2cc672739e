package ui

import (
	"time"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
)

// tickMsg brings the server's time and the feed's counters.
type tickMsg struct {
	chain    uint64 // a tick of an older chain ends it
	now      model.Instant
	counters model.Counters
	faults   string // of the workers' lines
}

// The pace of the clock. Countdowns in milliseconds need the fast one.
const (
	fastTick = 100 * time.Millisecond
	slowTick = 500 * time.Millisecond
	idleTick = time.Second     // nothing on the screen counts down
	blurTick = 2 * time.Second // the terminal lost the focus
)

// fastUnder is the time left from which a countdown shows milliseconds.
const fastUnder = 10 * time.Second

// tick schedules the next one. Reading the clock and the counters happens in
// the command, outside of Update.
func (m *Model) tick() tea.Cmd {
	d, feed, chain, faults := m.pace(), m.cfg.Feed, m.chain, m.workerFaults
	m.due = m.now.Add(d)
	return tea.Tick(d, func(time.Time) tea.Msg {
		return tickMsg{chain: chain, now: feed.Now(), counters: feed.Counters(), faults: faults()}
	})
}

// hasten starts a new chain of ticks when the next one of the old would come
// too late for what is now on the screen.
func (m *Model) hasten() tea.Cmd {
	if !m.ticking || m.now.Add(m.pace()) >= m.due.Add(-fastTick/2) {
		return nil
	}
	m.chain++
	return m.tick()
}

// pace is the time to the next tick: by what is in view, but never past a
// deadline in view, at which a row turns overdue, or one of the ledger.
func (m *Model) pace() time.Duration {
	d := idleTick
	switch {
	case m.blurred:
		d = blurTick
	case m.past != nil:
		// Nothing in the picture moves; the header counts what is missed.
	case m.soonest > 0 && m.soonest < fastUnder:
		d = fastTick
	case m.soonest > 0 || m.flagged:
		d = slowTick
	}
	if left := m.soonest; left > 0 && left < d && m.past == nil {
		d = left + time.Millisecond
	}
	if next, ok := m.ledger.NextDeadline(); ok {
		if left := next.Sub(m.now); left > 0 && left < d {
			d = max(left, 10*time.Millisecond)
		}
	}
	return d
}
