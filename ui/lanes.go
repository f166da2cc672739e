package ui

import (
	"time"

	"leasetop/model"
)

// laneNames is the width of the keys' names beside the lanes.
func (m *Model) laneNames() int {
	return min(max(m.book().key, 12), max(14, m.w/4))
}

// laneWindow is the length of time that lanes show, unless somebody zooms.
const laneWindow = 30 * time.Second

// drawLanes draws every key as a row; time runs to the right.
func (m *Model) drawLanes(p *painter, l plan) {
	names := m.laneNames()
	sc := m.lanes.over(m.when(), max(10, p.w-gutter-names-between-1))
	m.drawAxis(p, gutter+names+between, sc)
	b := m.book()
	if b.len() == 0 {
		m.drawEmpty(p, l.body)
		return
	}
	for i := m.cursor.top; i < min(m.cursor.top+l.body.h, b.len()); i++ {
		it := b.at(i)
		chosen := m.cursor.sel.on && i == m.cursor.at
		if it.group != nil {
			m.drawGroup(p, it.group, chosen)
			continue
		}
		m.drawLane(p, it.row, names, sc, chosen)
	}
}

func (m *Model) drawLane(p *painter, r *row, names int, sc scale, chosen bool) {
	m.drawCursor(p, chosen)
	s, mark, ms := plain, " ", plain
	if l := m.lease(r.key); l != nil {
		state := m.state(l)
		mark, ms = m.rowMark(l, state, m.fresh(l))
		s = pick(state == model.Free || state == model.Blind, dim, plain)
	}
	p.put(ms, mark)
	p.put(plain, " ")
	p.cell(s, m.names.key(r.key, names), names)
	p.skip(between)
	line := make([]dot, sc.w)
	spans := within(spansOf(m.history(r.key), m.when()), sc)
	for i := range spans {
		_, ink, _ := m.names.owner(spans[i].owner, 4)
		m.drawSpan(line, &spans[i], sc, ink)
		m.nameSpan(line, &spans[i], sc)
	}
	m.drawGaps(line, r.key.Node, sc)
	p.dots(line)
	p.end()
}

// nameSpan writes the owner's mark and name into its bar, where it is long
// enough.
func (m *Model) nameSpan(line []dot, s *tenureSpan, sc scale) {
	a, b := max(sc.col(s.from), 0), min(sc.col(s.to), sc.w)
	mark, ink, name := m.names.owner(s.owner, shortToken)
	if len(name) != len([]rune(name)) {
		return // wider letters than columns of one byte
	}
	n := len(name) + 4
	if b-a < n+4 {
		return
	}
	at := a + 2
	for _, d := range line[at : at+n] {
		if d.glyph != m.g.through {
			return // a renewal is more than a name
		}
	}
	line[at], line[at+1] = dot{}, dot{mark, ink}
	line[at+2] = dot{}
	writeOver(line, at+3, name, ink)
	line[at+n-1] = dot{}
}

// drawAxis draws the times over a picture that begins at a column.
func (m *Model) drawAxis(p *painter, at int, sc scale) {
	w := m.frame()
	p.put(plain, "   ")
	p.put(dim, "window ")
	p.put(plain, briefly(w.length()))
	p.to(at)
	layout := toSecond
	if w.length() < 10*time.Second {
		layout = toMilli
	}
	left := m.cfg.Options.clock(sc.from, layout)
	right := "now"
	if m.past != nil || w.back > 0 {
		right = m.cfg.Options.clock(sc.to, layout)
	}
	p.put(dim, m.g.left+" "+left)
	for _, quarter := range []int{1, 2, 3} {
		t := m.cfg.Options.clock(sc.at(sc.w*quarter/4), layout)
		if c := at + sc.w*quarter/4; c > p.col+2 && c+len(t)+8+len(right) < at+sc.w {
			p.to(c)
			p.put(rule, m.g.column)
			p.put(dim, t)
		}
	}
	p.to(at + sc.w - len(right) - 2)
	p.put(dim, right+" "+m.g.right)
	p.end()
}
