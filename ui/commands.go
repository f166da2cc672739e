package ui

import "time"

// commandLines are what the watcher did, dropped and still has to do.
func (m *Model) commandLines() []textLine {
	c := &m.counters
	number := func(term string, n uint64, text string) textLine {
		return textLine{term: term, text: count(n) + text, ink: dim}
	}
	out := []textLine{
		{head: "COMMANDS SENT (as INFO commandstats counts them)"},
		{term: "all", text: count(c.Sent) + ", now " + rate(m.sending.perSecond()) + "/s", ink: bold},
	}
	for _, s := range c.Commands {
		out = append(out, textLine{term: m.names.text.Cut(s.Name, 32), text: count(s.Count), ink: accent})
	}
	out = append(out, textLine{}, textLine{head: "SEEN"},
		number("events", c.Events, ", of keys that no pattern selects "+count(c.Foreign)+", twice "+count(c.Duplicates)),
		number("keys read back", c.Reads, ", refused "+count(c.Denied)),
		number("keys passed", c.Scanned, " by the last full sweep, every "+briefly(c.Interval)),
		textLine{term: "round trip", text: spanOr(c.RoundTrip) + ", the server's clock is known to " + spanOr(c.ClockBound), ink: dim},
		textLine{term: "lag of expiry", text: "p50 " + spanOr(c.LagP50) + ", p99 " + spanOr(c.LagP99) + " after the deadline", ink: dim},
		textLine{}, textLine{head: "BOUNDS"},
		number("hints folded", c.Coalesced, " into a read that was due anyway"),
		number("hints dropped", c.DroppedHints, " by a full queue"),
		number("keys waiting", uint64(c.Dirty), " to be read"),
		number("gaps", c.Gaps, " spans in which nothing could be seen"))
	t := m.sums
	out = append(out,
		textLine{term: "timelines", text: count(t.Entries) + " entries kept, " + count(t.DroppedEntries) + " given up", ink: dim},
		textLine{term: "back in time", text: count(len(m.record.steps)) + " of at most " + count(maxSteps) + " changes kept, " +
			count(m.record.dropped) + " given up", ink: dim},
		textLine{}, textLine{head: "WATCHED"})
	for _, p := range m.cfg.Patterns {
		out = append(out, textLine{term: "pattern", text: m.names.text.String(p), ink: dim})
	}
	return out
}

func spanOr(d time.Duration) string {
	if d <= 0 {
		return "?"
	}
	return span(d)
}
