package ui

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// style is what a piece of text means on the screen (a role), and how it is set
// apart (attributes). Colour never carries a meaning alone.
type style uint16

// The roles.
const (
	plain  style = iota // the terminal's own foreground
	dim                 // of less weight
	rule                // lines and other furniture
	accent              // names of things, the selection
	good
	warn
	bad
	note // neither good nor bad
	odd  // took over from somebody
	barFull
	barLow
	barOut
	owner0                          // the first of the owners' colours
	roles  = owner0 + inks          // number of roles
	inks   = style(len(ownersDark)) // number of the owners' colours
)

// The attributes.
const (
	bold     style = 1 << (iota + 5)
	reverse        // what must not be overlooked
	picked         // the selected row
	track          // the empty part of a bar
	styles         // number of styles
	roleMask = bold - 1
)

// ink is one colour in the three depths that terminals have.
type ink struct {
	hex  string
	x256 uint8
	x16  uint8
}

// The colours that tick with the clock keep to the palette of 256 (hex ""): a
// true colour costs eight bytes more for each cell.
var (
	inksDark = [owner0]ink{
		dim: {"#878d99", 245, 8}, rule: {"#3f4451", 239, 8}, accent: {"#79b8ff", 111, 12},
		good: {"#7fc987", 114, 2}, warn: {"#e6b566", 179, 3}, bad: {"#f47067", 203, 9},
		note: {"#6cc7d1", 80, 6}, odd: {"#d2a8ff", 183, 13},
		barFull: {"", 66, 6}, barLow: {"", 137, 3}, barOut: {"", 167, 9},
	}
	inksLight = [owner0]ink{
		dim: {"#69707d", 243, 8}, rule: {"#c4c9d1", 251, 7}, accent: {"#0a58ca", 26, 4},
		good: {"#1f7a33", 28, 2}, warn: {"#9a5b00", 130, 3}, bad: {"#c4242b", 160, 1},
		note: {"#00707c", 30, 6}, odd: {"#7b35b8", 91, 5},
		barFull: {"", 73, 6}, barLow: {"", 179, 3}, barOut: {"", 167, 1},
	}
	ownersDark = [...]ink{
		{"#7aa2f7", 111, 12}, {"#8fd17f", 114, 10}, {"#e0af68", 179, 11}, {"#bb9af7", 141, 13}, {"#56c7c7", 80, 14},
		{"#f2a2c4", 218, 5}, {"#c3d94e", 149, 2}, {"#ff9e64", 215, 3}, {"#a9b8cf", 146, 4}, {"#d9c8a0", 187, 6},
	}
	ownersLight = [len(ownersDark)]ink{
		{"#1f5fbf", 25, 4}, {"#2b7a2b", 28, 2}, {"#8a5a00", 94, 3}, {"#6f3fb5", 91, 5}, {"#00707c", 30, 6},
		{"#b0206f", 162, 13}, {"#557700", 64, 10}, {"#b84a00", 166, 11}, {"#4a5f80", 60, 12}, {"#7a6a2f", 100, 14},
	}
)

// Backgrounds: of the selected row, and of the empty part of a bar.
var (
	pickedDark, pickedLight = ink{"#2a303c", 236, 0}, ink{"#dbe4f2", 189, 0}
	trackDark, trackLight   = ink{"", 235, 0}, ink{"", 254, 0}
)

// theme spells styles as escape sequences for one terminal: its depth of colour
// and its background.
type theme struct {
	dark    bool
	profile colorprofile.Profile
	seq     [styles]string // what switches from no style to this one
}

func newTheme(profile colorprofile.Profile, dark bool) *theme {
	t := &theme{dark: dark, profile: profile}
	for s := range styles {
		if s&roleMask < roles {
			t.seq[s] = t.spell(s)
		}
	}
	return t
}

// colours reports whether the terminal shows any.
func (t *theme) colours() bool { return t.profile >= colorprofile.ANSI }

// shades reports whether the terminal has backgrounds that stay in the
// background: sixteen colours have none.
func (t *theme) shades() bool { return t.profile >= colorprofile.ANSI256 }

// spell is the escape sequence that Lip Gloss writes for a style, without the
// text and the reset that follow it: the painter switches styles by itself, so
// that a frame holds no sequence twice.
func (t *theme) spell(s style) string {
	look := lipgloss.NewStyle().Bold(s&bold != 0).Reverse(s&reverse != 0 || s&picked != 0 && !t.shades())
	role := s & roleMask
	switch {
	case t.colours():
		if role != plain {
			look = look.Foreground(t.colour(t.ink(role)))
		}
	case role == dim || role == rule:
		look = look.Faint(true)
	case role == bad && s&bold == 0:
		look = look.Bold(true)
	}
	if t.shades() {
		switch {
		case s&track != 0:
			look = look.Background(t.colour(pick(t.dark, trackDark, trackLight)))
		case s&picked != 0:
			look = look.Background(t.colour(pick(t.dark, pickedDark, pickedLight)))
		}
	}
	seq, _, _ := strings.Cut(look.Render("x"), "x")
	return seq
}

func (t *theme) ink(role style) ink {
	if role >= owner0 {
		return pick(t.dark, ownersDark, ownersLight)[role-owner0]
	}
	return pick(t.dark, inksDark, inksLight)[role]
}

// colour is an ink in the depth of this terminal.
func (t *theme) colour(c ink) color.Color {
	deep := lipgloss.ANSIColor(c.x256)
	if c.hex != "" {
		return lipgloss.Complete(t.profile)(ansi.BasicColor(c.x16), deep, lipgloss.Color(c.hex))
	}
	return lipgloss.Complete(t.profile)(ansi.BasicColor(c.x16), deep, deep)
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
