package ui

import (
	"strings"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"
)

// piece is a bit of text of one style.
type piece struct {
	style style
	text  string
}

func widthOf(pieces []piece) int {
	n := 0
	for _, p := range pieces {
		n += printable.Width(p.text)
	}
	return n
}

// drawHead draws the two lines at the top. On the left what is watched, on the
// right how well; pieces give way from the middle when there is no room.
func (m *Model) drawHead(p *painter) {
	m.drawSides(p, m.titlePieces(), m.healthPieces())
	m.drawSides(p, m.countPieces(), m.costPieces())
}

// drawSides draws groups of pieces at both ends of a line. A side's later groups
// are left out first, the left side's before the right side's.
func (m *Model) drawSides(p *painter, left, right [][]piece) {
	const gap = 3
	size := func(groups [][]piece) int {
		n := 0
		for _, g := range groups {
			n += widthOf(g) + gap
		}
		return max(0, n-gap)
	}
	for len(left) > 1 && size(left)+size(right)+gap+2 > p.w {
		if len(right) > 2 && len(left) <= 2 {
			right = right[:len(right)-1]
			continue
		}
		left = left[:len(left)-1]
	}
	for len(right) > 1 && size(left)+size(right)+gap+2 > p.w {
		right = right[:len(right)-1]
	}
	p.put(plain, " ")
	for i, g := range left {
		if i > 0 {
			p.skip(gap)
		}
		for _, b := range g {
			p.put(b.style, b.text)
		}
	}
	// The right side is given by importance and drawn with the first at the end.
	p.to(p.w - 1 - size(right))
	for i := len(right) - 1; i >= 0; i-- {
		for _, b := range right[i] {
			p.put(b.style, b.text)
		}
		if i > 0 {
			p.skip(gap)
		}
	}
	p.end()
}

func (m *Model) titlePieces() [][]piece {
	c := &m.counters
	out := [][]piece{{{bold | accent, "leasetop"}}}
	if m.page() == pageDemo {
		return append(out, m.demoHead())
	}
	if c.Address != "" {
		out = append(out, []piece{{plain, m.names.text.Cut(c.Address, 40)}})
	}
	if c.Server != "" {
		server := c.Server
		if c.Role == "slave" {
			server += " replica"
		}
		out = append(out, []piece{{dim, m.names.text.Cut(server, 30)}})
	}
	if m.cfg.Recording != "" {
		out = append(out, []piece{{bad, m.g.live + " "}, {dim, "recording"}})
	}
	return out
}

// healthPieces tell the time, and how well we see, the most important first.
func (m *Model) healthPieces() [][]piece {
	var out [][]piece
	if m.past != nil {
		out = append(out, m.frozenPieces())
	} else if m.now != 0 {
		out = append(out, []piece{{plain, m.cfg.Options.clock(m.now, toSecond)}})
	}
	out = append(out, m.seeingPieces())
	if n := m.counters.Gaps; n > 0 {
		out = append(out, []piece{{warn, plural(n, "gap", "gaps")}})
	}
	if n := m.counters.DroppedHints; n > 0 {
		out = append(out, []piece{{warn, count(n) + " hints dropped"}})
	}
	if age, ok := m.readAge(); ok {
		out = append(out, []piece{{dim, "read " + ago(age)}})
	}
	return out
}

func (m *Model) frozenPieces() []piece {
	words := " FROZEN "
	if m.past.step > 0 {
		words = " PAST "
	}
	return []piece{
		{reverse | bold, words},
		{plain, " " + m.cfg.Options.clock(m.past.cut.at, toMilli)},
		{dim, "  live is " + plural(m.missed(), "change", "changes") + " ahead"},
	}
}

// readAge is how old the last reading is, where that is worth a word: a sweep
// reads at least every interval.
func (m *Model) readAge() (time.Duration, bool) {
	age := max(0, m.now.Sub(m.counters.LastRead))
	return age, m.counters.LastRead != 0 && m.now != 0 && age > m.counters.Interval+time.Second
}

// seeingPieces say what changes are seen by.
func (m *Model) seeingPieces() []piece {
	c := &m.counters
	sweep := ""
	if c.Interval > 0 {
		sweep = " + sweep " + briefly(c.Interval)
	}
	switch {
	case m.ended:
		return []piece{{dim, m.g.blind + " the recording is over"}}
	case c.State == model.StateDisconnected, !c.Connected && c.State != "":
		return []piece{{bad, m.g.blind + " disconnected"}}
	case !c.Connected:
		return []piece{{dim, m.g.waiting + " connecting"}}
	case !c.Synced:
		return []piece{{note, m.g.waiting + " first sweep"}, {dim, ", " + plural(c.Known, "lease", "leases") + " so far"}}
	case c.State == model.StateGap:
		return []piece{{warn, m.g.waiting + " catching up"}}
	case c.State == model.StateDegraded:
		return []piece{{warn, m.g.warning + " degraded"}, {dim, ": " + m.sourceWord() + sweep}}
	}
	switch c.Source {
	case model.SourceEvent, model.SourceTracking:
		return []piece{{good, m.g.live}, {plain, " live: "}, {dim, m.sourceWord() + sweep}}
	}
	return []piece{{warn, m.g.live}, {plain, " polling"}, {dim, " every " + briefly(c.Interval)}}
}

func (m *Model) sourceWord() string {
	switch m.counters.Source {
	case model.SourceEvent:
		return "notifications"
	case model.SourceTracking:
		return "client tracking"
	}
	return "polling"
}

// briefly is a duration as it is given on the command line: 2s, 500ms.
func briefly(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// totals counts what is on the screen.
func (m *Model) totals() model.Totals {
	if m.past != nil {
		return m.past.totals
	}
	return m.live.tally.totals()
}

func (m *Model) countPieces() [][]piece {
	t := m.totals()
	out := [][]piece{{{bold, count(t.Held + t.NoExpiry + t.Overdue)}, {dim, pick(t.Held+t.NoExpiry+t.Overdue == 1, " lease", " leases")}}}
	if t.Overdue > 0 {
		out = append(out, []piece{{bad, m.g.late + " " + count(t.Overdue) + " overdue"}})
	}
	if t.NoExpiry > 0 {
		out = append(out, []piece{{warn, m.g.forever + " " + count(t.NoExpiry)}, {dim, " no expiry"}})
	}
	if n := len(m.foundNow()); n > 0 {
		out = append(out, []piece{{warn, m.g.warning + " " + plural(n, "finding", "findings")}})
	}
	if m.past == nil {
		out = append(out, []piece{{plain, rate(m.rates.perSecond(m.now))}, {dim, " changes/s"}})
	}
	return out
}

// costPieces say what looking costs and what it is worth, most important first.
func (m *Model) costPieces() [][]piece {
	c := &m.counters
	out := [][]piece{{{dim, "we send "}, {plain, rate(m.sending.perSecond())}, {dim, " cmd/s"}}}
	if c.LagP99 > 0 {
		out = append(out, []piece{{dim, "lag p99 "}, {plain, span(c.LagP99)}})
	}
	if c.Coalesced > 0 && c.Dirty > 0 {
		out = append(out, []piece{{warn, count(c.Dirty) + " keys behind"}})
	}
	return out
}

// foldPieces folds lines of one piece each to a width.
func foldPieces(lines []piece, width int) []piece {
	var out []piece
	for _, l := range lines {
		if printable.Width(l.text) <= width {
			out = append(out, l)
			continue
		}
		for _, part := range wrap(l.text, width) {
			out = append(out, piece{l.style, part})
		}
	}
	return out
}

// bannerLines are the lines of the banner, four at most.
func (m *Model) bannerLines() []piece {
	out := foldPieces(m.banner(), m.w-2)
	return out[:min(len(out), 4)]
}

// banner says what is wrong now, and what to do about it.
func (m *Model) banner() []piece {
	var out []piece
	if m.faults != "" {
		out = append(out, piece{warn, m.g.warning + " " + m.names.text.Cut(m.faults, 200)})
	}
	c := &m.counters
	if c.Err != "" {
		out = append(out, piece{bad, m.g.blind + " " + m.names.text.String(c.Err)})
		if c.Hint != "" {
			out = append(out, piece{dim, "  " + m.names.text.String(c.Hint)})
		}
		return out
	}
	if c.Hint != "" && !m.hint.over {
		return append(out, piece{warn, m.g.warning + " " + m.names.text.String(c.Hint)})
	}
	if c.Connected && (c.Notify == model.NotifyOff || c.Notify == model.NotifyPartial) && c.Source == model.SourcePoll && !m.hint.over {
		out = append(out, piece{warn, m.g.warning + " notifications off: changes show up to " + briefly(c.Interval) +
			" late, short leases may be missed"})
		out = append(out, piece{dim, "  --enable-notifications sets what is missing while leasetop runs; ? says more"})
	}
	return out
}
