package ui

import (
	"slices"
	"time"

	"leasetop/model"
)

// plotAt is the column at which the pictures of the timeline begin; what is
// before it are their names.
const plotAt = 19

// column of a plot: how much time was left, and whose.
type plotColumn struct {
	left  time.Duration // model.NoDuration: nobody held it
	never bool          // held, without a deadline
	ink   style
}

// drawPlot draws the time left over time: a saw tooth where it is renewed, a
// slope to zero where it is not.
func (m *Model) drawPlot(p *painter, spans []tenureSpan, sc scale, h int) {
	cols, top := m.plotColumns(spans, sc)
	for y := range h {
		label := ""
		switch y {
		case 0:
			label = about(top)
			if top == 0 {
				label = pick(never(cols), "no expiry", "")
			}
		case h - 1:
			label = "0 s"
		}
		p.cellRight(dim, label, plotAt-2)
		p.put(rule, " "+m.g.tick)
		for _, c := range cols {
			m.drawPlotCell(p, c, top, h, h-1-y)
		}
		p.end()
	}
}

func never(cols []plotColumn) bool {
	return slices.ContainsFunc(cols, func(c plotColumn) bool { return c.never })
}

// drawPlotCell draws the part of a column that lies in one row, counted from
// below.
func (m *Model) drawPlotCell(p *painter, c plotColumn, top time.Duration, h, y int) {
	switch {
	case c.never:
		p.put(rule, pick(y == h-1, m.g.rule, " "))
	case c.left == model.NoDuration || top <= 0:
		p.put(plain, " ")
	default:
		eighths := int(int64(c.left) * int64(h*8) / int64(top))
		part := min(max(eighths-y*8, 0), 8)
		if y == 0 && part == 0 {
			part = 1 // held, with next to nothing left
		}
		p.put(c.ink, m.g.levels[part])
	}
}

// plotColumns samples the time left in each column, at its middle where the
// tenure lasts as long; top is the most of it.
func (m *Model) plotColumns(spans []tenureSpan, sc scale) (cols []plotColumn, top time.Duration) {
	cols = make([]plotColumn, sc.w)
	for i := range cols {
		cols[i].left = model.NoDuration
	}
	for i := range spans {
		_, ink, _ := m.names.owner(spans[i].owner, 4)
		for _, s := range spans[i].slopes {
			for c := max(sc.col(s.from), 0); c <= min(sc.col(s.to-1), sc.w-1); c++ {
				at := min(max(sc.at(c), s.from), s.to)
				left := time.Duration(0)
				if s.deadline != 0 {
					left = max(0, s.deadline.Sub(at))
				}
				if s.deadline == 0 || left >= cols[c].left && !cols[c].never {
					cols[c] = plotColumn{left: left, never: s.deadline == 0, ink: ink}
					top = max(top, left)
				}
			}
			if s.deadline != 0 && s.from >= sc.from {
				top = max(top, s.deadline.Sub(s.from))
			}
		}
	}
	return cols, top
}

// ownersOf are the owners of some spans, the latest first.
func ownersOf(spans []tenureSpan) []model.Owner {
	var out []model.Owner
	for i := len(spans) - 1; i >= 0; i-- {
		if !slices.Contains(out, spans[i].owner) {
			out = append(out, spans[i].owner)
		}
	}
	return out
}

// drawOwnerLanes draws a lane for each owner, the latest at the bottom, and one
// for the time when nobody held it.
func (m *Model) drawOwnerLanes(p *painter, spans []tenureSpan, owners []model.Owner, sc scale, h int) {
	shown := owners[:min(len(owners), max(0, h-1))]
	for i := len(shown) - 1; i >= 0; i-- {
		mark, ink, name := m.names.owner(shown[i], ownerName)
		p.put(plain, "   ")
		p.put(ink, mark+" ")
		p.cell(ink, name, plotAt-gutter-2)
		line := make([]dot, sc.w)
		for j := range spans {
			if spans[j].owner == shown[i] {
				m.drawSpan(line, &spans[j], sc, ink)
				m.wordSpan(line, &spans[j], sc, ink)
			}
		}
		p.dots(line)
		p.end()
	}
	if h > 0 {
		m.drawFreeLane(p, spans, sc)
	}
}

// wordSpan writes how long a tenure lasted into it, and behind it how it ended.
func (m *Model) wordSpan(line []dot, s *tenureSpan, sc scale, ink style) {
	a, b := max(sc.col(s.from), 0), min(sc.col(s.to), sc.w-1)
	if s.end != 0 {
		word := about(s.to.Sub(s.from))
		at := a + (b-a-len(word))/2
		if s.begun && b-a > len(word)+6 && len(s.renewed) == 0 {
			writeOver(line, at-1, " "+word+" ", ink)
		}
		if word = s.end.String(); b+2+len(word) < sc.w && line[b+1].glyph == "" {
			writeOver(line, b+2, word, dim)
		}
	}
}

// drawFreeLane draws when the key was free, and when it could not be seen.
func (m *Model) drawFreeLane(p *painter, spans []tenureSpan, sc scale) {
	line := make([]dot, sc.w)
	at := model.Instant(0)
	for i := range spans {
		s := &spans[i]
		if i == 0 {
			at = pick(s.begun, s.free, s.from)
		}
		m.drawFree(line, at, s.from, sc, true)
		at = max(at, spans[i].to)
	}
	if len(spans) > 0 {
		m.drawFree(line, at, m.when(), sc, false)
	}
	m.drawGaps(line, m.timeline.key.Node, sc)
	p.put(plain, "   ")
	p.cell(dim, "  free", plotAt-gutter)
	p.dots(line)
	p.end()
}

// drawFree marks a span in which nobody held it, with its length where it lies
// between two tenures.
func (m *Model) drawFree(line []dot, from, to model.Instant, sc scale, inside bool) {
	if to <= from || to < sc.from || from > sc.to {
		return
	}
	a, b := max(sc.col(from), 0), min(sc.col(to-1), sc.w-1)
	for i := a; i <= b; i++ {
		line[i] = dot{m.g.free, dim}
	}
	if word := about(to.Sub(from)); inside && b+2+len(word) < sc.w {
		writeOver(line, b+2, word, dim)
	}
}
