package ui

import (
	"strconv"

	"github.com/charmbracelet/colorprofile"
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

func (t *theme) spell(s style) string {
	var b []byte
	attr := func(code string) {
		if len(b) > 0 {
			b = append(b, ';')
		}
		b = append(b, code...)
	}
	if s&bold != 0 {
		attr("1")
	}
	if s&reverse != 0 || s&picked != 0 && !t.shades() {
		attr("7")
	}
	role := s & roleMask
	switch {
	case t.colours():
		if role != plain {
			attr(t.code(t.ink(role), 30))
		}
	case role == dim || role == rule:
		attr("2")
	case role == bad && s&bold == 0:
		attr("1")
	}
	if t.shades() {
		switch {
		case s&track != 0:
			attr(t.code(pick(t.dark, trackDark, trackLight), 40))
		case s&picked != 0:
			attr(t.code(pick(t.dark, pickedDark, pickedLight), 40))
		}
	}
	if len(b) == 0 {
		return ""
	}
	return "\x1b[" + string(b) + "m"
}

func (t *theme) ink(role style) ink {
	if role >= owner0 {
		return pick(t.dark, ownersDark, ownersLight)[role-owner0]
	}
	return pick(t.dark, inksDark, inksLight)[role]
}

// code is the SGR parameter of an ink; base is 30 for the foreground, 40 for
// the background.
func (t *theme) code(c ink, base int) string {
	switch {
	case t.profile >= colorprofile.TrueColor && c.hex != "":
		v, _ := strconv.ParseUint(c.hex[1:], 16, 32)
		return strconv.Itoa(base+8) + ";2;" + strconv.Itoa(int(v>>16)) + ";" +
			strconv.Itoa(int(v>>8&255)) + ";" + strconv.Itoa(int(v&255))
	case t.profile >= colorprofile.ANSI256:
		return strconv.Itoa(base+8) + ";5;" + strconv.Itoa(int(c.x256))
	case c.x16 >= 8:
		return strconv.Itoa(base + 60 + int(c.x16) - 8)
	}
	return strconv.Itoa(base + int(c.x16))
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
