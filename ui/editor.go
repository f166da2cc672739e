package ui

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// maxTyped bounds a line that is typed, runes.
const maxTyped = 512

// editor is one line of text that is being typed: the text input of Bubbles,
// drawn by us so that what was pasted is made visible like all foreign text.
type editor struct{ input textinput.Model }

func newEditor() editor {
	in := textinput.New()
	in.CharLimit = maxTyped
	in.SetVirtualCursor(false)
	// Pasting comes from the terminal, as a message. Asking the system for its
	// clipboard would be I/O, and over SSH that of another machine.
	in.KeyMap.Paste = key.NewBinding()
	in.Focus()
	return editor{in}
}

func (e *editor) set(s string) {
	e.input.SetValue(s)
	e.input.CursorEnd()
}

func (e *editor) value() string { return e.input.Value() }

// update takes a key or pasted text.
func (e *editor) update(msg tea.Msg) { e.input, _ = e.input.Update(msg) }

// parts are the text before the cursor and after it.
func (e *editor) parts() (before, after string) {
	text := []rune(e.input.Value())
	at := min(max(e.input.Position(), 0), len(text))
	return string(text[:at]), string(text[at:])
}
