package ui

import (
	"strconv"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"
)

// widths are the columns of the leases in the room and for the names there are.
func (m *Model) widths() widths {
	b := m.book()
	return fit(m.w, b.key, b.owner)
}

func (m *Model) drawLeases(p *painter, l plan) {
	b := m.book()
	ws := m.widths()
	m.drawTitles(p, ws)
	if b.len() == 0 {
		m.drawEmpty(p, l.body)
		return
	}
	for i := m.cursor.top; i < min(m.cursor.top+l.body.h, b.len()); i++ {
		it := b.at(i)
		chosen := m.cursor.sel.on && i == m.cursor.at
		if it.group != nil {
			m.drawGroup(p, it.group, chosen)
		} else {
			m.drawLease(p, it.row, ws, chosen)
		}
	}
}

// drawTitles draws the names of the columns, with an arrow at the one that the
// rows are sorted by, and at the end what narrows the list.
func (m *Model) drawTitles(p *painter, ws widths) {
	scope := m.scope()
	n := widthOf(scope)
	if n > 0 {
		n += 2*len(scope) + 1
	}
	full := p.w
	p.w -= n // the scope may cover the last titles
	p.skip(gutter)
	o := m.book().order
	for c, w := range ws {
		if w == 0 {
			continue
		}
		title, s := specs[c].title, dim
		if o.by == column(c) {
			title, s = title+" "+pick(o.down, m.g.down, m.g.up), accent
		}
		if specs[c].right {
			p.cellRight(s, title, w)
		} else {
			p.cell(s, title, w)
		}
		p.skip(between)
	}
	p.w = full
	p.to(p.w - n)
	for _, s := range scope {
		p.put(reverse|s.style, " "+s.text+" ")
	}
	p.end()
}

// scope is what narrows the list: an owner, a filter.
func (m *Model) scope() []piece {
	var out []piece
	if m.owner.Known {
		mark, ink, name := m.names.owner(m.owner, 12)
		out = append(out, piece{ink, mark + " " + name})
	}
	if m.filter.text != "" && !m.prompt.on {
		out = append(out, piece{accent, "/" + m.names.text.Cut(m.filter.text, 20)})
	}
	return out
}

func (m *Model) drawGroup(p *painter, g *group, chosen bool) {
	m.drawCursor(p, chosen)
	p.put(dim, pick(g.shut, m.g.closed, m.g.open)+" ")
	p.put(bold, m.names.text.Middle(g.prefix, widestKey))
	p.put(dim, "  "+plural(g.held, "lease", "leases"))
	overdue, forever := 0, 0
	for _, r := range g.rows {
		switch m.rowState(r) {
		case model.Over:
			overdue++
		case model.NoExpiry:
			forever++
		}
	}
	if overdue > 0 {
		p.put(bad, "  "+m.g.late+" "+count(overdue)+" overdue")
	}
	if forever > 0 {
		p.put(warn, "  "+m.g.forever+" "+count(forever)+" no expiry")
	}
	p.end()
}

// drawCursor begins a line with the sign of the selection.
func (m *Model) drawCursor(p *painter, chosen bool) {
	if chosen {
		p.base |= picked
		p.put(accent, m.g.cursor)
		return
	}
	p.put(plain, " ")
}

func (m *Model) drawLease(p *painter, r *row, ws widths, chosen bool) {
	l := m.lease(r.key)
	if l == nil {
		p.end()
		return
	}
	now := m.when()
	state := m.state(l)
	fresh := m.fresh(l)
	m.drawCursor(p, chosen)
	mark, ms := m.rowMark(l, state, fresh)
	p.put(ms, mark)
	p.put(plain, " ")
	text := plain
	if state == model.Free || state == model.Blind {
		text = dim
	}
	for c, w := range ws {
		if w == 0 {
			continue
		}
		m.drawColumn(p, column(c), w, l, state, text, now)
		p.skip(between)
	}
	p.end()
}

// fresh reports whether the last change of a lease is to be marked.
func (m *Model) fresh(l *model.Lease) bool {
	if l.Last.Change == model.Found || l.Last.Seq == 0 {
		return false
	}
	now, since := m.when(), l.Last.ToldAt
	if since > now {
		since = l.Last.At
	}
	return now.Sub(since) < flagging
}

// rowMark is the sign in front of a row: what it is, else what just happened.
func (m *Model) rowMark(l *model.Lease, state model.LeaseState, fresh bool) (string, style) {
	switch {
	case state == model.Blind:
		return m.g.waiting, dim
	case state == model.Over:
		return m.g.late, bad
	case state == model.Free:
		return m.g.changes[l.EndedBy], pick(fresh, changeStyle(l.EndedBy), dim)
	case fresh:
		return m.g.changes[l.Last.Change], bold | changeStyle(l.Last.Change)
	case state == model.NoExpiry:
		return m.g.forever, warn
	}
	return " ", plain
}

func (m *Model) drawColumn(p *painter, c column, w int, l *model.Lease, state model.LeaseState, text style, now model.Instant) {
	var t *model.Tenure
	if len(l.Tenures) > 0 {
		t = shownTenure(l)
	}
	switch c {
	case colKey:
		p.cell(text, m.names.key(l.Key, w), w)
	case colOwner:
		m.drawOwner(p, l, t, w, text)
	case colTTL:
		s, ttl := m.ttl(l, state, now)
		p.cellRight(s, ttl, w)
	case colLeft:
		start := p.col
		if t != nil && t.Deadline != 0 && (state == model.Held || state == model.Blind) {
			left := l.Deadline().Sub(now)
			p.bar(left, grantedOf(t, now), w, pick(state == model.Blind, rule, barInk(left, grantedOf(t, now))))
		}
		p.to(start + w)
	case colHeld:
		p.cellRight(pick(t == nil, dim, text), m.heldFor(l, t, now), w)
	case colRenewed:
		p.cellRight(text, renewedTimes(l, t), w)
	case colGen:
		p.cellRight(dim, strconv.Itoa(int(l.Generation)), w)
	case colFormat:
		p.cell(dim, m.names.text.Cut(formatOf(l), w), w)
	case colChange:
		s, words := m.lastWords(l, state, now, w)
		p.cell(s, words, w)
	}
}

// grantedOf is what a bar is scaled to. Where the grant is not known, the
// time left when it was first read is the best there is.
func grantedOf(t *model.Tenure, now model.Instant) time.Duration {
	if t.Granted > 0 {
		return t.Granted
	}
	if t.Deadline != 0 && t.GrantedAt != 0 {
		return t.Deadline.Sub(t.GrantedAt)
	}
	return max(t.Deadline.Sub(now), time.Second)
}

func (m *Model) drawOwner(p *painter, l *model.Lease, t *model.Tenure, w int, text style) {
	o, extra := l.Last.Owner, ""
	if t != nil {
		o, extra = t.Owner, m.names.holder(t)
		if n := len(l.Tenures) - 1; n > 0 {
			extra += " +" + strconv.Itoa(n)
		}
	}
	start := p.col
	mark, ink, name := m.names.owner(o, max(4, w-2-printable.Width(extra)))
	if text == dim {
		ink = dim
	}
	p.put(ink, mark+" "+name)
	p.put(dim, p.clip(extra, start+w-p.col))
	p.to(start + w)
}

// ttl is the time left, or the word for why there is none.
func (m *Model) ttl(l *model.Lease, state model.LeaseState, now model.Instant) (style, string) {
	switch state {
	case model.Free:
		return dim, "free"
	case model.NoExpiry:
		return warn, "no expiry"
	case model.Over:
		return bold | bad, "overdue"
	}
	d := l.Deadline()
	switch {
	case shownTenure(l).Untold:
		return dim, "not read"
	case state == model.Blind && d == 0:
		return dim, "no expiry"
	case state == model.Blind && d <= now:
		return dim, "overdue?"
	case state == model.Blind:
		return dim, countdown(d.Sub(now))
	}
	return plain, countdown(d.Sub(now))
}

// heldFor is how long the tenure has lasted, or did; blank where its beginning
// was not seen.
func (m *Model) heldFor(l *model.Lease, t *model.Tenure, now model.Instant) string {
	switch {
	case t != nil && t.Acquired != 0:
		return whole(max(0, now.Sub(t.Acquired)))
	case t == nil && l.Last.Held != model.NoDuration:
		return about(l.Last.Held)
	}
	return m.g.none
}

func renewedTimes(l *model.Lease, t *model.Tenure) string {
	n, exact := l.Last.Renewals, l.Last.RenewalsExact
	if t != nil {
		n, exact = t.Renewals, !t.Inexact
	}
	if !exact && n > 0 {
		return count(n) + "+"
	}
	return count(n)
}

// formatOf is the lock format, as the last reading or line has it.
func formatOf(l *model.Lease) string {
	if l.Reading != nil && l.Reading.Format != "" {
		return l.Reading.Format
	}
	return l.Last.Format
}
