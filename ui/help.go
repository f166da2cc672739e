package ui

import "strings"

// helpLines are the keys of the page below, and what one has to know to read
// the screen.
func (m *Model) helpLines() []textLine {
	page := m.under()
	out := []textLine{{head: "KEYS"}}
	var keys, names []string // of what sorts: one line for all of them
	for i := range bindings {
		b := &bindings[i]
		switch {
		case !b.fits(m, page):
		case b.sorts != "":
			keys, names = append(keys, b.show), append(names, b.sorts)
		default:
			out = append(out, textLine{term: m.keyLabel(b.show), text: b.help, ink: accent})
		}
	}
	if len(keys) > 0 {
		out = append(out, textLine{term: "A-Z", text: "sort, and again reversed: " + pairs(keys, names), ink: accent})
	}
	out = append(out, textLine{}, textLine{head: "SIGNS"})
	g := m.g
	for _, s := range []struct {
		sign string
		ink  style
		text string
	}{
		{g.late, bad, "overdue: its deadline has passed on the server's clock and the end is not confirmed; or expired"},
		{g.forever, warn, "no expiry: it will not free itself"},
	} {
		out = append(out, textLine{term: s.sign, text: s.text, ink: s.ink})
	}
	out = append(out, m.changeLegend()...)
	out = append(out,
		textLine{term: g.inferred, text: "inferred from two readings, not seen as an event", ink: dim},
		textLine{term: g.waiting, text: "cannot be seen now; what is shown is the last that was", ink: dim},
		textLine{},
		textLine{head: "WHAT IT SAYS, AND WHAT IT DOES NOT"})
	for _, t := range teachings {
		out = append(out, textLine{text: t})
	}
	return out
}

// pairs is "K by KEY, O by OWNER".
func pairs(keys, names []string) string {
	var b strings.Builder
	for i := range keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(keys[i] + " by " + names[i])
	}
	return b.String()
}

// teachings are what an operator must know before acting on the screen.
var teachings = []string{
	"A lease that ends frees the key. It does not stop the worker that held it.",
	"The owner token protects the key: compare, then delete or renew.",
	"A fencing token protects the resource: it must check the number itself.",
	"GEN is our own count of tenures on a key. It is no fencing token.",
	"A deletion names nobody: released says that the key was deleted early, not by whom.",
	"What happened while we could not see is not made up: it is a gap.",
	"Times are the server's clock.",
	"Reading a key past its deadline makes the server delete it a moment",
	"before it would have; --no-touch switches such reads off.",
	"Locks without a prefix need a pattern: leasetop 'my-lock*'",
	"With notifications off, changes show at the next sweep. To switch on what",
	"is missing: --enable-notifications (put back on the way out).",
}
