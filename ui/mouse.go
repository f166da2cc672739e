package ui

import (
	tea "charm.land/bubbletea/v2"
)

// wheelLines is how far a notch of the wheel scrolls.
const wheelLines = 3

func (m *Model) wheel(e tea.Mouse) {
	d := 0
	switch e.Button {
	case tea.MouseWheelUp:
		d = -wheelLines
	case tea.MouseWheelDown:
		d = wheelLines
	}
	if d == 0 || !m.mouse {
		return
	}
	if p := m.page(); p == pageLeases || p == pageLanes {
		m.cursor.scroll(m.book(), d, m.plan().body.h)
		return
	}
	m.move(d)
}

// click selects a line, opens the one that is selected already, or sorts by a
// column.
func (m *Model) click(e tea.Mouse) tea.Cmd {
	if e.Button != tea.MouseLeft || !m.mouse || m.tooSmall() {
		return nil
	}
	p := m.plan()
	switch {
	case e.Y == p.title.top && m.page() == pageLeases:
		if c, ok := m.columnAt(e.X); ok && specs[c].sort != "" {
			m.sortBy(c)
		}
	case e.Y < p.body.top || e.Y >= p.body.top+p.body.h:
	case m.page() == pageLeases || m.page() == pageLanes:
		m.clickLine(m.cursor.top + e.Y - p.body.top)
	}
	return nil
}

func (m *Model) clickLine(i int) {
	b := m.book()
	if i >= b.len() {
		return
	}
	if s := selectionOf(b.at(i)); m.cursor.moved && m.cursor.sel == s {
		m.open()
		return
	}
	m.cursor.move(b, i-m.cursor.at, m.plan().body.h)
}

// columnAt is the column of the leases at a column of the screen.
func (m *Model) columnAt(x int) (column, bool) {
	at := gutter
	for c, w := range m.widths() {
		if w == 0 {
			continue
		}
		if x >= at && x < at+w {
			return column(c), true
		}
		at += w + between
	}
	return 0, false
}
