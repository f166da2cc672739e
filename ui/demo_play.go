package ui

import (
	"context"
	"slices"
	"time"

	"leasetop/model"
	"leasetop/model/overlap"

	tea "charm.land/bubbletea/v2"
)

// The paces at which steps follow each other by themselves.
const (
	byHand    time.Duration = 0
	slowly                  = 1500 * time.Millisecond // before somebody has pressed a key
	quickly                 = 600 * time.Millisecond
	demoLooks               = 100 * time.Millisecond // between two looks at a step that takes long
)

// demoTold is what a run has come to: it was prepared, or a step is over. Results
// of a turn that is not the present one are of a run that was given up.
type demoTold struct {
	turn   uint64
	moment DemoMoment
	err    error
}

// demoLooked is a step that is not over yet.
type demoLooked struct {
	turn   uint64
	moment DemoMoment
}

// demoDue is the time for the next step of a run that plays by itself.
type demoDue struct{ turn uint64 }

// recorded is a moment and when it was, so that the lease can be shown as it
// was then.
type recorded struct {
	DemoMoment
	at model.Instant
}

// demoPage is the state of the demo page.
type demoPage struct {
	begun    bool
	asking   bool // the server is not on this machine: somebody has to agree
	agreed   bool
	scenario int // index of Scenarios
	turn     uint64
	cancel   context.CancelFunc // of the run
	ctx      context.Context    // of the run, given to the commands
	busy     bool               // a preparation or a step is on
	pace     time.Duration
	moments  []recorded
	at       int         // index of the moment on the screen
	now      *DemoMoment // of a step that is not over; nil: none
	err      error
	clock    overlap.Clock // of both workers
	key      string        // that they work on
	heard    [2]int        // lines of each worker that are kept beside the lease
	table    bool          // the results are on the screen
	results  map[string]DemoMoment
}

// openDemo turns to the demo page; the first time it begins with the first
// scenario.
func (m *Model) openDemo() tea.Cmd {
	m.thaw()
	m.turnTo(pageDemo)
	if m.demo.begun || m.demo.asking {
		return nil
	}
	m.demo.pace = slowly
	if m.cfg.Scenario == "" {
		m.say(note, "the demo writes under lease-demo: only, and removes what it wrote")
	}
	return m.beginDemo(m.demo.scenario)
}

// beginDemo plays a scenario from its beginning; the run before is given up.
func (m *Model) beginDemo(scenario int) tea.Cmd {
	d := &m.demo
	if m.cfg.Demo.Stage().Foreign && !d.agreed {
		d.asking, d.scenario = true, scenario
		return nil
	}
	if d.cancel != nil {
		d.cancel()
	}
	results, pace, turn := d.results, d.pace, d.turn
	if results == nil {
		results = map[string]DemoMoment{}
	}
	*d = demoPage{begun: true, busy: true, agreed: d.agreed, scenario: scenario, results: results, pace: pace, turn: turn + 1}
	d.ctx, d.cancel = context.WithCancel(m.ctx)
	player, ctx, name, turn := m.cfg.Demo, d.ctx, m.scenarios()[scenario].Name, d.turn
	return func() tea.Msg {
		moment, err := player.Begin(ctx, name)
		return demoTold{turn, moment, err}
	}
}

// stepDemo plays the next step.
func (m *Model) stepDemo() tea.Cmd {
	d := &m.demo
	if d.busy || d.err != nil || d.over() {
		return nil
	}
	d.turn++
	d.busy, d.now, d.table = true, nil, false
	d.at = len(d.moments) - 1
	player, ctx, turn := m.cfg.Demo, d.ctx, d.turn
	return tea.Batch(m.lookSoon(), func() tea.Msg {
		moment, err := player.Step(ctx)
		return demoTold{turn, moment, err}
	})
}

// lookSoon looks at a step that takes long.
func (m *Model) lookSoon() tea.Cmd {
	player, turn := m.cfg.Demo, m.demo.turn
	return tea.Tick(demoLooks, func(time.Time) tea.Msg { return demoLooked{turn, player.Now()} })
}

func (m *Model) onDemoLooked(msg demoLooked) tea.Cmd {
	d := &m.demo
	if msg.turn != d.turn || !d.busy {
		return nil
	}
	d.now = &msg.moment
	m.hearDemo(&msg.moment)
	return m.lookSoon()
}

func (m *Model) onDemoTold(msg demoTold) tea.Cmd {
	d := &m.demo
	if msg.turn != d.turn {
		return nil
	}
	d.busy, d.now = false, nil
	if msg.err != nil {
		d.err, d.pace = msg.err, byHand
		return nil
	}
	m.hearDemo(&msg.moment)
	watching := d.at == len(d.moments)-1
	d.moments = append(d.moments, recorded{msg.moment, m.now})
	if watching {
		d.at = len(d.moments) - 1
	}
	if msg.moment.Verdict != nil {
		d.results[m.scenarios()[d.scenario].Name] = msg.moment
	}
	if d.over() {
		d.pace = byHand
	}
	return m.demoGoesOn()
}

// demoGoesOn has the next step follow by itself, where that is wanted.
func (m *Model) demoGoesOn() tea.Cmd {
	d := &m.demo
	if d.pace == byHand || d.busy || d.over() {
		return nil
	}
	turn := d.turn
	return tea.Tick(d.pace, func(time.Time) tea.Msg { return demoDue{turn} })
}

func (m *Model) onDemoDue(msg demoDue) tea.Cmd {
	if msg.turn != m.demo.turn || m.demo.pace == byHand {
		return nil
	}
	return m.stepDemo()
}

// over reports whether all steps are played.
func (d *demoPage) over() bool {
	return len(d.moments) > 0 && d.moments[len(d.moments)-1].Verdict != nil
}

// forthDemo shows the next moment that was recorded; at the last one it plays
// the next step, and behind the last step come the results.
func (m *Model) forthDemo() tea.Cmd {
	d := &m.demo
	if d.asking {
		return nil
	}
	d.pace = byHand
	switch {
	case d.table:
	case d.at < len(d.moments)-1:
		d.at++
	case d.over() || d.err != nil:
		d.table = true
	default:
		return m.stepDemo()
	}
	return nil
}

// backDemo shows the moment before.
func (m *Model) backDemo() {
	d := &m.demo
	d.pace = byHand
	if d.table {
		d.table = false
		return
	}
	d.at = max(0, d.at-1)
}

// runDemo plays the steps that are left, or holds on; at the end it plays from
// the beginning.
func (m *Model) runDemo() tea.Cmd {
	d := &m.demo
	switch {
	case d.asking:
		return nil
	case d.err != nil || d.over():
		return m.againDemo()
	case d.pace == quickly:
		d.pace = byHand
		return nil
	}
	d.pace, d.table = quickly, false
	d.at = len(d.moments) - 1
	return m.stepDemo()
}

func (m *Model) againDemo() tea.Cmd {
	if m.demo.asking {
		return nil
	}
	return m.chooseDemo(m.demo.scenario)
}

// chooseDemo begins a scenario, which plays by itself until a key is pressed.
func (m *Model) chooseDemo(i int) tea.Cmd {
	n := len(m.scenarios())
	if n == 0 || m.demo.asking {
		return nil
	}
	m.demo.pace = slowly
	return m.beginDemo((i%n + n) % n)
}

// agreeDemo is the answer to the question whether to play on another machine.
func (m *Model) agreeDemo() tea.Cmd {
	d := &m.demo
	d.asking, d.agreed, d.pace = false, true, slowly
	return m.beginDemo(d.scenario)
}

func (m *Model) toggleResults() { m.demo.table, m.demo.pace = !m.demo.table, byHand }

func (m *Model) scenarios() []DemoScenario { return m.cfg.Demo.Scenarios() }

// demoMoment is the moment on the screen, and whether it is now.
func (m *Model) demoMoment() (recorded, bool) {
	d := &m.demo
	last := len(d.moments) - 1
	switch {
	case d.now != nil && d.at >= last:
		return recorded{*d.now, m.now}, true
	case last < 0:
		return recorded{at: m.now}, true
	}
	r := d.moments[max(0, min(d.at, last))]
	if d.at >= last {
		r.at = m.now
	}
	return r, d.at >= last
}

// stepShown is the number of the step that the screen tells of, from 1; 0 before
// the first.
func (m *Model) stepShown() int {
	d := &m.demo
	if d.busy && d.at >= len(d.moments)-1 && len(d.moments) > 0 {
		return len(d.moments)
	}
	if d.at < len(d.moments) {
		return d.moments[d.at].Step
	}
	return 0
}

// firstDemo begins with the scenario that the program was started for.
func (m *Model) firstDemo() tea.Cmd {
	if m.cfg.Demo == nil || m.cfg.Scenario == "" {
		return nil
	}
	m.demo.scenario = max(0, slices.IndexFunc(m.scenarios(), func(s DemoScenario) bool { return s.Name == m.cfg.Scenario }))
	return m.openDemo()
}

// lookDemo notes what the lease in view needs of the clock.
func (m *Model) lookDemo(now model.Instant) {
	r, live := m.demoMoment()
	if l := m.ledger.Lease(r.Lease.Key); live && l != nil && len(l.Tenures) > 0 {
		if left := l.Deadline().Sub(now); l.Deadline() != 0 && left >= 0 {
			m.soonest = max(left, time.Microsecond)
		}
		return
	}
	m.flagged = live && m.demo.begun
}

// hearDemo keeps what the workers told, so that it lies beside their lease on
// the timeline, too.
func (m *Model) hearDemo(moment *DemoMoment) {
	m.demo.clock, m.demo.key = moment.Clock, moment.Lease.Key.Name
	for i, w := range []*DemoWorker{&moment.A, &moment.B} {
		for _, e := range w.Lines[min(m.demo.heard[i], len(w.Lines)):] {
			m.keepWorker(e)
		}
		m.demo.heard[i] = len(w.Lines)
	}
}
