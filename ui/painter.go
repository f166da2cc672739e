package ui

import (
	"strings"

	"leasetop/ui/printable"

	"github.com/charmbracelet/x/ansi"
)

// painter draws one frame from top to bottom. What does not fit into a row or
// below the last row is cut off, so that no mistake in a part can tear another.
// Texts given to it are visible already: literals, or made by package printable.
type painter struct {
	theme *theme
	g     *glyphs
	w, h  int
	out   []byte
	col   int
	row   int
	pen   style // the style in force
	base  style // added to every style of this row
}

func newPainter(t *theme, g *glyphs, w, h int) *painter {
	return &painter{theme: t, g: g, w: w, h: h, out: make([]byte, 0, w*h*2)}
}

// left is the number of columns that are free in this row.
func (p *painter) left() int { return p.w - p.col }

// put writes text.
func (p *painter) put(s style, text string) {
	if text == "" || p.left() <= 0 {
		return
	}
	n := printable.Width(text)
	if n > p.left() {
		text = ansi.TruncateWc(text, p.left(), "")
		n = printable.Width(text)
	}
	p.col += n
	if p.row >= p.h {
		return
	}
	p.use(s)
	p.out = append(p.out, text...)
}

// use switches to a style. A space in a foreground colour is still a space, but
// not one with a background.
func (p *painter) use(s style) {
	s |= p.base
	if s == p.pen {
		return
	}
	if p.theme.seq[p.pen] != "" {
		p.out = append(p.out, "\x1b[m"...)
	}
	p.out = append(p.out, p.theme.seq[s]...)
	p.pen = s
}

const blanks = "                                                                                                    "

// to moves to a column with blanks; it never moves back.
func (p *painter) to(col int) {
	for n := min(col, p.w) - p.col; n > 0; n = min(col, p.w) - p.col {
		p.put(plain, blanks[:min(n, len(blanks))])
	}
}

// skip leaves n columns blank.
func (p *painter) skip(n int) { p.to(p.col + n) }

// clip cuts visible text to a width, with a mark where something is missing.
func (p *painter) clip(text string, width int) string {
	if printable.Width(text) <= width {
		return text
	}
	return ansi.TruncateWc(text, width, p.g.dots)
}

// cell writes text into a field of the given width, cut or padded.
func (p *painter) cell(s style, text string, width int) {
	start := p.col
	p.put(s, p.clip(text, width))
	p.to(start + width)
}

// cellRight is cell with the text at the right.
func (p *painter) cellRight(s style, text string, width int) {
	start := p.col
	p.to(start + width - printable.Width(text))
	p.cell(s, text, start+width-p.col)
}

// end ends the row.
func (p *painter) end() {
	if p.row >= p.h {
		return
	}
	if p.base&(picked|reverse) != 0 {
		p.to(p.w)
	}
	p.base = plain
	p.use(plain)
	p.row++
	if p.row < p.h {
		p.out = append(p.out, '\n')
	}
	p.col = 0
}

// line is put and end.
func (p *painter) line(s style, text string) {
	p.put(s, text)
	p.end()
}

// fill ends rows until the given one is the next.
func (p *painter) fill(row int) {
	for p.row < min(row, p.h) {
		p.end()
	}
}

// ruler draws a line across.
func (p *painter) ruler(glyph string) {
	p.put(plain, " ")
	p.put(rule, strings.Repeat(glyph, max(0, p.w-2)))
	p.end()
}

// frame is what was drawn.
func (p *painter) frame() string {
	p.fill(p.h)
	return string(p.out)
}
