package ui

import (
	"strings"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"
)

// findingsEvery is how often the rules are applied at most.
const findingsEvery = time.Second

// lookEvery is for how many leases more the rules wait a second longer between
// two walks over all of them, which take a few microseconds a lease.
const lookEvery = 2000

// seek applies the rules anew, when it is time.
func (m *Model) seek() {
	if m.sought != 0 && m.now.Sub(m.sought) < findingsEvery {
		return
	}
	m.sought = m.now
	if every := findingsEvery * time.Duration(1+len(m.live.rows)/lookEvery); m.now.Sub(m.looked) >= every || m.now < m.looked {
		m.looked = m.now
		m.inspector.Look(m.ledger, m.now)
	}
	m.found = m.found[:0:0]
	for _, f := range m.inspector.Standing() {
		m.found = append(m.found, findingOf(&f))
	}
}

func findingOf(f *model.Finding) Finding {
	return Finding{
		Rule: f.Rule.Name, Severity: f.Rule.Severity.String(), Key: f.Key, Owner: f.Owner, Since: f.Since,
		Detail: f.Detail, Means: f.Rule.Means, NotProof: f.Rule.NotProof, Next: f.Rule.Next,
	}
}

// foundNow are the findings at the instant on the screen: for one in the past,
// those of today that had begun by then.
func (m *Model) foundNow() []Finding {
	if m.past == nil {
		return m.found
	}
	var out []Finding
	for _, f := range m.found {
		if f.Since <= m.past.cut.at {
			out = append(out, f)
		}
	}
	return out
}

// drawFindings draws the findings, the selected one in full below.
func (m *Model) drawFindings(p *painter, l plan) {
	found := m.foundNow()
	p.put(plain, "   ")
	p.put(bold, plural(len(found), "finding", "findings"))
	p.line(dim, "   what looks wrong; none of it proves that two workers ran at once")
	if len(found) == 0 {
		p.end()
		p.put(plain, "   ")
		p.line(dim, "Nothing looks wrong.")
		return
	}
	at := min(m.findings.at, len(found)-1)
	detail := m.findingDetail(&found[at])
	rows := max(1, l.body.h-len(detail)-1)
	from, to := (&listing{top: min(max(m.findings.top, at-rows+1), at)}).window(len(found), rows)
	key := min(max(m.book().key, 16), max(16, m.w/3))
	for i := from; i < to; i++ {
		f := &found[i]
		m.drawCursor(p, i == at)
		s := severityStyle(f.Severity)
		p.put(s, m.g.warning+" ")
		p.cell(s, f.Severity, 9)
		p.cell(bold, m.names.text.Cut(f.Rule, 18), 20)
		p.cell(plain, m.names.key(f.Key, key), key+2)
		p.cell(dim, "since "+m.cfg.Options.clock(f.Since, toSecond), 16)
		p.put(plain, m.names.text.String(f.Detail))
		p.end()
	}
	p.fill(l.body.top + l.body.h - len(detail))
	for _, d := range detail {
		p.put(plain, "   ")
		p.cell(dim, d.term, 14)
		p.line(plain, d.text)
	}
}

func severityStyle(s string) style {
	switch s {
	case "critical":
		return bad
	case "warning":
		return warn
	}
	return note
}

// findingDetail is all of a finding, folded to the width of the screen.
func (m *Model) findingDetail(f *Finding) []textLine {
	var out []textLine
	add := func(term, text string) {
		for _, l := range wrap(m.names.text.String(text), max(20, m.w-20)) {
			out = append(out, textLine{term: term, text: l})
			term = ""
		}
	}
	_, _, owner := m.names.owner(f.Owner, 40)
	add("key", f.Key.Name)
	if f.Owner.Known {
		add("owner", owner)
	}
	add("seen", f.Detail)
	add("it means", f.Means)
	add("not proved", f.NotProof)
	add("check next", f.Next)
	return out
}

// wrap folds visible text at blanks; a longer word is cut.
func wrap(text string, width int) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(text) {
		switch {
		case line == "":
			line = w
		case printable.Width(line)+1+printable.Width(w) <= width:
			line += " " + w
		default:
			out = append(out, line)
			line = w
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}
