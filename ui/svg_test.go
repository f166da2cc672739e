package ui

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Sizes of a character of the pictures, in pixels.
const (
	cellW, cellH = 8.4, 18.0
	fontSize     = 14
	margin       = 12.0
)

// svg draws what an emulated terminal shows, on a light or a dark ground.
func svg(e *vt.Emulator, dark bool) string {
	ground, text := "#16181d", "#d5d9e0"
	if !dark {
		ground, text = "#fbfbfc", "#20242c"
	}
	var b strings.Builder
	w, h := float64(e.Width())*cellW+2*margin, float64(e.Height())*cellH+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`, w, h, w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`, ground)
	fmt.Fprintf(&b, `<g font-family="'DejaVu Sans Mono','JetBrains Mono',Menlo,Consolas,monospace" font-size="%d" xml:space="preserve">`, fontSize)
	for y := range e.Height() {
		svgRow(&b, e, y, ground, text)
	}
	b.WriteString("</g></svg>\n")
	return b.String()
}

// run is a part of a row in one style.
type run struct {
	x, w   int
	text   string
	fg, bg string
	bold   bool
	faint  bool
}

func svgRow(b *strings.Builder, e *vt.Emulator, y int, ground, text string) {
	var runs []run
	for x := 0; x < e.Width(); {
		c := e.CellAt(x, y)
		r := runOf(c, ground, text)
		r.x = x
		if n := len(runs); n > 0 && sameLook(runs[n-1], r) && !block(runs[n-1].text) && !block(r.text) {
			runs[n-1].text += r.text
			runs[n-1].w += r.w
		} else {
			runs = append(runs, r)
		}
		x += r.w
	}
	top := margin + float64(y)*cellH
	for _, r := range runs {
		left, width := margin+float64(r.x)*cellW, float64(r.w)*cellW
		if r.bg != "" {
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, left, top, width+0.3, cellH, r.bg)
		}
		if bar(b, r, left, top) || strings.TrimSpace(r.text) == "" {
			continue
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s"`, left, top+13.5, r.fg)
		if r.bold {
			b.WriteString(` font-weight="bold"`)
		}
		if r.faint {
			b.WriteString(` opacity="0.6"`)
		}
		trimmed := strings.TrimRight(r.text, " ")
		length := width - float64(len(r.text)-len(trimmed))*cellW
		fmt.Fprintf(b, ` textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`, length, html.EscapeString(trimmed))
	}
	b.WriteByte('\n')
}

func sameLook(a, b run) bool {
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.faint == b.faint
}

func runOf(c *uv.Cell, ground, text string) run {
	r := run{w: 1, text: " ", fg: text}
	if c == nil {
		return r
	}
	if c.Content != "" {
		r.text = c.Content
	}
	r.w = max(1, c.Width)
	if c.Style.Fg != nil {
		r.fg = hexOf(c.Style.Fg)
	}
	if c.Style.Bg != nil {
		r.bg = hexOf(c.Style.Bg)
	}
	r.bold = c.Style.Attrs&uv.AttrBold != 0
	r.faint = c.Style.Attrs&uv.AttrFaint != 0
	if c.Style.Attrs&uv.AttrReverse != 0 {
		bg := r.bg
		if bg == "" {
			bg = ground
		}
		r.fg, r.bg = bg, r.fg
	}
	return r
}

// hexOf spells a colour; the sixteen are those of a common dark theme.
func hexOf(c color.Color) string {
	if basic, ok := c.(ansi.BasicColor); ok {
		return [16]string{"#1d2026", "#e06c6c", "#7fc987", "#e0b060", "#6ea2f0", "#c58af0", "#5fc4c4", "#c8ccd4",
			"#6b7280", "#f47067", "#98e0a0", "#f0cc80", "#8cb8ff", "#dcb0ff", "#80e0e0", "#ffffff"}[basic]
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

const (
	lefts = "▏▎▍▌▋▊▉█"
	lows  = "▁▂▃▄▅▆▇█"
)

func block(s string) bool {
	return len(s) == 3 && (strings.Contains(lefts, s) || strings.Contains(lows, s))
}

// bar draws the block characters as the rectangles that they are.
func bar(b *strings.Builder, r run, left, top float64) bool {
	if !block(r.text) {
		return false
	}
	if i := strings.Index(lefts, r.text); i >= 0 {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.2f" height="%.1f" fill="%s"/>`, left, top, cellW*float64(i/3+1)/8+0.2, cellH+0.2, r.fg)
		return true
	}
	n := float64(strings.Index(lows, r.text)/3+1) / 8
	fmt.Fprintf(b, `<rect x="%.1f" y="%.2f" width="%.2f" height="%.2f" fill="%s"/>`, left, top+cellH*(1-n), cellW+0.2, cellH*n+0.2, r.fg)
	return true
}
