package ui

import (
	"errors"
	"strings"

	"leasetop/ui/printable"

	tea "charm.land/bubbletea/v2"
)

// prompt is the line in which a filter is typed.
type prompt struct {
	on      bool
	input   editor
	before  filter // what esc returns to
	err     *filterError
	history []string // the oldest first
	back    int      // how far back in it the text is; 0: it is new
	draft   string   // the new text, while an old one is looked at
}

// maxHistory bounds the filters remembered.
const maxHistory = 50

// openPrompt begins to edit the filter.
func (m *Model) openPrompt() {
	p := &m.prompt
	p.on, p.before, p.err, p.back = true, m.filter, nil, 0
	p.input.set(m.filter.text)
}

// typeKey takes a key while the prompt is open.
func (m *Model) typeKey(msg tea.KeyPressMsg) {
	p := &m.prompt
	switch msg.String() {
	case "enter":
		if p.err == nil {
			p.remember(m.filter.text)
			p.on = false
		}
		return
	case "esc", "ctrl+c":
		p.on = false
		m.setFilter(p.before)
		return
	case "up":
		p.recall(1)
	case "down":
		p.recall(-1)
	default:
		p.input.update(msg)
	}
	m.typed()
}

// paste takes pasted text; it does nothing where no text is asked for.
func (m *Model) paste(text string) {
	if !m.prompt.on {
		return
	}
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	m.prompt.input.update(tea.PasteMsg{Content: text})
	m.typed()
}

// typed applies the text as far as it makes sense.
func (m *Model) typed() {
	f, err := parseFilter(m.prompt.input.value())
	m.prompt.err = nil
	if err != nil { // what is in front of the error is applied
		errors.As(err, &m.prompt.err)
	}
	m.setFilter(f)
}

func (m *Model) setFilter(f filter) {
	m.filter = f
	m.applyFilter()
}

func (p *prompt) remember(text string) {
	if text == "" || len(p.history) > 0 && p.history[len(p.history)-1] == text {
		return
	}
	p.history = append(p.history, text)
	if len(p.history) > maxHistory {
		p.history = p.history[1:]
	}
}

// recall goes back (1) or forth (-1) in the history.
func (p *prompt) recall(d int) {
	if p.back == 0 {
		p.draft = p.input.value()
	}
	p.back = min(max(p.back+d, 0), len(p.history))
	text := p.draft
	if p.back > 0 {
		text = p.history[len(p.history)-p.back]
	}
	p.input.set(text)
}

// applyFilter sets what the list shows: the filter and the owner view together.
func (m *Model) applyFilter() {
	m.book().filter(m.matcher())
	m.refresh = m.now
}

func (m *Model) matcher() func(*row) bool {
	if len(m.filter.terms) == 0 && !m.owner.Known {
		return nil
	}
	return func(r *row) bool {
		if m.owner.Known && r.owner != m.owner && !m.holds(r, m.owner.Token) {
			return false
		}
		s := sighting{row: r, now: m.when()}
		if m.filter.state {
			s.state = m.rowState(r)
		}
		if m.cfg.Alias != nil && r.owner.Known {
			s.alias = m.cfg.Alias(r.owner.Token)
		}
		return m.filter.has(&s)
	}
}

// holds reports whether an owner is among several holders of a row.
func (m *Model) holds(r *row, token string) bool {
	if r.owners < 2 {
		return false
	}
	if l := m.lease(r.key); l != nil {
		for i := range l.Tenures {
			if t := &l.Tenures[i]; t.Owner.Known && t.Owner.Token == token {
				return true
			}
		}
	}
	return false
}

// applyTimed applies a filter on time again now and then: more rows, more
// seldom.
func (m *Model) applyTimed() {
	if !m.filter.timed || m.past != nil {
		return
	}
	every := fastTick
	if len(m.live.rows) > 5000 {
		every = slowTick
	}
	if m.now.Sub(m.refresh) >= every {
		m.applyFilter()
	}
}

// textCursor is where the terminal's cursor is; nil: hidden.
func (m *Model) textCursor() *tea.Cursor {
	if !m.prompt.on || m.tooSmall() {
		return nil
	}
	before, _ := m.prompt.around(m.names.text, m.w)
	return tea.NewCursor(promptAt+printable.Width(before), m.plan().hints.top)
}

// promptAt is the column at which the typed text begins.
const promptAt = 3

// around is the visible text before and after the cursor, as far as there is
// room.
func (p *prompt) around(text printable.Printer, w int) (before, after string) {
	room := max(8, w*2/3-promptAt)
	head, tail := p.input.parts()
	runes, at := []rune(head+tail), len([]rune(head))
	before = text.String(head)
	for printable.Width(before) > room && at > 0 {
		// Show the end of what is before the cursor.
		runes = runes[1:]
		at--
		before = text.String(string(runes[:at]))
	}
	return before, text.Cut(string(runes[at:]), max(0, room-printable.Width(before)))
}
