package ui

import (
	"strings"

	"leasetop/model"

	tea "charm.land/bubbletea/v2"
)

// copying is the menu of what can be copied.
type copying struct{ choices []choice }

// choice is one thing to copy.
type choice struct {
	key  string
	name string
	text string // "": it cannot be copied, why says why
	why  string
}

func (m *Model) openCopy() {
	k, ok := m.selected()
	if !ok {
		m.say(note, "select a key first")
		return
	}
	m.cursor.moved = true
	m.copying.choices = m.choices(k)
	m.turnTo(pageCopy)
}

func (m *Model) choices(k model.Key) []choice {
	token := choice{key: "t", name: "owner token", why: "no token was read"}
	release := choice{key: "r", name: "safe release"}
	if o, ok := m.selectedOwner(); ok {
		token.text = o.Token
		release.text, release.why = m.releaseCommand(k, o.Token)
	} else {
		release.why = token.why
	}
	return []choice{
		{key: "k", name: "key", text: k.Name},
		token,
		{key: "l", name: "timeline as text", text: m.timelineText(k)},
		release,
	}
}

// copyKey takes a key while the menu is open.
func (m *Model) copyKey(name string) tea.Cmd {
	if name == "y" { // yy: the first choice
		name = "k"
	}
	for _, c := range m.copying.choices {
		if c.key != name {
			continue
		}
		m.back()
		if c.text == "" {
			m.say(warn, "not copied: "+c.why)
			return nil
		}
		m.say(good, "copied: "+c.name)
		if m.cfg.Clipboard != nil {
			return m.cfg.Clipboard(c.text)
		}
		return tea.SetClipboard(c.text)
	}
	if name == "esc" || name == "q" || name == "backspace" {
		m.back()
	}
	return nil
}

// releaseCommand is a command line for a person to run elsewhere: it deletes
// the key only while it still holds this very token. leasetop never runs it.
// Where it cannot be made, it says why.
func (m *Model) releaseCommand(k model.Key, token string) (command, why string) {
	l := m.lease(k)
	switch {
	case m.cfg.Masked:
		return "", "tokens are masked, and a fingerprint releases nothing"
	case l == nil || len(l.Tenures) == 0:
		return "", "nobody holds it"
	case strings.ContainsRune(k.Name+token, 0):
		return "", "the key or the token holds a NUL byte, which no shell can pass on"
	case l.Reading != nil && l.Reading.Cut:
		return "", "only a part of the token was read"
	case formatOf(l) != "string":
		return "", "only for locks kept in a string; this one is " + m.names.text.String(formatOf(l))
	}
	cli := m.cfg.Command
	if cli == "" {
		cli = "redis-cli"
	}
	const script = `if redis.call("GET",KEYS[1])==ARGV[1] then return redis.call("DEL",KEYS[1]) else return 0 end`
	return cli + " EVAL " + shellWord(script) + " 1 " + shellWord(k.Name) + " " + shellWord(token), ""
}

// shellWord quotes a word for a POSIX shell. What is not plain text is spelled
// in $'...' (bash, zsh, ksh), so that pasting it can never run anything.
func shellWord(s string) string {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return dollarWord(s)
		}
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func dollarWord(s string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c > 0x7e:
			b.WriteString(`\x`)
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// timelineText is the timeline of a key as lines of text.
func (m *Model) timelineText(k model.Key) string {
	var b strings.Builder
	b.WriteString(m.names.text.String(k.Name) + "\n")
	h := m.history(k)
	for i := range h {
		e := &h[i]
		var before *model.Entry
		if i > 0 {
			before = &h[i-1]
		}
		owner := m.g.none
		if e.Owner.Known {
			owner = m.names.text.String(e.Owner.Token)
		}
		b.WriteString(e.At.String() + "  " + e.Change.String() + "  " + owner + "  " + m.eventWords(e, before) + "  (" + m.proof(e) + ")\n")
	}
	return b.String()
}

// drawCopy draws the menu.
func (m *Model) drawCopy(p *painter, l plan) {
	p.put(plain, "   ")
	p.line(bold, "copy to the clipboard of your terminal (OSC 52)")
	p.end()
	for _, c := range m.copying.choices {
		p.put(plain, "   ")
		p.put(pick(c.text == "", dim, accent), c.key+"  ")
		p.cell(pick(c.text == "", dim, plain), c.name, 18)
		text := c.text
		if i := strings.IndexByte(text, '\n'); i >= 0 && c.key == "l" {
			text = plural(strings.Count(text, "\n")-1, "line", "lines")
		} else {
			text = m.names.text.Cut(text, max(10, p.left()-1))
		}
		p.line(dim, pick(c.text == "", c.why, text))
	}
	p.end()
	for _, t := range wrap("The safe release deletes the key only while it holds this very token. It is for you to run: "+
		"leasetop never writes. It frees the key; it does not stop the worker that holds it.", min(80, m.w-6)) {
		p.put(plain, "   ")
		p.line(dim, t)
	}
	p.fill(l.body.top + l.body.h)
}
