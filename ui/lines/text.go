package lines

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"
)

// Widths of the columns of a text line, in cells. A column begins narrow and
// grows with what it has to hold, up to its bound; what is longer stays whole
// (a key, so that it can be searched for) or is shortened in its middle (a
// token, which is long and whose holder alone needs all of it).
const (
	keyMin, keyMax     = 20, 44
	ownerMin, ownerMax = 8, 24
	detailWidth        = 40
	wordWidth          = 15
	longest            = 400 // cells of one untrusted text
)

// text lays lines out for people. Its columns only grow, so that the eye finds
// them again.
type text struct {
	style      Style
	key, owner int
	day        string
	explained  map[string]bool // rules
}

func newText(style Style) *text {
	return &text{style: style, key: keyMin, owner: ownerMin, explained: make(map[string]bool)}
}

// mark is a glyph with its ASCII stand-in and its colour (an SGR parameter).
type mark struct {
	glyph, ascii string
	sgr          string
}

// marks are the signs of the screen.
var marks = map[model.Change]mark{
	model.Found:         {"•", ".", "36"},
	model.Acquired:      {"▶", "+", "32"},
	model.Renewed:       {"↻", "=", "36"},
	model.Shortened:     {"↺", "<", "33"},
	model.ExpiryAdded:   {"◔", "t", "36"},
	model.ExpiryRemoved: {"∞", "8", "33"},
	model.Recount:       {"⊕", "n", "36"},
	model.Overdue:       {"✖", "!", "31"},
	model.Released:      {"○", "-", "34"},
	model.Expired:       {"✖", "x", "31"},
	model.Overwritten:   {"⇄", "%", "35"},
	model.Replaced:      {"⇄", "%", "35"},
	model.Evicted:       {"⊘", "e", "31"},
	model.Flushed:       {"⊘", "f", "31"},
	model.Renamed:       {"→", ">", "35"},
	model.Lost:          {"?", "?", "33"},
}

// transition appends a line as people read it:
//
//	12:04:30.801  ✖ EXPIRED         lock:invoice:42       51be…0d2a  held 5.000 s, never renewed   event +0.8 ms
func (t *text) transition(b []byte, tr *model.Transition) []byte {
	b = t.date(b, tr.At)
	m := marks[tr.Change]
	word := t.glyph(m.glyph, m.ascii) + " " + pad(strings.ToUpper(tr.Change.String()), wordWidth)
	key, token := t.shown(tr.Key.Name), t.token(tr.Owner)
	t.key = grow(t.key, key, keyMax)
	t.owner = grow(t.owner, token, ownerMax)
	detail := pad(t.plain(transitionDetail(tr, t)), detailWidth)
	b = fmt.Appendf(b, "%s  %s  %s  %s  %s  %s\n", clock(tr.At), t.paint(word, m.sgr),
		pad(key, t.key), pad(token, t.owner), detail, t.paint(t.plain(evidence(tr)), "2"))
	return b
}

// status appends a line that begins with "# ", so that it can be left out.
func (t *text) status(b []byte, h *model.Health) []byte {
	b = t.date(b, h.At)
	line := fmt.Sprintf("# %s  %s %s", clock(h.At), t.shown(h.Node), string(h.State))
	if d := statusDetail(h); d != "" {
		line += ": " + t.shown(d)
	}
	if h.State == model.StateGap {
		line += fmt.Sprintf(" (blind from %s to %s)", clock(h.From), clock(h.To))
	}
	return append(append(b, t.paint(t.plain(line), "2")...), '\n')
}

func (t *text) note(b []byte, s string) []byte {
	return append(append(b, t.paint("# "+t.shown(s), "2")...), '\n')
}

// finding appends a line that begins with "# " like a status. The first one of a
// rule is followed by what the rule means and does not prove: a finding is
// easily taken for a verdict.
func (t *text) finding(b []byte, f *model.Finding) []byte {
	line := fmt.Sprintf("# %s  %s  %s", pad(f.Rule.Severity.String(), len("critical")), pad(f.Rule.Name, 16), pad(t.shown(f.Key.Name), t.key))
	if f.Owner.Known {
		line += "  " + t.token(f.Owner)
	}
	if f.Detail != "" {
		line += "  " + t.shown(f.Detail)
	}
	b = append(append(b, t.paint(t.plain(line), severityInk[f.Rule.Severity])...), '\n')
	if t.explained[f.Rule.Name] {
		return b
	}
	t.explained[f.Rule.Name] = true
	for _, more := range []string{f.Rule.Means, f.Rule.NotProof, f.Rule.Next} {
		if more != "" {
			b = append(append(append(b, "#           "...), t.paint(more, "2")...), '\n')
		}
	}
	return b
}

// severityInk is the colour of a severity (an SGR parameter).
var severityInk = map[model.Severity]string{model.Info: "36", model.Warning: "33", model.Critical: "31"}

// worker appends what a worker tells of itself, by its own clock.
func (t *text) worker(b []byte, w *model.WorkerEvent) []byte {
	b = t.date(b, w.At)
	line := fmt.Sprintf("%s  %s  %s  %s", clock(w.At), pad("  "+t.shown(w.Event), wordWidth+2),
		pad(t.shown(w.Key), t.key), pad(t.shown(w.Pod), t.owner))
	if w.Outcome != "" {
		line += "  " + t.shown(w.Outcome)
	}
	if w.Fence != nil {
		line += "  fence " + strconv.FormatInt(*w.Fence, 10)
	}
	if w.StopMs != nil {
		line += fmt.Sprintf("  stopped after %d ms", *w.StopMs)
	}
	if w.Detail != "" {
		line += "  " + t.shown(w.Detail)
	}
	line += fmt.Sprintf("  (%s, %s, its clock +%d ms)", t.shown(w.JobID), t.shown(w.ExecutionID), w.ElapsedMs)
	return append(append(b, t.plain(line)...), '\n')
}

// date tells the day where it is another than the line's before, so that a
// watch over night can be read in the morning.
func (t *text) date(b []byte, at model.Instant) []byte {
	day := at.String()
	if len(day) < len("2006-01-02") || day[:10] == t.day {
		return b
	}
	if day[:10] < t.day { // a late line of the day before; its own clock time tells it
		return b
	}
	t.day = day[:10]
	return append(append(b, t.paint("# "+t.day+" UTC, the server's clock", "2")...), '\n')
}

// token shows an owner, shortened in its middle when it is long. An owner that
// nobody read is "?".
func (t *text) token(o model.Owner) string {
	if !o.Known {
		return "?"
	}
	if t.style.Alias != nil {
		if name := t.style.Alias(o.Token); name != "" {
			return t.printer().Cut(name, ownerMax)
		}
	}
	if o.Token == "" {
		return `""`
	}
	return t.printer().Middle(o.Token, ownerMax)
}

func (t *text) printer() printable.Printer { return printable.Printer{ASCII: t.style.ASCII} }

// shown makes untrusted text harmless and bounds its length.
func (t *text) shown(s string) string { return t.printer().Cut(s, longest) }

func (t *text) glyph(glyph, ascii string) string {
	if t.style.ASCII {
		return ascii
	}
	return glyph
}

// plain replaces our own non-ASCII marks where only ASCII is wanted.
func (t *text) plain(s string) string {
	if !t.style.ASCII {
		return s
	}
	return asciiMarks.Replace(s)
}

var asciiMarks = strings.NewReplacer("…", "..", "±", "+-", "µ", "u")

func (t *text) paint(s, sgr string) string {
	if !t.style.Color || sgr == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// clock is the time of day on the server's clock, UTC, in milliseconds.
func clock(i model.Instant) string {
	if i.IsZero() {
		return "--:--:--.---"
	}
	return i.Time().Truncate(time.Millisecond).Format("15:04:05.000")
}

// grow is the width that a column needs for s, within its bound.
func grow(width int, s string, bound int) int {
	return max(width, min(printable.Width(s), bound))
}

func pad(s string, width int) string {
	if n := width - printable.Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}
