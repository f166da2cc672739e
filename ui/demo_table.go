package ui

import "strings"

// drawDemoTable draws all scenarios, and of those that were played what held and
// what did not.
func (m *Model) drawDemoTable(p *painter, l plan) {
	names, room := 0, l.body.h
	all := m.scenarios()
	for _, s := range all {
		names = max(names, len(s.Name))
	}
	if room > len(all)+2 {
		p.put(plain, "   ")
		p.put(dim, padded("SCENARIO", names+6)+"what was checked; ")
		p.put(good, m.g.held)
		p.put(dim, " held  ")
		p.put(warn, m.g.broken)
		p.line(dim, " did not (which may be the lesson)")
		room--
	}
	from := 0
	if len(all) > room {
		from = max(0, min(m.demo.scenario-room/2, len(all)-room))
	}
	for i := from; i < min(len(all), from+room); i++ {
		m.drawDemoResult(p, i, names)
	}
}

func (m *Model) drawDemoResult(p *painter, i, names int) {
	s := m.scenarios()[i]
	r, played := m.demo.results[s.Name]
	p.put(accent, " "+pick(i == m.demo.scenario, m.g.cursor, " ")+" ")
	p.cell(dim, scenarioKey(i), 2)
	p.cell(pick(played, bold, plain), s.Name, names)
	p.put(plain, "  ")
	if !played {
		p.line(dim, m.g.between+" "+s.Title+", not played")
		return
	}
	ok := r.Verdict.AsExpected
	p.put(pick(ok, good, bad), pick(ok, m.g.live, m.g.warning)+" ")
	var words []piece
	for k := range r.Assertions {
		a := &r.Assertions[k]
		words = append(words, m.verdictSign(a), piece{plain, " " + strings.ReplaceAll(a.Name, "-", " ") + "  "})
	}
	p.drawPieces(words, max(0, p.left()-1))
	p.end()
}

// scenarioKey is the key that chooses a scenario, "" where it has none.
func scenarioKey(i int) string {
	if i < 10 {
		return "1234567890"[i : i+1]
	}
	return ""
}

// drawDemoQuestion asks before anything is written on another machine.
func (m *Model) drawDemoQuestion(p *painter, l plan) {
	s := m.cfg.Demo.Stage()
	lines := foldPieces([]piece{
		{bold, "This plays on " + m.names.text.String(s.Where) + ", which is not on this machine."},
		{},
		{plain, s.Writes},
		{},
		{accent, "y  plays it there          esc  leaves"},
	}, m.w-6)
	p.fill(l.body.top + max(0, min((l.body.h-len(lines))/3, 4)))
	for _, line := range lines {
		p.put(plain, "   ")
		p.line(line.style, line.text)
	}
}
