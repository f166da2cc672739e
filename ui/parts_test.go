package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		d                      time.Duration
		span, countdown, about string
	}{
		{0, "0 ms", "0.000 s", "0 ms"},
		{449 * time.Microsecond, "0.4 ms", "0.000 s", "0.4 ms"},
		{112 * time.Millisecond, "112 ms", "0.112 s", "112 ms"},
		{4999700 * time.Microsecond, "4.999 s", "4.999 s", "5.00 s"},
		{9999999 * time.Microsecond, "9.999 s", "9.999 s", "10.00 s"},
		{28 * time.Second, "28.00 s", "28 s", "28.00 s"},
		{59999 * time.Millisecond, "59.99 s", "59 s", "1m00s"},
		{12*time.Minute + 31*time.Second, "12m31s", "12m31s", "12m31s"},
		{3*time.Hour + 4*time.Minute, "3h04m", "3h04m", "3h04m"},
		{76 * time.Hour, "3d04h", "3d04h", "3d04h"},
		{100 * 24 * time.Hour, "100d", "100d", "100d"},
		{999 * time.Millisecond, "999 ms", "0.999 s", "1.00 s"},
		{999 * time.Microsecond, "0.9 ms", "0.000 s", "1 ms"},
		{-1500 * time.Millisecond, "-1.500 s", "0.000 s", "-1.500 s"},
		{model.NoDuration, "?", "0.000 s", "?"},
	} {
		if got := span(c.d); got != c.span {
			t.Errorf("span(%v) = %q, want %q", c.d, got, c.span)
		}
		if got := countdown(c.d); got != c.countdown {
			t.Errorf("countdown(%v) = %q, want %q", c.d, got, c.countdown)
		}
		if got := about(c.d); got != c.about {
			t.Errorf("about(%v) = %q, want %q", c.d, got, c.about)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(1204), "1,204"}, {count(uint64(1234567)), "1,234,567"},
		{rate(0), "0"}, {rate(0.42), "0.4"}, {rate(18.4), "18"}, {rate(1203.6), "1,204"},
		{briefly(2 * time.Second), "2s"}, {briefly(500 * time.Millisecond), "500ms"}, {briefly(time.Minute), "1m"},
		{briefly(90 * time.Second), "1m30s"}, {briefly(time.Hour), "1h"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Every sign takes one column, however a terminal counts; in ASCII it is ASCII.
func TestGlyphsAreOneColumn(t *testing.T) {
	for name, g := range map[string]*glyphs{"unicode": &unicodeGlyphs, "ascii": &asciiGlyphs} {
		for _, s := range strings.Fields(strings.NewReplacer("[", " ", "]", " ", "{", " ", "}", " ", ":", " : ").Replace(fmt.Sprintf("%v", *g))) {
			if len(s) > 1 && s[0] < 0x80 { // the number of a change, or dots
				continue
			}
			if ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 {
				t.Errorf("%s: %q takes %d or %d columns", name, s, ansi.StringWidth(s), ansi.StringWidthWc(s))
			}
			if name == "ascii" && s[0] >= 0x80 {
				t.Errorf("%q is no ASCII", s)
			}
		}
	}
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		w, h, banner int
		strip        bool
		want         string
	}{
		{120, 40, 0, true, "head 0+2 banner 2+0 title 3+1 body 4+28 strip 33+5 hints 39"},
		{120, 30, 0, true, "head 0+2 banner 2+0 title 3+1 body 4+18 strip 23+5 hints 29"},
		{80, 24, 0, true, "head 0+2 banner 2+0 title 3+1 body 4+14 strip 19+3 hints 23"},
		{80, 24, 2, true, "head 0+2 banner 2+2 title 5+1 body 6+12 strip 19+3 hints 23"},
		{80, 24, 0, false, "head 0+2 banner 2+0 title 3+1 body 4+18 strip 0+0 hints 23"},
		{60, 15, 0, true, "head 0+2 banner 2+0 title 2+1 body 3+9 strip 12+2 hints 14"},
		{250, 70, 0, true, "head 0+2 banner 2+0 title 3+1 body 4+55 strip 60+8 hints 69"},
	} {
		p := planFor(c.w, c.h, c.banner, c.strip)
		got := fmt.Sprintf("head %d+%d banner %d+%d title %d+%d body %d+%d strip %d+%d hints %d", p.head.top, p.head.h, p.banner.top,
			p.banner.h, p.title.top, p.title.h, p.body.top, p.body.h, p.strip.top, p.strip.h, p.hints.top)
		if got != c.want {
			t.Errorf("%dx%d: got\n%s, want\n%s", c.w, c.h, got, c.want)
		}
	}
}

func TestColumnsGiveWay(t *testing.T) {
	for _, c := range []struct {
		w    int
		want string
	}{
		{60, "KEY OWNER TTL LEFT"},
		{80, "KEY OWNER TTL LEFT LAST CHANGE"},
		{100, "KEY OWNER TTL LEFT HELD LAST CHANGE"},
		{120, "KEY OWNER TTL LEFT HELD RENEWED GEN LAST CHANGE"},
		{160, "KEY OWNER TTL LEFT HELD RENEWED GEN FORMAT LAST CHANGE"},
	} {
		var got []string
		for i, w := range fit(c.w, 20, 9) {
			if w > 0 {
				got = append(got, specs[i].title)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%d columns: got %s, want %s", c.w, s, c.want)
		}
	}
	for w := leastWidth; w <= 250; w++ {
		for _, key := range []int{0, 5, 20, widestKey} {
			sum, n := gutter, 0
			ws := fit(w, key, shortToken)
			for _, c := range ws {
				if c > 0 {
					sum += c
					n++
				}
			}
			if sum += (n - 1) * between; sum > w {
				t.Errorf("columns take %d of %d (names of %d): %v", sum, w, key, ws)
			}
			if ws[colKey] == 0 || ws[colOwner] == 0 || ws[colTTL] == 0 {
				t.Errorf("%d columns: %v", w, ws)
			}
		}
	}
}

// An owner's look comes from the token alone, and eight owners are told apart
// by their marks.
func TestBadges(t *testing.T) {
	if got := badgeOf("7f3a"); got != (badge{mark: 3, ink: owner0 + 3}) {
		t.Errorf("an owner looks other than in earlier releases: %+v", got)
	}
	seen := map[int]int{}
	inksSeen := map[style]int{}
	for i := range 800 {
		b := badgeOf(fmt.Sprintf("pod-%d", i))
		seen[b.mark]++
		inksSeen[b.ink]++
	}
	if len(seen) != marks || len(inksSeen) != int(inks) {
		t.Fatalf("%d marks, %d colours in use", len(seen), len(inksSeen))
	}
	for mark, n := range seen {
		if n < 50 {
			t.Errorf("mark %d serves %d of 800 owners", mark, n)
		}
	}
}

// Each depth of colour spells styles in its own way, and without colours only
// weight is left.
func TestThemes(t *testing.T) {
	for _, c := range []struct {
		profile colorprofile.Profile
		style   style
		want    string
	}{
		{colorprofile.TrueColor, bad, "\x1b[38;2;244;112;103m"},
		{colorprofile.ANSI256, bad, "\x1b[38;5;203m"},
		{colorprofile.ANSI, bad, "\x1b[91m"},
		{colorprofile.ASCII, bad, "\x1b[1m"},
		{colorprofile.ASCII, dim, "\x1b[2m"},
		{colorprofile.ASCII, plain | picked, "\x1b[7m"},
		{colorprofile.ANSI, plain | picked, "\x1b[7m"},
		{colorprofile.ANSI256, plain | picked, "\x1b[48;5;236m"},
		{colorprofile.ASCII, plain, ""},
	} {
		if got := newTheme(c.profile, true).seq[c.style]; got != c.want {
			t.Errorf("%v style %d: got %q, want %q", c.profile, c.style, got, c.want)
		}
	}
	for s := range styles {
		if s&roleMask >= roles {
			continue
		}
		if seq := newTheme(colorprofile.ASCII, true).seq[s]; strings.Contains(seq, "3") || strings.Contains(seq, "4") {
			t.Errorf("a colour without colours: %q", seq)
		}
	}
}

// A bar is as wide as it should be in every kind of terminal, never empty while
// time is left, and full at the grant.
func TestBar(t *testing.T) {
	for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.TrueColor} {
		for left := time.Duration(0); left <= 6*time.Second; left += 37 * time.Millisecond {
			p := newPainter(newTheme(profile, true), &unicodeGlyphs, 40, 1)
			p.bar(left, 5*time.Second, 20, barFull)
			text := ansi.Strip(string(p.out))
			if printable.Width(text) != 20 {
				t.Fatalf("%v left: %d columns %q", left, printable.Width(text), text)
			}
			full := strings.Count(text, "█")
			if left > 0 && strings.Trim(text, " ░") == "" || left >= 5*time.Second && full != 20 || left < 4*time.Second && full == 20 {
				t.Errorf("%v left: %q", left, text)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	got := wrap("one two three four", 9)
	if strings.Join(got, "|") != "one two|three|four" {
		t.Errorf("got %q", got)
	}
}
