package ui

import "leasetop/ui/printable"

// listing is a list that is scrolled, with or without a selected line.
type listing struct {
	top int // the first line in view; more than there is: the end
	at  int
}

func (l *listing) scroll(d int) { l.top = max(0, min(l.top+d, 1<<20)) }

// move selects another of n lines.
func (l *listing) move(d, n int) { l.at = max(0, min(l.at+d, n-1)) }

// window is the part of n lines that h rows show.
func (l *listing) window(n, h int) (from, to int) {
	from = max(0, min(l.top, n-h))
	return from, min(n, from+h)
}

// textLine is a line of a page of text: a head, or a word and what it means.
type textLine struct {
	head string
	term string
	text string
	ink  style // of term
}

// foldLines folds the texts to a width.
func foldLines(lines []textLine, width int) []textLine {
	var out []textLine
	for _, l := range lines {
		if printable.Width(l.text) <= width {
			out = append(out, l)
			continue
		}
		for _, part := range wrap(l.text, width) {
			out = append(out, textLine{term: l.term, text: part, ink: l.ink})
			l.term = ""
		}
	}
	return out
}

// termWidth is the widest term of some lines.
func termWidth(lines []textLine) int {
	w := 0
	for _, l := range lines {
		w = max(w, printable.Width(l.term))
	}
	return w
}

// textPage is the title and the lines of the page of text on the screen, folded
// to its width; no lines on another page.
func (m *Model) textPage() (title string, lines []textLine) {
	switch m.page() {
	case pageHelp:
		title, lines = pageNames[pageHelp]+": "+pageNames[m.under()], m.helpLines()
	case pageCommands:
		title, lines = "what leasetop has sent, seen and lost", m.commandLines()
	}
	return title, foldLines(lines, m.w-termWidth(lines)-7)
}

// drawText draws a page of text.
func (m *Model) drawText(p *painter, l plan) {
	title, lines := m.textPage()
	from, to := m.text.window(len(lines), l.body.h)
	p.put(plain, "   ")
	p.put(bold, title)
	if to-from < len(lines) {
		p.put(dim, "   "+m.keyLabel("↑ ↓")+"  "+count(from+1)+"-"+count(to)+" of "+count(len(lines)))
	}
	p.end()
	term := termWidth(lines)
	for _, t := range lines[from:to] {
		p.put(plain, "   ")
		if t.head != "" {
			p.line(bold, t.head)
			continue
		}
		if t.term != "" || term > 0 && t.text != "" {
			p.cell(t.ink, t.term, term+3)
		}
		p.line(plain, t.text)
	}
}
