package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// demoKeys are the keys of the demo page.
func demoKeys() []binding {
	page := on(pageDemo)
	asked := func(m *Model) bool { return m.demo.asking }
	playing := func(m *Model) bool { return !m.demo.asking }
	out := []binding{
		{keys: "y", show: "y", hint: "play it there", help: "play on this server, which is not on this machine", on: page, do: (*Model).agreeDemo, when: asked},
		{keys: "right enter", show: "→", hint: "step", help: "the next moment; at the last one: play the next step", on: page, do: (*Model).forthDemo, when: playing},
		{keys: "left", show: "←", hint: "back", help: "the moment before", on: page, do: act((*Model).backDemo), when: playing},
		{keys: "space", show: "space", hint: "run", help: "play all steps, or hold on; at the end: from the beginning", on: page, do: (*Model).runDemo, when: playing},
		{keys: "r", show: "r", hint: "again", help: "this scenario from its beginning", on: page, do: (*Model).againDemo, when: playing},
		{keys: "n", show: "n", hint: "next", help: "the next scenario", on: page, do: func(m *Model) tea.Cmd { return m.chooseDemo(m.demo.scenario + 1) }, when: playing},
		{keys: "p", show: "p", help: "the scenario before", on: page, do: func(m *Model) tea.Cmd { return m.chooseDemo(m.demo.scenario - 1) }, when: playing},
		{keys: "t", show: "t", hint: "results", help: "all scenarios, and what held and what did not", on: page, do: act((*Model).toggleResults), when: playing},
	}
	for i := range 10 {
		key := scenarioKey(i)
		b := binding{keys: key, show: key, help: "scenario " + key, on: page, do: func(m *Model) tea.Cmd { return m.chooseDemo(i) },
			when: func(m *Model) bool { return playing(m) && i < len(m.scenarios()) }}
		if i == 9 {
			b.help = "scenario 10"
		}
		out = append(out, b)
	}
	return out
}

// demoHead says in the header where the demo is played.
func (m *Model) demoHead() []piece {
	s := m.cfg.Demo.Stage()
	words := []string{m.names.text.Cut(s.Where, 60)}
	if s.Pausing != "" {
		words = append(words, s.Pausing)
	}
	return []piece{{odd, "demo"}, {dim, " on " + strings.Join(words, ", ")}}
}
