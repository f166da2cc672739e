package ui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"leasetop/model"
	"leasetop/ui/printable"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// hostile are names and tokens that somebody may write to harm who looks.
var hostile = []string{
	"\x1b[2J\x1b[H\x1b[31mcleared",
	"\x1b]52;c;cm0gLXJmIC8=\x07clipboard",
	"\x1b]8;;http://evil\x07link\x1b]8;;\x07",
	"\x1b]0;title\x07",
	"\u202elock:gnp.exe\u202c",
	"\u2066iso\u2069late",
	"zero\u200b\u200c\u200d\u2060\ufeffwidth",
	"line\nbreak\r\ttab\x00nul\x7fdel",
	"\u009b31mc1",
	"\xff\xfe\x80raw",
	"錠:注文:四二:錠錠錠錠錠錠錠錠錠錠錠錠",
	"emoji:🔒🔑👩\u200d🚀👍🏽🇩🇪1\ufe0f\u20e3",
	"zalgo:" + strings.Repeat("a\u0300\u0301\u0302\u0303\u0304", 20),
	"e\u0301cole:pre\u0301pare\u0301",
	"\u0e01\u0e33\u0e19\u0e31\u0e49\u0e33 \u1112\u1161\u11ab ｶﾞ",
	"long:" + strings.Repeat("x", 10_000),
	"wide:" + strings.Repeat("錠", 5_000),
	"esc:" + strings.Repeat("\x1b[1m", 3_000),
	"",
	" ",
	"שלום:lock",
}

func hostileStage(t *testing.T, w, h int, ascii bool) *stage {
	s := newStage(t, w, h, func(c *Config) {
		c.Options.ASCII = ascii
		c.Patterns = hostile
	})
	s.counters.Address, s.counters.Server, s.counters.Hint = hostile[0], hostile[1], hostile[2]
	s.counters.Commands = []model.CommandSent{{Name: hostile[0], Count: 1}}
	for i, x := range hostile {
		d := s.deadline(time.Duration(5+i) * time.Second)
		s.observe(x, model.SourceEvent, model.Reading{Format: x, Library: x, Note: x, Waiters: []string{x}, Deadline: d,
			Holders: []model.Holder{{Owner: hostile[len(hostile)-1-i], Deadline: d, Mode: "write", Count: 7, Told: &model.Told{Host: x, Process: x}}}}, "set", "expire")
	}
	s.pass(time.Second)
	var found []Finding
	for _, x := range hostile {
		found = append(found, Finding{Rule: x, Severity: "warning", Key: s.key(x), Owner: model.OwnerOf(x), Detail: x, Means: x})
	}
	s.findings(found...)
	return s
}

// clean fails when a frame holds anything but text, line ends and colours, or a
// line that is wider than the screen however one counts.
func clean(t *testing.T, s *stage, what string) {
	t.Helper()
	frame := s.m.View().Content
	lines := strings.Split(frame, "\n")
	if len(lines) != s.m.h {
		t.Fatalf("%s: %d lines of %d", what, len(lines), s.m.h)
	}
	for i, l := range lines {
		text := stripColours(l)
		for _, r := range text {
			if !unicode.IsPrint(r) {
				t.Fatalf("%s: line %d holds %U: %q", what, i, r, l)
			}
			if s.config.Options.ASCII && r > 0x7e {
				t.Fatalf("%s: line %d is no ASCII: %q", what, i, text)
			}
		}
		if a, b := ansi.StringWidth(text), ansi.StringWidthWc(text); a != b || a > s.m.w {
			t.Fatalf("%s: line %d takes %d or %d columns of %d: %q", what, i, a, b, s.m.w, text)
		}
	}
}

// stripColours takes SGR sequences away, and nothing else.
func stripColours(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return b.String() + s
		}
		n := i + 2
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == ';') {
			n++
		}
		if n == len(s) || s[n] != 'm' {
			return b.String() + s // something else: let it be found
		}
		b.WriteString(s[:i])
		s = s[n+1:]
	}
}

// walk goes through every page and menu of a screen.
func (s *stage) walk(see func(what string)) {
	see("leases")
	for _, keys := range [][]string{
		{"enter"}, {"-", "["}, {"?"}, {"pgdown"}, {"esc", "y"}, {"esc", "esc", "v"}, {"+", "["}, {"@"}, {"end"}, {"esc", "f"},
		{"down", "down"}, {"esc", "esc", "g"}, {"o"}, {"o", "space"}, {"left", "left"}, {"enter"}, {"esc", "end", "end", "g"}, {"K"}, {"down", "down"},
	} {
		s.press(keys...)
		see(strings.Join(keys, " "))
	}
	s.press("esc", "esc", "esc", "/")
	s.typeText(`lock\ "錠🔒`)
	see("prompt")
	s.press("esc", "esc")
}

func TestHostileTextIsHarmlessEverywhere(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {250, 70}} {
			s := hostileStage(t, size[0], size[1], ascii)
			s.walk(func(what string) { clean(t, s, what) })
		}
	}
}

// The columns behind a name stay where they are, whatever the name is.
func TestColumnsStayStraight(t *testing.T) {
	s := hostileStage(t, 120, 40, false)
	s.press("K")
	screen := strings.Split(s.screen(), "\n")
	ws := s.m.widths()
	at := gutter + ws[colKey] + between
	marks := strings.Join(unicodeGlyphs.owners[:], "")
	seen := 0
	for _, l := range screen[s.m.plan().body.top:][:len(hostile)] {
		cell := ansi.Cut(l, at, at+1)
		if !strings.Contains(marks, cell) || cell == "" {
			t.Errorf("no owner's mark at column %d but %q: %s", at, cell, l)
		}
		seen++
	}
	if seen != len(hostile) {
		t.Errorf("%d rows, want %d", seen, len(hostile))
	}
}

// Long names cost what is shown of them, not what they are.
func TestLongNamesAreShownWhole(t *testing.T) {
	s := newStage(t, 120, 30)
	s.acquire("long:"+strings.Repeat("x", 10_000)+":end", "pod", time.Minute)
	l := s.line("long:")
	if !strings.Contains(l, "…") || !strings.Contains(l, ":end") || printable.Width(l) > 120 {
		t.Errorf("got %s", l)
	}
}

// 500 random sizes, in the middle of everything: no crash, no torn line.
func TestResizes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	s := hostileStage(t, 120, 40, false)
	keys := []string{"enter", "esc", "v", "f", "?", "@", "y", "g", "space", "left", "right", "up", "down", "pgdown", "home", "end", "+", "-", "[", "K", "T", "/", "o", "ctrl+t"}
	profiles := []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor}
	for i := range 500 {
		s.send(tea.WindowSizeMsg{Width: 1 + r.IntN(250), Height: 1 + r.IntN(70)})
		k := keys[r.IntN(len(keys))]
		s.press(k)
		if i%7 == 0 {
			s.colours(profiles[r.IntN(len(profiles))])
		}
		if i%11 == 0 {
			s.pass(time.Duration(r.IntN(2000)) * time.Millisecond)
		}
		clean(t, s, k)
	}
}
