package ui

import (
	"leasetop/model"

	tea "charm.land/bubbletea/v2"
)

// workerMsg brings a line that a worker told of itself.
type workerMsg struct{ event model.WorkerEvent }

// demoEndedMsg tells that the demo is over.
type demoEndedMsg struct{ err error }

// maxWorkerEvents bounds what is kept; the oldest half is given up.
const maxWorkerEvents = 4096

// awaitWorker waits for the next worker line; nil when there are none to come.
func (m *Model) awaitWorker() tea.Cmd {
	events, ctx := m.cfg.Workers, m.ctx
	if events == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case e, ok := <-events:
			if ok {
				return workerMsg{e}
			}
		case <-ctx.Done():
		}
		return nil
	}
}

func (m *Model) onWorker(msg workerMsg) tea.Cmd {
	if len(m.workers) >= maxWorkerEvents {
		m.workers = append(m.workers[:0], m.workers[maxWorkerEvents/2:]...)
	}
	m.workers = append(m.workers, msg.event)
	return m.awaitWorker()
}

// startDemo runs the demo beside the screen; one at a time.
func (m *Model) startDemo() tea.Cmd {
	if m.demo {
		m.say(note, "the demo is running")
		return nil
	}
	m.demo = true
	start, ctx := m.cfg.StartDemo, m.ctx
	m.say(note, "demo started: it writes under lease-demo: and removes what it wrote")
	return func() tea.Msg { return demoEndedMsg{start(ctx)} }
}

func (m *Model) onDemoEnd(msg demoEndedMsg) {
	m.demo = false
	if msg.err != nil {
		m.say(bad, "demo: "+m.names.text.String(msg.err.Error()))
		return
	}
	m.say(note, "the demo is over")
}
