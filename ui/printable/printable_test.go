package printable

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestString(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"lock:invoice:42", "lock:invoice:42"},
		{"a b", "a b"},
		{`a\x1b`, `a\\x1b`},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"\x1b]52;c;aGk=\x07", `\x1b]52;c;aGk=\x07`},
		{"a\nb\r\t\x00\x7f", `a\x0ab\x0d\x09\x00\x7f`},
		{"\u009b31m", `\u009b31m`},
		{"\x9b31m", `\x9b31m`},
		{"\xff\xfe", `\xff\xfe`},
		{"\xe2\x82", `\xe2\x82`},
		{"user\u202egnp.exe", `user\u202egnp.exe`},
		{"\u2066a\u2069\u200e\u061c", `\u2066a\u2069\u200e\u061c`},
		{"a\u200bb\u200c\u200d\u2060\ufeff\u00ad", `a\u200bb\u200c\u200d\u2060\ufeff\u00ad`},
		{"\u2028\u2029\u00a0\u3000", `\u2028\u2029\u00a0\u3000`},
		{"\U000e0041", `\U000e0041`},
		{"\ufffd", `\ufffd`},
		{"\u3164\u2800\u034f", `\u3164\u2800\u034f`},
		{"préparé", "préparé"},
		{"e\u0301", "e\u0301"},
		{"\u0301x", `\u0301x`},
		{"a\u0300\u0301\u0302\u0303", "a\u0300\u0301" + `\u0302\u0303`},
		{"錠:注文:🔒", "錠:注文:🔒"},
		{"한글", "한글"},
		{"❤\ufe0f", `❤\ufe0f`},
		{"👩\u200d🚀", `👩\u200d🚀`},
		{"Ключ", "Ключ"},
	} {
		if got := String(c.in); got != c.want {
			t.Errorf("String(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestASCII(t *testing.T) {
	p := Printer{ASCII: true}
	if got, want := p.String("é🔒a"), `\u00e9\U0001f512a`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.Cut("abcdefgh", 5), "abc.."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.Middle("abcdefghij", 8), "abc..hij"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		cols int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abcd", 1, "…"},
		{"abcd", 0, ""},
		{"abcd", -1, ""},
		{"錠錠錠", 6, "錠錠錠"},
		{"錠錠錠", 5, "錠錠…"},
		{"錠錠錠", 4, "錠…"},
		{"ab\x1bcd", 8, `ab\x1bcd`},
		{"ab\x1bcd", 7, `ab\x1b…`},
		{"ab\x1bcd", 6, "ab…"}, // an escape is kept whole or not at all
		{strings.Repeat("x", 10_000), 4, "xxx…"},
	} {
		if got := Cut(c.in, c.cols); got != c.want {
			t.Errorf("Cut(%.40q, %d) = %q, want %q", c.in, c.cols, got, c.want)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		in   string
		cols int
		want string
	}{
		{"7f3a0000000000000000c19e", 9, "7f3a…c19e"},
		{"7f3a", 9, "7f3a"},
		{"abcdefgh", 5, "abcd…"},
		{"lock:錠錠錠錠:end", 10, "lock:…:end"},
		{strings.Repeat("\u202e", 5000) + "end", 16, `\u202e\u202e…end`},
	} {
		if got := Middle(c.in, c.cols); got != c.want {
			t.Errorf("Middle(%.40q, %d) = %q, want %q", c.in, c.cols, got, c.want)
		}
	}
}

// FuzzPrintable holds what the package promises, for any bytes: one line,
// nothing invisible, the same columns however they are counted, and a cut that
// fits.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{
		"lock:a", "\x1b]8;;http://x\x07y\x1b]8;;\x07", "\u202e\u200b錠🔒e\u0301\xff", "🇩🇪🇫🇷", "👍🏽", "1\ufe0f\u20e3",
		"\u0e01\u0e33", "\u1112\u1161\u11ab", "\u0d4ea", "\u0915\u094d\u0937\u093f", "ｶﾞ",
	} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, cols int) {
		cols = min(max(cols, 0), 300)
		whole := String(s)
		check(t, s, whole)
		for _, got := range []string{Cut(s, cols), Middle(s, cols), Printer{ASCII: true}.Middle(s, cols)} {
			check(t, s, got)
			if w := ansi.StringWidth(got); w > cols {
				t.Errorf("%q takes %d columns of %d", got, w, cols)
			}
		}
		if Width(whole) <= cols && Cut(s, cols) != whole {
			t.Errorf("%q fits into %d columns and was cut to %q", whole, cols, Cut(s, cols))
		}
	})
}

func check(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%q became %q: not UTF-8", in, out)
	}
	for _, r := range out {
		if !unicode.IsPrint(r) {
			t.Errorf("%q became %q: %U is not visible", in, out, r)
		}
	}
	if a, b := ansi.StringWidth(out), ansi.StringWidthWc(out); a != b || a != Width(out) {
		t.Errorf("%q became %q: %d columns by cluster, %d by rune, %d by Width", in, out, a, b, Width(out))
	}
}

func BenchmarkCutLong(b *testing.B) {
	s := strings.Repeat("lock:\x1b錠", 2000)
	b.ReportAllocs()
	for b.Loop() {
		Cut(s, 40)
	}
}

func BenchmarkCutPlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Cut("lock:invoice:42", 40)
	}
}
