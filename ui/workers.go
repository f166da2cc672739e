package ui

import (
	"leasetop/model"

	tea "charm.land/bubbletea/v2"
)

// workerMsg brings a line that a worker told of itself.
type workerMsg struct{ event model.WorkerEvent }

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
	m.keepWorker(msg.event)
	return m.awaitWorker()
}

func (m *Model) keepWorker(e model.WorkerEvent) {
	if len(m.workers) >= maxWorkerEvents {
		m.workers = append(m.workers[:0], m.workers[maxWorkerEvents/2:]...)
	}
	m.workers = append(m.workers, e)
}

// workerFaults is what of the workers' lines could not be read. It is called
// from commands.
func (m *Model) workerFaults() string {
	if m.cfg.WorkerFaults == nil {
		return ""
	}
	return m.cfg.WorkerFaults()
}
