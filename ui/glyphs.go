package ui

import "leasetop/model"

// glyphs is the set of signs that the screen is drawn with. Each is one column
// wide in every terminal, but for dots, which may be two in ASCII.
type glyphs struct {
	dots     string // something was cut off
	live     string
	blind    string
	waiting  string
	warning  string
	done     string // it was done
	forever  string // a lease without expiry
	late     string // overdue
	inferred string
	cursor   string // the selected row
	up, down string // the order of a column
	left     string
	right    string
	rule     string
	times    string // "×"
	none     string // "–"
	between  string // separates words of one line
	open     string // an open group
	closed   string
	column   string // a vertical line
	tick     string // a vertical line with a mark to the left
	start    string // a tenure begins here
	through  string // it goes on
	now      string // it still holds
	renewal  string
	free     string
	gap      string
	full     string
	changes  map[model.Change]string
	owners   [marks]string
	eighths  [9]string // of a cell from the left; 0 is empty
	levels   [9]string // of a cell from below
	empty    string    // the empty part of a bar where there is no background
	held     string    // what a scenario asserts held
	broken   string    // it did not
	pause    string    // a worker is stopped
}

// marks is how many owners can be told apart without colour.
const marks = 8

var unicodeGlyphs = glyphs{
	dots: "…", live: "●", blind: "✖", waiting: "◌", warning: "⚠", done: "✓", forever: "∞", late: "✖", inferred: "~",
	cursor: "▌", up: "▲", down: "▼", left: "◂", right: "▸", rule: "─", times: "×", none: "–", between: "·",
	open: "▾", closed: "▸", column: "│", tick: "┤", start: "┣", through: "━", now: "▶", renewal: "┃",
	free: "·", gap: "░", full: "█", empty: "░", held: "✓", broken: "✗", pause: "⏸",
	changes: map[model.Change]string{
		model.Found: "•", model.Acquired: "▶", model.Renewed: "↻", model.Shortened: "↺",
		model.ExpiryAdded: "◔", model.ExpiryRemoved: "∞", model.Recount: "⊕", model.Overdue: "✖",
		model.Released: "○", model.Expired: "✖", model.Overwritten: "⇄", model.Replaced: "⇄",
		model.Evicted: "⊘", model.Flushed: "⊘", model.Renamed: "→", model.Lost: "?",
	},
	owners:  [marks]string{"●", "◆", "■", "▲", "◇", "□", "△", "★"},
	eighths: [9]string{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	levels:  [9]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
}

var asciiGlyphs = glyphs{
	dots: "..", live: "*", blind: "x", waiting: "o", warning: "!", done: "v", forever: "N", late: "!", inferred: "~",
	cursor: ">", up: "^", down: "v", left: "<", right: ">", rule: "-", times: "x", none: "-", between: "-",
	open: "v", closed: ">", column: "|", tick: "+", start: "[", through: "-", now: ">", renewal: "|",
	free: ".", gap: ":", full: "#", empty: ".", held: "v", broken: "x", pause: "=",
	changes: map[model.Change]string{
		model.Found: ".", model.Acquired: "+", model.Renewed: "=", model.Shortened: "<",
		model.ExpiryAdded: "t", model.ExpiryRemoved: "N", model.Recount: "n", model.Overdue: "!",
		model.Released: "o", model.Expired: "x", model.Overwritten: "%", model.Replaced: "%",
		model.Evicted: "e", model.Flushed: "f", model.Renamed: ">", model.Lost: "?",
	},
	owners:  [marks]string{"@", "#", "$", "&", "%", "=", "+", "*"},
	eighths: [9]string{" ", " ", " ", " ", "=", "=", "=", "#", "#"},
	levels:  [9]string{" ", ".", ".", "-", "-", "=", "=", "#", "#"},
}

func glyphsFor(ascii bool) *glyphs {
	if ascii {
		return &asciiGlyphs
	}
	return &unicodeGlyphs
}

// changeStyle is the colour of a kind of change.
func changeStyle(c model.Change) style {
	switch c {
	case model.Acquired:
		return good
	case model.Renewed, model.Found, model.Recount, model.ExpiryAdded:
		return note
	case model.Expired, model.Overdue, model.Evicted, model.Flushed:
		return bad
	case model.ExpiryRemoved, model.Shortened, model.Lost:
		return warn
	case model.Overwritten, model.Replaced, model.Renamed:
		return odd
	}
	return plain
}
