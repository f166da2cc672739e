package ui

import (
	"strings"
	"unicode"
)

// editor is one line of text that is being typed.
type editor struct {
	text []rune
	at   int // the cursor: before this rune
}

// maxTyped bounds the line, runes.
const maxTyped = 512

func (e *editor) set(s string) {
	e.text = []rune(s)
	e.at = len(e.text)
}

func (e *editor) value() string { return string(e.text) }

// insert puts text in at the cursor, without what cannot be seen.
func (e *editor) insert(s string) {
	for _, r := range s {
		if unicode.IsPrint(r) && len(e.text) < maxTyped {
			e.text = append(e.text[:e.at], append([]rune{r}, e.text[e.at:]...)...)
			e.at++
		}
	}
}

// remove takes out what lies between the cursor and another place.
func (e *editor) remove(to int) {
	to = min(max(to, 0), len(e.text))
	a, b := min(e.at, to), max(e.at, to)
	e.text = append(e.text[:a], e.text[b:]...)
	e.at = a
}

// word is where the word before the cursor begins.
func (e *editor) word() int {
	before := strings.TrimRight(string(e.text[:e.at]), " ")
	return len([]rune(before[:strings.LastIndexByte(before, ' ')+1]))
}

// key takes an editing key by its name, and reports whether it was one.
func (e *editor) key(name string) bool {
	switch name {
	case "left", "ctrl+b":
		e.at = max(0, e.at-1)
	case "right", "ctrl+f":
		e.at = min(len(e.text), e.at+1)
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "alt+left", "alt+b", "ctrl+left":
		e.at = e.word()
	case "backspace", "ctrl+h":
		e.remove(e.at - 1)
	case "delete", "ctrl+d":
		e.remove(e.at + 1)
	case "ctrl+w", "alt+backspace":
		e.remove(e.word())
	case "ctrl+u":
		e.remove(0)
	case "ctrl+k":
		e.remove(len(e.text))
	default:
		return false
	}
	return true
}
