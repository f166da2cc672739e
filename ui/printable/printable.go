// Package printable is the one place that untrusted text passes before a
// terminal sees it. Key names and owner tokens are written by whoever can write
// to the server, so they may hold escape sequences, newlines, bidi overrides,
// invisible marks, or bytes that are no UTF-8 at all.
//
// What comes out is one line of visible characters that takes the same number
// of columns in every terminal: everything else is spelled as an escape.
//
//	\x1b     a byte: a control below 0x20, DEL, or a byte that is no UTF-8
//	\u202e   a rune that is invisible, reorders text, is not assigned, or on
//	         whose width terminals disagree
//	\U000e0041  the same beyond the basic plane
//	\\       a backslash, so that no key can pretend to hold an escape
//
// The result is for eyes only and not to be escaped twice.
package printable

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks a base may carry. Two are enough for the
// scripts in use; more are a pile that leaves its row.
const maxMarks = 2

// Printer makes text fit for a terminal. The zero Printer keeps letters of all
// scripts; with ASCII everything beyond ASCII is spelled as an escape.
type Printer struct {
	ASCII bool
}

// String is the whole of s in visible form.
func String(s string) string { return Printer{}.String(s) }

// Cut is s in visible form in at most cols columns; what is cut off is marked
// with "…". The cost depends on cols, not on the length of s.
func Cut(s string, cols int) string { return Printer{}.Cut(s, cols) }

// Middle is as Cut, but takes from the middle: names and tokens often differ in
// their ends only.
func Middle(s string, cols int) string { return Printer{}.Middle(s, cols) }

// Width is the number of columns of a string that came from this package.
func Width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return ansi.StringWidthWc(s)
}

// String is the whole of s in visible form.
func (p Printer) String(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	prev := ""
	for len(s) > 0 {
		text, n, _ := p.unit(s, prev)
		b.WriteString(text)
		s, prev = s[n:], text
	}
	return b.String()
}

// ellipsis marks what was cut off.
func (p Printer) ellipsis(cols int) string {
	if !p.ASCII {
		return "…"
	}
	return ".."[:min(cols, 2)]
}

// Cut is s in visible form in at most cols columns.
func (p Printer) Cut(s string, cols int) string {
	if cols <= 0 {
		return ""
	}
	if len(s) <= cols && isPlain(s) {
		return s
	}
	head, used, all := p.head(s, cols)
	if all && used <= cols {
		return head
	}
	dots := p.ellipsis(cols)
	head, _, _ = p.head(s, cols-Width(dots))
	return head + dots
}

// head is as many whole units from the front of s as fit into cols columns, the
// columns that they take, and whether that was all of s.
func (p Printer) head(s string, cols int) (text string, used int, all bool) {
	var b strings.Builder
	prev := ""
	for len(s) > 0 {
		text, n, w := p.unit(s, prev)
		if used+w > cols {
			return b.String(), used, false
		}
		b.WriteString(text)
		used += w
		s, prev = s[n:], text
	}
	return b.String(), used, true
}

// Middle is s in visible form in at most cols columns, the middle taken out.
func (p Printer) Middle(s string, cols int) string {
	if cols < 6 {
		return p.Cut(s, cols)
	}
	if len(s) <= cols && isPlain(s) {
		return s
	}
	if head, _, all := p.head(s, cols); all {
		return head
	}
	dots := p.ellipsis(cols)
	room := cols - Width(dots)
	tail := p.tail(s, room/2)
	head, _, _ := p.head(s, room-Width(tail))
	return head + dots + tail
}

// tail is as many whole units from the end of s as fit into cols columns.
func (p Printer) tail(s string, cols int) string {
	// A unit has at most twelve bytes; start a little earlier, on a rune.
	start := max(0, len(s)-cols*12-utf8.UTFMax)
	for start > 0 && start < len(s) && !utf8.RuneStart(s[start]) {
		start--
	}
	s = s[start:]
	var units []string
	prev := ""
	for len(s) > 0 {
		text, n, _ := p.unit(s, prev)
		units = append(units, text)
		s, prev = s[n:], text
	}
	used, from := 0, len(units)
	for from > 0 {
		w := Width(units[from-1])
		if used+w > cols {
			break
		}
		used += w
		from--
	}
	return strings.Join(units[from:], "")
}

// isPlain reports whether s is printable ASCII without a backslash, and so its
// own visible form.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '\\' {
			return false
		}
	}
	return true
}

// unit takes the first unit off s (not empty): its visible form, the bytes that
// it took and its columns. prev is the visible form of the unit before.
func (p Printer) unit(s, prev string) (text string, n, cols int) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\\':
		return `\\`, 1, 2
	case r < 0x20 || r == 0x7f || r == utf8.RuneError && n == 1:
		return escapeByte(s[0]), 1, 4
	case r < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf):
		return s[:1], 1, 1
	}
	if r < utf8.RuneSelf || !p.ASCII && visible(r) && !attaches(r, s[:n]) {
		if m := n + p.marks(s[n:]); m > n && stands(prev, s[:m]) {
			return s[:m], m, width(s[:m])
		}
		if stands(prev, s[:n]) {
			return s[:n], n, width(s[:n])
		}
	}
	text = escapeRune(r)
	return text, n, len(text)
}

// marks is the number of bytes of the marks that s begins with, at most
// maxMarks of them.
func (p Printer) marks(s string) int {
	end := 0
	if p.ASCII {
		return 0
	}
	for range maxMarks {
		r, n := utf8.DecodeRuneInString(s[end:])
		if n == 0 || !visible(r) || !attaches(r, s[end:end+n]) {
			break
		}
		end += n
	}
	return end
}

// attaches reports whether a rune is drawn onto the one before it.
func attaches(r rune, s string) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) || ansi.StringWidthWc(s) == 0
}

// visible reports whether a rune shows itself and nothing else: not a control,
// a format or bidi character, a look-alike of a space, or a default-ignorable.
func visible(r rune) bool {
	if !unicode.IsPrint(r) || r == utf8.RuneError {
		return false
	}
	return !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		r != '\u034f' && r != '\u2800'
}

// width is the columns of one unit, 0 where the two ways that terminals count
// them (by rune and by cluster) disagree.
func width(s string) int {
	w := ansi.StringWidthWc(s)
	if w != ansi.StringWidth(s) {
		return 0
	}
	return w
}

// stands reports whether a unit takes the same columns of its own however they
// are counted, between the unit before it and whatever follows: some runes melt
// into one cluster with their neighbours (flags, conjoining letters).
func stands(prev, s string) bool {
	w := width(s)
	if w == 0 || width(s+"a") != w+1 {
		return false
	}
	if prev == "" {
		prev = " "
	}
	return ansi.StringWidth(prev+s) == ansi.StringWidthWc(prev)+w
}

const hex = "0123456789abcdef"

func escapeByte(c byte) string {
	return string([]byte{'\\', 'x', hex[c>>4], hex[c&15]})
}

func escapeRune(r rune) string {
	digits, mark := 4, byte('u')
	if r > 0xffff {
		digits, mark = 8, 'U'
	}
	out := make([]byte, 2+digits)
	out[0], out[1] = '\\', mark
	for i := range digits {
		out[len(out)-1-i] = hex[r&15]
		r >>= 4
	}
	return string(out)
}
