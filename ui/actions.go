package ui

import (
	"strings"

	"leasetop/model"

	"github.com/charmbracelet/colorprofile"
)

// page is the page on the screen.
func (m *Model) page() page { return m.pages[len(m.pages)-1] }

// under is the page that a text page or a menu lies on.
func (m *Model) under() page {
	for i := len(m.pages) - 1; i >= 0; i-- {
		if p := m.pages[i]; p != pageHelp && p != pageCopy && p != pageCommands {
			return p
		}
	}
	return pageLeases
}

// turnTo puts a page on the screen. A page that lies below is uncovered, so
// that esc never walks in circles.
func (m *Model) turnTo(p page) {
	m.text, m.findings.top = listing{}, 0
	for i, q := range m.pages {
		if q == p {
			m.pages = m.pages[:i+1]
			return
		}
	}
	m.pages = append(m.pages, p)
}

// back leaves the page; on the first page it takes off what narrows the view.
func (m *Model) back() {
	switch {
	case len(m.pages) > 1:
		m.pages = m.pages[:len(m.pages)-1]
	case m.owner.Known:
		m.toggleOwner()
	case m.filter.text != "":
		m.setFilter(filter{})
	case m.past != nil:
		m.thaw()
	}
}

func (m *Model) inPast() bool { return m.past != nil }

// pageful is how far a page key moves.
func (m *Model) pageful() int { return max(1, m.plan().body.h-1) }

func (m *Model) move(delta int) {
	switch m.page() {
	case pageHelp, pageCommands:
		m.text.scroll(delta)
	case pageFindings:
		m.findings.move(delta, len(m.foundNow()))
	case pageTimeline:
		m.timeline.back = max(0, m.timeline.back-delta)
	default:
		m.cursor.move(m.book(), delta, m.plan().body.h)
	}
}

// selected is the key that actions are about.
func (m *Model) selected() (model.Key, bool) {
	switch m.under() {
	case pageTimeline:
		return m.timeline.key, true
	case pageFindings:
		found := m.foundNow()
		if len(found) == 0 {
			return model.Key{}, false
		}
		return found[min(m.findings.at, len(found)-1)].Key, true
	}
	return m.cursor.sel.key, m.cursor.sel.on && m.cursor.sel.group == ""
}

// selectedOwner is the owner that actions are about.
func (m *Model) selectedOwner() (model.Owner, bool) {
	k, ok := m.selected()
	if !ok {
		return model.Owner{}, false
	}
	l := m.lease(k)
	if l == nil {
		return model.Owner{}, false
	}
	o := l.Last.Owner
	if len(l.Tenures) > 0 {
		o = shownTenure(l).Owner
	}
	return o, o.Known
}

// open goes to the timeline of the selection, or folds a group.
func (m *Model) open() {
	if s := m.cursor.sel; m.page() != pageFindings && s.on && s.group != "" {
		m.book().fold(s.group)
		return
	}
	k, ok := m.selected()
	if !ok {
		return
	}
	m.cursor.moved = true
	if m.timeline.key != k {
		m.timeline = timeline{key: k}
	}
	m.turnTo(pageTimeline)
}

func (m *Model) toggleOwner() {
	if m.owner.Known {
		m.owner = model.Owner{}
		m.applyFilter()
		return
	}
	o, ok := m.selectedOwner()
	if !ok {
		m.say(note, "no owner was read here")
		return
	}
	if p := m.page(); p != pageLeases && p != pageLanes {
		m.turnTo(pageLeases)
	}
	m.owner, m.cursor.moved = o, true
	m.applyFilter()
}

func (m *Model) toggleGroups() {
	b := m.book()
	if b.groups != nil {
		b.groups = nil
		if m.cursor.sel.group != "" {
			m.cursor.sel = selection{}
		}
		return
	}
	b.groups = newGrouping()
}

func (m *Model) toggleFreeze() {
	if m.past != nil {
		m.thaw()
		return
	}
	m.freeze()
}

// sortBy sorts by a column, and by the same one again in the other direction.
func (m *Model) sortBy(c column) {
	b := m.book()
	o := order{by: c}
	if b.order.by == c {
		o.down = !b.order.down
	}
	b.sort(o)
}

func (m *Model) toggleTheme() {
	m.dark = !m.dark
	m.light = pick(m.dark, "dark", "light")
	m.retheme()
}

func (m *Model) toggleMouse() {
	m.mouse = !m.mouse
	m.say(note, pick(m.mouse, "the mouse selects, scrolls and sorts", "the mouse is the terminal's: it selects text"))
}

func (m *Model) retheme() { m.theme = newTheme(m.profile, m.dark) }

func (m *Model) onProfile(p colorprofile.Profile) {
	if m.cfg.Options.NoColor && p > colorprofile.ASCII {
		p = colorprofile.ASCII
	}
	m.profile = p
	m.retheme()
}

// onBackground takes what the terminal says of its background, unless somebody
// has decided already.
func (m *Model) onBackground(dark bool) {
	if m.light == "auto" && dark != m.dark {
		m.dark = dark
		m.retheme()
	}
}

// lightByEnv reads COLORFGBG, which some terminals set to "foreground;background"
// in the numbers of the sixteen colours.
func lightByEnv(environ []string) bool {
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, "COLORFGBG="); ok {
			bg := v[strings.LastIndexByte(v, ';')+1:]
			return bg == "7" || bg == "15"
		}
	}
	return false
}
