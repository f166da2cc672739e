package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// page is what fills the body of the screen.
type page uint8

const (
	pageLeases page = iota
	pageTimeline
	pageLanes
	pageFindings
	pageDemo
	pageHelp
	pageCommands
	pageCopy
	pages
)

var pageNames = [pages]string{"leases", "timeline", "lanes", "findings", "demo", "help", "commands sent", "copy"}

// pageSet is some pages.
type pageSet uint16

func on(ps ...page) pageSet {
	var s pageSet
	for _, p := range ps {
		s |= 1 << p
	}
	return s
}

var (
	everywhere = ^on(pageCopy)
	lists      = on(pageLeases, pageLanes)
	pictures   = on(pageTimeline, pageLanes)
	moments    = on(pageLeases, pageTimeline, pageLanes, pageFindings)
)

// binding is one key of some pages: what it does, and its words in help and in
// the line of hints.
type binding struct {
	keys string // as Bubble Tea spells them, separated by blanks
	show string // as people read them
	hint string // one word for the line of hints; "": not there
	help string
	// sorts is the column that it sorts by, else "".
	sorts string
	on    pageSet
	do    func(*Model) tea.Cmd
	when  func(*Model) bool // nil: always
	key   key.Binding       // made of keys, show and help
}

// act makes an action of a method that has no command.
func act(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { f(m); return nil }
}

func move(delta int) func(*Model) tea.Cmd {
	return act(func(m *Model) { m.move(delta) })
}

// bindings is every key of the program. The first that fits wins; help lists
// them in this order.
var bindings []binding

func init() { bindings = allBindings() }

func allBindings() []binding {
	all := slices.Concat(demoKeys(), moving(), looking(), managing())
	for i := range all {
		b := &all[i]
		b.key = key.NewBinding(key.WithKeys(strings.Fields(b.keys)...), key.WithHelp(b.show, b.help))
	}
	return all
}

func moving() []binding {
	return []binding{
		{keys: "up k", show: "↑ k", help: "line up", on: everywhere, do: move(-1)},
		{keys: "down j", show: "↓ j", help: "line down", on: everywhere, do: move(1)},
		{keys: "pgup ctrl+b ctrl+u", show: "PgUp", help: "page up", on: everywhere, do: act(func(m *Model) { m.move(-m.pageful()) })},
		{keys: "pgdown ctrl+f ctrl+d", show: "PgDn", help: "page down", on: everywhere, do: act(func(m *Model) { m.move(m.pageful()) })},
		{keys: "home", show: "Home", help: "back in time: the oldest change kept", on: moments, do: act((*Model).stepOldest), when: (*Model).inPast},
		{keys: "end", show: "End", help: "back in time: return to now", on: moments, do: act((*Model).thaw), when: (*Model).inPast},
		{keys: "home", show: "Home", help: "first line", on: everywhere, do: move(-1 << 30)},
		{keys: "end", show: "End", help: "last line", on: everywhere, do: move(1 << 30)},
	}
}

func looking() []binding {
	return []binding{
		{keys: "/", show: "/", hint: "filter", help: "filter: words, !not, owner:, state:, format:, node:, ttl<5s, held>1h, renewed>3", on: lists, do: act((*Model).openPrompt)},
		{keys: "enter", show: "⏎", hint: "timeline", help: "timeline of the key; on a group: fold it", on: lists | on(pageFindings), do: act((*Model).open)},
		{keys: "v", show: "v", hint: "lanes", help: "lanes: every key a row, time runs to the right", on: on(pageLeases, pageTimeline, pageFindings), do: act(func(m *Model) { m.turnTo(pageLanes) })},
		{keys: "v", show: "v", hint: "leases", help: "back to the table", on: on(pageLanes), do: act(func(m *Model) { m.turnTo(pageLeases) })},
		{keys: "space", show: "space", hint: "freeze", help: "freeze the screen, not the recording; again: now", on: moments, do: act((*Model).toggleFreeze)},
		{keys: "left", show: "←", hint: "in time", help: "back in time, one change", on: moments, do: act(func(m *Model) { m.stepBy(-1) })},
		{keys: "right", show: "→", help: "forth in time, one change", on: moments, do: act(func(m *Model) { m.stepBy(1) })},
		{keys: "f", show: "f", hint: "findings", help: "findings: what looks wrong, and what that does not prove", on: moments &^ on(pageFindings), do: act(func(m *Model) { m.turnTo(pageFindings) })},
		{keys: "o", show: "o", hint: "this owner", help: "all leases of the selected owner; again: all owners", on: moments, do: act((*Model).toggleOwner)},
		{keys: "g", show: "g", hint: "group", help: "group by prefix; again: one list", on: lists, do: act((*Model).toggleGroups)},
		{keys: "+ =", show: "+", hint: "zoom", help: "less time on the screen", on: pictures, do: act(func(m *Model) { m.frame().zoom(-1) })},
		{keys: "- _", show: "-", help: "more time on the screen", on: pictures, do: act(func(m *Model) { m.frame().zoom(1) })},
		{keys: "[ shift+left", show: "[", help: "earlier times", on: pictures, do: act(func(m *Model) { m.frame().shift(1) })},
		{keys: "] shift+right", show: "]", help: "later times", on: pictures, do: act(func(m *Model) { m.frame().shift(-1) })},
		{keys: "0", show: "0", help: "to the moment on the screen, at the first zoom", on: pictures, do: act(func(m *Model) { m.frame().reset() })},
	}
}

func managing() []binding {
	out := []binding{
		{keys: "y", show: "y", hint: "copy", help: "copy: key, token, timeline, or the command that releases it safely", on: moments, do: act((*Model).openCopy)},
		{keys: "d", show: "d", hint: "demo", help: "play the demo: two workers, one lease", on: moments, do: (*Model).openDemo, when: func(m *Model) bool { return m.cfg.Demo != nil }},
		{keys: "@", show: "@", help: "the commands that leasetop has sent, and what it has lost", on: everywhere &^ on(pageCommands), do: act(func(m *Model) { m.turnTo(pageCommands) })},
		{keys: "?", show: "?", hint: "help", help: "this help", on: everywhere &^ on(pageHelp), do: act(func(m *Model) { m.turnTo(pageHelp) })},
		{keys: "ctrl+t", show: "^T", help: "colours for a dark or a light background", on: everywhere, do: act((*Model).toggleTheme)},
		{keys: "m", show: "m", help: "mouse: select, scroll and sort, or leave it to the terminal", on: everywhere, do: act(func(m *Model) { m.toggleMouse() })},
		{keys: "ctrl+l", show: "^L", help: "draw the screen anew", on: everywhere, do: func(*Model) tea.Cmd { return tea.ClearScreen }},
		{keys: "ctrl+z", show: "^Z", help: "suspend; fg returns", on: everywhere, do: func(*Model) tea.Cmd { return tea.Suspend }},
		{keys: "esc backspace", show: "esc", help: "back; then clear the filter, the owner, the freeze", on: everywhere, do: act((*Model).back)},
		{keys: "q", show: "q", hint: "quit", help: "quit", on: everywhere, do: func(*Model) tea.Cmd { return tea.Quit }},
	}
	for c := range columns {
		if specs[c].sort != "" {
			out = append(out, binding{keys: specs[c].sort + " shift+" + strings.ToLower(specs[c].sort), show: specs[c].sort,
				help: "sort by " + specs[c].title + "; again: reversed", sorts: specs[c].title, on: lists, do: act(func(m *Model) { m.sortBy(c) })})
		}
	}
	return out
}

// fits reports whether the binding is in force.
func (b *binding) fits(m *Model, p page) bool {
	return b.on&(1<<p) != 0 && (b.when == nil || b.when(m))
}

// press takes a key.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "ctrl+c" && !m.prompt.on {
		return tea.Quit
	}
	switch {
	case m.prompt.on:
		m.typeKey(msg)
		return nil
	case m.page() == pageCopy:
		return m.copyKey(name)
	}
	m.hint.over = true
	for i := range bindings {
		if b := &bindings[i]; b.fits(m, m.page()) && key.Matches(msg, b.key) {
			return b.do(m)
		}
	}
	return nil
}
