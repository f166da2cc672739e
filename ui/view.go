package ui

import (
	"strconv"
	"strings"

	"leasetop/ui/printable"
)

// tooSmall reports whether the screen has no room for anything of use.
func (m *Model) tooSmall() bool { return m.w < leastWidth || m.h < leastHeight }

// plan lays out the page on the screen.
func (m *Model) plan() plan {
	return planFor(m.w, m.h, len(m.bannerLines()), on(m.page())&on(pageLeases, pageLanes, pageDemo) != 0)
}

// draw is the whole frame as text with styles.
func (m *Model) draw() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	p := newPainter(m.theme, m.g, m.w, m.h)
	if m.tooSmall() {
		m.drawTooSmall(p)
		return p.frame()
	}
	l := m.plan()
	m.drawHead(p)
	for _, b := range m.bannerLines() {
		p.put(plain, " ")
		p.line(b.style, b.text)
	}
	if l.rules {
		p.ruler(m.g.rule)
	}
	m.drawBody(p, l)
	p.fill(l.body.top + l.body.h)
	if l.strip.h > 0 {
		if l.rules {
			p.ruler(m.g.rule)
		}
		m.drawStrip(p, l.strip.h)
		p.fill(l.strip.top + l.strip.h)
	}
	if l.rules {
		p.ruler(m.g.rule)
	}
	p.fill(l.hints.top)
	m.drawHints(p)
	return p.frame()
}

func (m *Model) drawBody(p *painter, l plan) {
	switch m.page() {
	case pageLeases:
		m.drawLeases(p, l)
	case pageTimeline:
		m.drawTimeline(p, l)
	case pageLanes:
		m.drawLanes(p, l)
	case pageFindings:
		m.drawFindings(p, l)
	case pageDemo:
		m.drawDemo(p, l)
	case pageHelp, pageCommands:
		m.drawText(p, l)
	case pageCopy:
		m.drawCopy(p, l)
	}
}

func (m *Model) drawTooSmall(p *painter) {
	text := []string{
		"leasetop needs",
		strconv.Itoa(leastWidth) + " columns, " + strconv.Itoa(leastHeight) + " rows;",
		"here are " + strconv.Itoa(m.w) + " and " + strconv.Itoa(m.h) + ".",
	}
	p.fill(max(0, (m.h-len(text))/2))
	for _, t := range text {
		p.to(max(0, (m.w-len(t))/2))
		p.line(plain, t)
	}
}

// drawHints draws the last line: the prompt, a notice, or what the keys do.
func (m *Model) drawHints(p *painter) {
	switch {
	case m.prompt.on:
		m.drawPrompt(p)
		return
	case m.notice.text != "":
		p.put(plain, " ")
		p.line(m.notice.style, m.notice.text)
		return
	}
	p.put(plain, " ")
	if m.firstHint(p) {
		return
	}
	for _, h := range m.hints(p.w - 2) {
		p.put(accent, h.term)
		p.put(dim, " "+h.text+"  ")
	}
	p.end()
}

// hints are keys and a word for each, as many as fit; what is left out is in
// the middle, so that help and quit stay.
func (m *Model) hints(w int) []textLine {
	var out []textLine
	if len(m.pages) > 1 {
		out = append(out, textLine{term: "esc", text: "back"})
	}
	page := m.page()
	for i := range bindings {
		if b := &bindings[i]; b.hint != "" && b.fits(m, page) {
			out = append(out, textLine{term: m.keyLabel(pick(b.hint == "in time", "←→", b.show)), text: m.hintWord(b)})
		}
	}
	size := 0
	for _, h := range out {
		size += printable.Width(h.term) + 1 + printable.Width(h.text) + 2
	}
	for size > w && len(out) > 2 {
		i := len(out) - 3
		size -= printable.Width(out[i].term) + 1 + printable.Width(out[i].text) + 2
		out = append(out[:i], out[i+1:]...)
	}
	return out
}

// hintWord is the word of a key, which for a few depends on what is on.
func (m *Model) hintWord(b *binding) string {
	switch {
	case b.keys == "space" && m.past != nil:
		return "now"
	case b.keys == "o" && m.owner.Known:
		return "all owners"
	case b.keys == "g" && m.book().groups != nil:
		return "one list"
	}
	return b.hint
}

// keyLabel is a key's name in the characters of the screen.
func (m *Model) keyLabel(s string) string {
	if !m.cfg.Options.ASCII {
		return s
	}
	return strings.NewReplacer("←→", "left/right", "↑", "up", "↓", "down", "←", "left", "→", "right", "⏎", "enter").Replace(s)
}

// firstHint draws the hint of the first half minute, if it is on.
func (m *Model) firstHint(p *painter) bool {
	if m.hint.over || m.page() != pageLeases || m.live.len() == 0 {
		return false
	}
	p.put(accent, m.keyLabel("⏎"))
	p.put(dim, " on a key shows its timeline   ")
	p.put(accent, m.keyLabel("← →"))
	p.put(dim, " go back in time   ")
	p.put(accent, "?")
	p.put(dim, " all keys   ")
	p.put(accent, "q")
	p.put(dim, " quit")
	p.end()
	return true
}

func (m *Model) drawPrompt(p *painter) {
	p.put(plain, " ")
	p.put(accent, "/ ")
	before, after := m.prompt.around(m.names.text, m.w)
	s := plain
	if m.prompt.err != nil {
		s = warn
	}
	p.put(s, before+after)
	switch {
	case m.prompt.err != nil:
		p.put(warn, "   "+m.g.warning+" "+m.names.text.String(m.prompt.err.what))
	case p.left() > 30:
		p.put(dim, "   "+plural(m.book().len(), "match", "matches"))
		if m.prompt.input.value() == "" {
			p.put(dim, "   words  !not  owner:  state:  ttl<5s")
		}
	}
	p.end()
}
