package ui

import (
	"strconv"
	"strings"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"
)

// threeAbreast is the least width at which lease and resource stand between the
// workers; on less they stand below.
const threeAbreast = 104

// pieces is a line of text in several styles.
type pieces []piece

// drawPieces draws a line into a field of the given width.
func (p *painter) drawPieces(line pieces, width int) {
	start := p.col
	for _, b := range line {
		room := start + width - p.col
		if room <= 0 {
			break
		}
		p.put(b.style, p.clip(b.text, room))
	}
	p.to(start + width)
}

// drawDemo draws the demo page: what is played, the two workers with lease and
// resource between them, the step and what it shows, and the assertions.
func (m *Model) drawDemo(p *painter, l plan) {
	d := &m.demo
	m.drawDemoTitle(p)
	bottom := l.body.top + l.body.h
	switch {
	case d.asking:
		m.drawDemoQuestion(p, l)
		return
	case d.table:
		m.drawDemoTable(p, l)
		return
	}
	s := m.scenarios()[d.scenario]
	moment, live := m.demoMoment()
	told := m.demoTelling(s, &moment.DemoMoment, live)
	told = told[:min(len(told), max(1, l.body.h-3))]
	below := m.demoJudged(&moment.DemoMoment)
	below = below[:min(len(below), max(0, l.body.h-2-len(told)))]
	lesson := wrap(s.Lesson, p.w-6)
	air := 0
	room := l.body.h - len(told) - len(below)
	if room-len(lesson) >= m.leastActors()+3 {
		air = 1
	} else if room-len(lesson) < m.leastActors() {
		lesson = nil
	}
	room -= len(lesson) + 3*air - pick(lesson == nil && air > 0, 1, 0)
	for _, line := range lesson {
		p.put(plain, "   ")
		p.line(dim, line)
	}
	p.fill(p.row + pick(lesson != nil, air, 0))
	if len(d.moments) > 0 {
		m.drawActors(p, &moment, live, max(2, min(room, m.leastActors()+6)))
		p.fill(p.row + air)
	}
	for _, line := range told {
		p.put(plain, " ")
		p.drawPieces(line, p.w-2)
		p.end()
	}
	p.fill(min(p.row+air, bottom-len(below)))
	for _, line := range below {
		p.put(plain, " ")
		p.drawPieces(line, p.w-2)
		p.end()
	}
}

// drawDemoTitle draws which scenario it is and how far it has come.
func (m *Model) drawDemoTitle(p *painter) {
	all, d := m.scenarios(), &m.demo
	s := all[d.scenario]
	n, of := m.stepShown(), len(s.Steps)
	right := pieces{{dim, pick(n == 0, plural(of, "step", "steps"), "step "+strconv.Itoa(n)+" of "+strconv.Itoa(of)) + " "}}
	for i := range s.Steps {
		switch {
		case i+1 < n || i+1 == n && !m.stepping():
			right = append(right, piece{accent, m.g.full})
		case i+1 == n:
			right = append(right, piece{accent, m.g.levels[4]})
		default:
			right = append(right, piece{rule, m.g.empty})
		}
	}
	if d.table {
		right = pieces{{dim, "results"}}
	}
	left := pieces{{bold, s.Name}, {plain, "  " + s.Title}, {dim, "   " + strconv.Itoa(d.scenario+1) + " of " + strconv.Itoa(len(all))}}
	if p.w >= roomy {
		left = append(pieces{{dim, "two workers, one lease   "}}, left...)
	}
	p.put(plain, "   ")
	p.drawPieces(left, max(0, p.w-6-widthOf(right)))
	p.to(p.w - 2 - widthOf(right))
	p.drawPieces(right, widthOf(right))
	p.end()
}

// stepping reports whether the step on the screen is not over.
func (m *Model) stepping() bool {
	d := &m.demo
	return d.busy && d.at >= len(d.moments)-1 && len(d.moments) > 0
}

// demoTelling is the step and what it shows.
func (m *Model) demoTelling(s DemoScenario, moment *DemoMoment, live bool) []pieces {
	d := &m.demo
	width := m.w - 6
	n := m.stepShown()
	var out []pieces
	switch {
	case d.err != nil && live:
		out = append(out, pieces{{bad, m.g.blind + " "}, {bad, m.names.text.String(d.err.Error())}})
		if h := hintOf(d.err); h != "" {
			out = append(out, pieces{{dim, "  " + m.names.text.String(h)}})
		}
		return out
	case len(d.moments) == 0:
		return append(out, pieces{{dim, "  starting two workers and a resource " + m.g.dots}})
	case n == 0:
		words := "  two workers are ready; nothing has happened yet"
		return append(out, pieces{{dim, words}})
	}
	step := s.Steps[min(n, len(s.Steps))-1]
	head := pieces{{accent, m.g.right + " "}, {bold, step.Title}}
	if m.stepping() {
		head = append(head, piece{dim, " " + m.g.dots})
	}
	out = append(out, head)
	for _, line := range wrap(step.Lesson, width) {
		out = append(out, pieces{{plain, "  " + line}})
	}
	if len(moment.Notes) > 0 && m.plan().body.h >= 14 {
		out = append(out, pieces{{dim, "  " + m.names.text.Cut("the demo: "+strings.Join(moment.Notes, "; "), width)}})
	}
	return out
}

// demoJudged are the assertions, and at the end what came of it all.
func (m *Model) demoJudged(moment *DemoMoment) []pieces {
	var out []pieces
	width := 0
	for i := range moment.Assertions {
		a := &moment.Assertions[i]
		sign := m.verdictSign(a)
		piece1 := pieces{sign, {pick(a.Known, plain, dim), " " + a.Says}, {plain, "    "}}
		if n := widthOf(piece1); len(out) == 0 || width+n > m.w-6 {
			out, width = append(out, pieces{{plain, "  "}}), 0
		}
		out[len(out)-1] = append(out[len(out)-1], piece1...)
		width += widthOf(piece1)
	}
	if v := moment.Verdict; v != nil {
		sign := pick(v.AsExpected, piece{good, m.g.held}, piece{bad, m.g.broken})
		line := pieces{{plain, "  "}, sign, {bold, pick(v.AsExpected, " as its lesson says", " not as its lesson says")}}
		words := m.verdictWords(v)
		if widthOf(line)+3+printable.Width(words) <= m.w-2 {
			return append(out, append(line, piece{dim, "   " + words}))
		}
		out = append(out, line)
		for _, part := range wrap(words, m.w-8) {
			out = append(out, pieces{{dim, "    " + part}})
		}
	}
	return out
}

// verdictWords keep two questions apart: work that overlapped, and effects that
// were there twice.
func (m *Model) verdictWords(v *DemoVerdict) string {
	var words []string
	add := func(what string, ms *int64) {
		if ms != nil {
			words = append(words, what+" "+strconv.FormatInt(*ms, 10)+" ms")
		}
	}
	add("A past its lease", v.RanPast)
	add("both at work", v.Overlap)
	add("takeover", v.Takeover)
	words = append(words, "writes: "+count(int(v.Accepted))+" accepted")
	if v.Rejected > 0 {
		words = append(words, count(int(v.Rejected))+" refused")
	}
	if v.Duplicate > 0 {
		words = append(words, count(int(v.Duplicate))+" already done")
	}
	return strings.Join(words, ", ")
}

// leastActors is the least height of the workers, lease and resource.
func (m *Model) leastActors() int { return pick(m.w >= threeAbreast, 6, 8) }

// drawActors draws h rows: the workers left and right, lease and resource
// between them where there is room, else below.
func (m *Model) drawActors(p *painter, r *recorded, live bool, h int) {
	middle := m.demoMiddle(r, live, pick(p.w >= threeAbreast, p.w/3, p.w-6))
	base := m.demoBegan(&r.DemoMoment)
	if p.w >= threeAbreast {
		side := (p.w - p.w/3 - 8) / 2
		a, b := m.actor(&r.A, r, base, side, h), m.actor(&r.B, r, base, side, h)
		for y := range h {
			p.put(plain, "  ")
			p.drawPieces(lineAt(a, y), side)
			p.put(rule, " "+m.g.column+" ")
			p.drawPieces(lineAt(middle, y), p.w/3)
			p.put(rule, " "+m.g.column+" ")
			p.drawPieces(lineAt(b, y), p.w-p.col-1)
			p.end()
		}
		return
	}
	side := (p.w - 6) / 2
	rows := max(2, h-len(middle))
	a, b := m.actor(&r.A, r, base, side, rows), m.actor(&r.B, r, base, side, rows)
	for y := range rows {
		p.put(plain, "  ")
		p.drawPieces(lineAt(a, y), side)
		p.put(rule, " "+m.g.column+" ")
		p.drawPieces(lineAt(b, y), p.w-p.col-1)
		p.end()
	}
	for _, line := range middle[:min(len(middle), h-rows)] {
		p.put(plain, "  ")
		p.drawPieces(line, p.w-3)
		p.end()
	}
}

func lineAt(lines []pieces, y int) pieces {
	if y < len(lines) {
		return lines[y]
	}
	return nil
}

// demoBegan is when the first line was told: what the times of both workers are
// counted from.
func (m *Model) demoBegan(d *DemoMoment) model.Instant {
	var base model.Instant
	for _, w := range []*DemoWorker{&d.A, &d.B} {
		if len(w.Lines) > 0 && (base == 0 || w.Lines[0].At < base) {
			base = w.Lines[0].At
		}
	}
	return base
}

// actor is a worker: who it is, what it does, and the end of its log.
func (m *Model) actor(w *DemoWorker, r *recorded, base model.Instant, width, h int) []pieces {
	if w.Pid == 0 {
		return []pieces{{{dim, "WORKER"}}}
	}
	head := pieces{{bold, "WORKER " + w.Name}, {dim, "  pid " + strconv.Itoa(w.Pid) + "  "}}
	state := m.workerState(w)
	if len(state) > 1 && widthOf(head)+widthOf(state) > width {
		state = state[:1] // by what it was stopped stands among the notes, too
	}
	if widthOf(head)+widthOf(state) > width {
		head[1].text = "  "
	}
	out := []pieces{append(head, state...)}
	if past := m.pastLease(w, r); past != nil && h > 2 {
		out, h = append(out, past), h-1
	}
	lines := m.workerLines(w)
	for _, line := range lines[max(0, len(lines)-h+1):] {
		room := width - 2 - 10
		out = append(out, pieces{{plain, "  "}, {line.style, padded(m.names.text.Cut(line.text, room), room)}, {dim, padLeft(elapsed(line.at.Sub(base)), 9)}})
	}
	return out
}

// elapsed is a time on the workers' common clock: seconds to the millisecond.
func elapsed(d time.Duration) string { return decimals(d.Milliseconds(), 3) + " s" }

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-printable.Width(text)))
}

func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(0, width-printable.Width(text))) + text
}
