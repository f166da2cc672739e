package ui

import (
	"strings"

	"leasetop/model"
)

// drawEmpty fills a list without lines: why it is empty, and how to change
// that.
func (m *Model) drawEmpty(p *painter, b band) {
	lines := foldPieces(m.emptyLines(), m.w-6)
	p.fill(b.top + max(0, min((b.h-len(lines))/3, 4)))
	for _, l := range lines {
		p.put(plain, "   ")
		p.line(l.style, l.text)
	}
}

func (m *Model) emptyLines() []piece {
	c := &m.counters
	switch {
	case m.filter.text != "" || m.owner.Known:
		return []piece{
			{bold, "Nothing matches."},
			{dim, plural(len(m.book().rows), "lease is", "leases are") + " hidden; esc shows all again."},
		}
	case m.past != nil:
		return []piece{{bold, "No lease was known at this moment."}, {dim, "end returns to now."}}
	case !c.Connected && c.State == model.StateDisconnected:
		return []piece{{bold, "The server cannot be reached."}, {dim, "leasetop keeps trying and needs no help when it is back."}}
	case !c.Connected:
		return []piece{{dim, "Connecting " + m.g.dots}}
	case !c.Synced:
		return []piece{{dim, "Looking through the keys for the first time " + m.g.dots}}
	}
	out := []piece{
		{bold, "No lock is held."},
		{dim, "Looked through " + plural(c.Scanned, "key", "keys") + " for " + m.patternWords() + "."},
		{},
	}
	if m.cfg.DefaultPatterns {
		out = append(out,
			piece{plain, "These are the names that the known lock libraries use by themselves."},
			piece{plain, "Redisson, redis-py and others let the program choose the name: such locks need a pattern."})
	}
	return append(out,
		piece{},
		piece{dim, "leasetop 'job:*' 'lock:*'      watches keys by your own patterns"},
		piece{dim, "leasetop '*' '!session:*'      watches everything but sessions"},
		piece{dim, "-n DB                          looks into another database"})
}

// patternWords names the patterns, as many as fit into a line.
func (m *Model) patternWords() string {
	if len(m.cfg.Patterns) == 0 {
		return "locks"
	}
	room := max(20, m.w-40)
	var b strings.Builder
	for i, p := range m.cfg.Patterns {
		s := m.names.text.Cut(p, 30)
		if i > 0 {
			s = "  " + s
		}
		if b.Len()+len(s) > room {
			b.WriteString("  and " + count(len(m.cfg.Patterns)-i) + " more (@ lists them)")
			break
		}
		b.WriteString(s)
	}
	return b.String()
}
