package ui

import (
	"slices"

	"leasetop/model"
)

// tenureSpan is one tenure as a timeline tells it.
type tenureSpan struct {
	owner    model.Owner
	from, to model.Instant
	begun    bool          // from is the acquisition; else it was held before
	free     model.Instant // since when the key is known to have been free before it; from if it is not
	end      model.Change  // how it ended; 0: it holds
	renewed  []model.Instant
	slopes   []slope
	gen      int32
}

// slope is a part of a tenure with one deadline; 0: none.
type slope struct {
	from, to model.Instant
	deadline model.Instant
}

// spansOf are the tenures of a timeline, by their beginning; those that go on
// reach to until.
func spansOf(entries []model.Entry, until model.Instant) []tenureSpan {
	var spans []tenureSpan
	find := func(o model.Owner, gen int32) *tenureSpan {
		for i := len(spans) - 1; i >= 0; i-- {
			s := &spans[i]
			if s.end == 0 && (gen > 0 && s.gen > 0 && s.gen == gen || (gen == 0 || s.gen == 0) && s.owner == o) {
				return s
			}
		}
		return nil
	}
	finish := func(s *tenureSpan, e *model.Entry) {
		if s != nil {
			s.to, s.end = e.At, e.Change
			s.slopes[len(s.slopes)-1].to = e.At
		}
	}
	for i := range entries {
		e := &entries[i]
		if e.Previous != nil {
			finish(find(e.Previous.Owner, e.Previous.Generation), e)
		}
		switch {
		case e.Change.Begins():
			spans = append(spans, tenureSpan{owner: e.Owner, from: e.At, to: until, begun: e.Change != model.Found,
				free: freeFrom(e), gen: e.Generation, slopes: []slope{{e.At, until, e.Deadline}}})
		case e.Change.Ends():
			finish(find(e.Owner, e.Generation), e)
		case e.Change == model.Overdue || e.Change == model.Recount:
		default:
			s := find(e.Owner, e.Generation)
			if s == nil {
				spans = append(spans, tenureSpan{owner: e.Owner, from: e.At, to: until, gen: e.Generation,
					slopes: []slope{{e.At, until, e.Deadline}}})
				continue
			}
			s.slopes[len(s.slopes)-1].to = e.At
			s.slopes = append(s.slopes, slope{e.At, until, e.Deadline})
			if e.Change == model.Renewed {
				s.renewed = append(s.renewed, e.At)
			}
		}
	}
	return spans
}

// freeFrom is since when a key was free before an acquisition; its instant when
// that is not known.
func freeFrom(e *model.Entry) model.Instant {
	if e.Change != model.Acquired || e.Free == model.NoDuration {
		return e.At
	}
	return e.At.Add(-e.Free)
}

// within are the spans that a scale shows some of.
func within(spans []tenureSpan, sc scale) []tenureSpan {
	return slices.DeleteFunc(spans, func(s tenureSpan) bool { return s.to < sc.from || s.from > sc.to })
}

// dot is one character of a picture.
type dot struct {
	glyph string
	ink   style
}

// drawSpan puts a tenure onto a line of dots: where it begins, its renewals,
// and how it ends.
func (m *Model) drawSpan(line []dot, s *tenureSpan, sc scale, ink style) {
	g := m.g
	a, b := max(sc.col(s.from), 0), min(sc.col(s.to), sc.w-1)
	for i := a; i <= b; i++ {
		line[i] = dot{g.through, ink}
	}
	if c := sc.col(s.from); c >= 0 && c < sc.w && s.begun {
		line[c] = dot{g.start, ink}
	}
	for _, at := range s.renewed {
		if c := sc.col(at); c >= 0 && c < sc.w {
			line[c] = dot{g.renewal, ink}
		}
	}
	c := sc.col(s.to)
	switch {
	case c < 0 || c >= sc.w:
	case s.end != 0:
		line[c] = dot{g.changes[s.end], bold | changeStyle(s.end)}
	default:
		line[c] = dot{g.now, ink}
	}
	m.drawLate(line, s, sc)
}

// drawLate marks the part of a tenure after its deadline, which has not been
// confirmed to be over.
func (m *Model) drawLate(line []dot, s *tenureSpan, sc scale) {
	last := s.slopes[len(s.slopes)-1]
	if s.end != 0 || last.deadline == 0 || last.deadline >= s.to {
		return
	}
	for i := max(sc.col(last.deadline), 0); i <= min(sc.col(s.to), sc.w-1); i++ {
		line[i] = dot{m.g.gap, bad}
	}
}

// drawGaps marks the spans in which the node could not be seen.
func (m *Model) drawGaps(line []dot, node string, sc scale) {
	for _, g := range m.ledger.Gaps(node) {
		to := g.To
		if to == 0 || to > sc.to {
			to = sc.to
		}
		if to < sc.from || g.From > sc.to {
			continue
		}
		for i := max(sc.col(g.From), 0); i <= min(sc.col(to), sc.w-1); i++ {
			if line[i].glyph == "" || line[i].glyph == m.g.through {
				line[i] = dot{m.g.gap, warn}
			}
		}
	}
}

// writeOver lays a word over a line of dots, if the room there is free.
func writeOver(line []dot, at int, word string, ink style) {
	if at < 0 || at+len(word) > len(line) {
		return
	}
	for i := range len(word) {
		line[at+i] = dot{word[i : i+1], ink}
	}
}

func (p *painter) dots(line []dot) {
	for _, d := range line {
		if d.glyph == "" {
			p.put(plain, " ")
			continue
		}
		p.put(d.ink, d.glyph)
	}
}
