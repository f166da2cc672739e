package ui

import (
	"sort"
	"strings"

	"leasetop/model"
)

// stripLine is one of the latest changes.
type stripLine struct {
	key           model.Key
	entry, before *model.Entry
}

// latest are the n newest changes on the screen, the oldest of them first.
func (m *Model) latest(n int) []stripLine {
	end := len(m.record.steps)
	if m.past != nil {
		end = m.record.before(m.past.cut)
	}
	var out []stripLine
	for i := end - 1; i >= 0 && len(out) < n; i-- {
		s := &m.record.steps[i]
		if m.past != nil && s.seq > m.past.cut.known {
			continue
		}
		if l, ok := m.entryOf(s); ok {
			out = append(out, l)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// entryOf finds the line of the timeline that a step stands for; it may have
// been given up.
func (m *Model) entryOf(s *step) (stripLine, bool) {
	h := m.ledger.History(s.key)
	i := sort.Search(len(h), func(i int) bool { return h[i].Seq >= s.seq })
	if i == len(h) || h[i].Seq != s.seq {
		return stripLine{}, false
	}
	l := stripLine{key: s.key, entry: &h[i]}
	if i > 0 {
		l.before = &h[i-1]
	}
	return l, true
}

// drawStrip draws the latest changes, the newest at the bottom.
func (m *Model) drawStrip(p *painter, h int) {
	if m.page() == pageLanes && m.drawLaneWork(p, h) {
		return
	}
	lines := m.latest(h)
	if len(lines) == 0 {
		p.put(plain, " ")
		p.line(dim, "no change yet")
		return
	}
	key := min(max(m.book().key, 14), max(14, m.w/5), widestKey)
	for _, l := range lines {
		p.put(plain, " ")
		m.drawEvent(p, l, key)
	}
}

// drawEvent draws one change: when, what, where, who, how, and from where we
// know.
func (m *Model) drawEvent(p *painter, l stripLine, key int) {
	e := l.entry
	s := changeStyle(e.Change)
	if !m.freshAt(e) {
		s = dim
	}
	gap, clock, change, owner := 2, toMilli, 11, ownerName
	if p.w < roomy {
		gap, clock, change, owner = 1, toSecond, 9, shortToken
	}
	p.put(dim, m.cfg.Options.clock(e.At, clock))
	p.skip(2)
	p.put(changeStyle(e.Change), m.g.changes[e.Change]+" ")
	p.cell(s|bold, strings.ToUpper(e.Change.String()), change)
	p.skip(gap)
	if key > 0 {
		p.cell(plain, m.names.key(l.key, key), key)
		p.skip(gap)
	}
	mark, ink, name := m.names.owner(e.Owner, owner)
	p.put(ink, mark+" ")
	p.cell(ink, name, owner)
	p.skip(2)
	proof := m.proof(e)
	words := m.eventWords(e, l.before)
	const proofWidth = 20
	if p.left() >= proofWidth+24 {
		p.cell(plain, words, p.left()-proofWidth-3)
		p.skip(2)
		p.cellRight(dim, proof, proofWidth)
	} else {
		p.cell(plain, pick(e.Certainty == model.Inferred, m.g.inferred+" ", "")+words, p.left()-1)
	}
	p.end()
}

// freshAt reports whether an entry is to be marked as new.
func (m *Model) freshAt(e *model.Entry) bool {
	now, since := m.when(), e.ToldAt
	if since > now {
		since = e.At
	}
	return now.Sub(since) < flagging
}
