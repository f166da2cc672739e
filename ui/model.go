package ui

import (
	"context"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Model is the screen's whole state, and the only Bubble Tea model.
type Model struct {
	cfg   Config
	ctx   context.Context // of Run, for the demo
	g     *glyphs
	theme *theme
	names names

	w, h    int
	profile colorprofile.Profile
	dark    bool
	light   string // "auto", "light", "dark"
	blurred bool
	mouse   bool

	ledger    *model.Ledger
	inspector *model.Inspector
	counters  model.Counters
	now       model.Instant // the server's clock, as the last message brought it
	live      *book
	record    record
	lastSeq   uint64
	rates     rates
	sending   meter         // of the commands sent
	sums      model.Totals  // of the ledger, for the page that tells them
	summed    model.Instant // when they were last taken
	past      *past         // what is on the screen instead of now; nil: now

	pages    []page // the last one is on the screen
	cursor   cursor
	filter   filter
	prompt   prompt
	owner    model.Owner // of the owner view; not known: none
	timeline timeline
	lanes    window
	findings listing
	found    []Finding
	sought   model.Instant // when the findings were last taken
	looked   model.Instant // when all leases were last looked at
	text     listing       // help and commands
	copying  copying
	notice   notice
	hint     hintOnce

	ticking bool
	chain   uint64
	due     model.Instant // of the next tick
	soonest time.Duration // least time left of the rows in view; 0: nothing counts down
	flagged bool          // a row in view is marked as changed
	refresh model.Instant // when a filter on time was last applied

	ended   bool // the feed is over
	endErr  error
	demo    demoPage
	workers []model.WorkerEvent
	faults  string // what of their lines could not be read
}

// New is a screen that shows nothing yet; Run gives it to Bubble Tea.
func New(cfg Config) *Model {
	m := &Model{cfg: cfg, ctx: context.Background(), g: glyphsFor(cfg.Options.ASCII), dark: true, light: "auto",
		profile: colorprofile.ANSI256, mouse: !cfg.Options.NoMouse,
		ledger: model.NewLedger(cfg.Limits), inspector: model.NewInspector(), live: newBook(), pages: []page{pageLeases},
		prompt: prompt{input: newEditor()}}
	m.names = names{text: printable.Printer{ASCII: cfg.Options.ASCII}, g: m.g, alias: cfg.Alias}
	switch cfg.Options.Theme {
	case "light":
		m.light, m.dark = "light", false
	case "dark":
		m.light = "dark"
	default:
		m.dark = !lightByEnv(cfg.environ())
	}
	if cfg.Options.NoColor {
		m.profile = colorprofile.ASCII
	}
	m.retheme()
	m.lanes.suit(laneWindow)
	m.w, m.h = cfg.Width, cfg.Height
	return m
}

// Init asks the terminal for its background and starts the clock.
func (m *Model) Init() tea.Cmd {
	m.ticking = true
	cmds := []tea.Cmd{m.firstTick(), m.awaitWorker(), m.firstDemo()}
	if m.light == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// Update is the router: one message, one method.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case batchMsg:
		m.take(msg)
	case tickMsg:
		cmd = m.onTick(msg)
	case feedEndedMsg:
		cmd = m.onFeedEnd(msg)
	case workerMsg:
		cmd = m.onWorker(msg)
	case demoTold:
		cmd = m.onDemoTold(msg)
	case demoLooked:
		cmd = m.onDemoLooked(msg)
	case demoDue:
		cmd = m.onDemoDue(msg)
	case tea.KeyPressMsg:
		cmd = m.press(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseClickMsg:
		cmd = m.click(tea.Mouse(msg))
	case tea.MouseWheelMsg:
		m.wheel(tea.Mouse(msg))
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		m.onProfile(msg.Profile)
	case tea.BackgroundColorMsg:
		m.onBackground(msg.IsDark())
	case tea.FocusMsg:
		m.blurred = false
		cmd = m.firstTick()
	case tea.BlurMsg:
		m.blurred = true
	case tea.ResumeMsg:
		cmd = m.firstTick()
	}
	m.settle()
	return m, tea.Batch(cmd, m.hasten())
}

// View is the frame: a pure function of the state.
func (m *Model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = "leasetop"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.Cursor = m.textCursor()
	return v
}

// settle brings what depends on the state and the size up to date before it is
// drawn.
func (m *Model) settle() {
	m.live.settle() // also while the past is on the screen
	m.live.tally.pass(m.now, m.live.rows)
	m.sum()
	b := m.book()
	b.settle()
	b.regroup()
	m.cursor.settle(b, m.plan().body.h)
	m.settlePage()
	m.look(b)
}

// settlePage keeps what was scrolled on the page within what there is.
func (m *Model) settlePage() {
	l := m.plan()
	switch m.page() {
	case pageTimeline:
		m.timeline.others.find(m.ledger, m.timeline.key, m.now)
		m.timeline.window.suit(m.suitable(m.history(m.timeline.key)))
		s := m.story(l)
		m.timeline.back = max(0, min(m.timeline.back, len(s.history)-s.part.list))
	case pageHelp, pageCommands:
		_, lines := m.textPage()
		m.text.top = max(0, min(m.text.top, len(lines)-l.body.h))
	case pageFindings:
		m.findings.move(0, len(m.foundNow()))
	}
}

// look notes what the rows in view need of the clock.
func (m *Model) look(b *book) {
	m.soonest, m.flagged = 0, false
	now := m.when()
	if m.page() == pageDemo {
		m.lookDemo(now)
		return
	}
	for i := m.cursor.top; i < min(m.cursor.top+m.plan().body.h, b.len()); i++ {
		r := b.at(i).row
		if r == nil {
			continue
		}
		if r.ended == 0 && r.deadline >= now { // overdue only after it
			if left := max(r.deadline.Sub(now), time.Microsecond); m.soonest == 0 || left < m.soonest {
				m.soonest = left
			}
		}
		m.flagged = m.flagged || r.ended != 0 || now.Sub(r.since(now)) < flagging
	}
}

// take folds a batch.
func (m *Model) take(msg batchMsg) {
	m.setNow(msg.now)
	if msg.counters != nil {
		m.counters = *msg.counters
	}
	if m.cfg.Record != nil {
		m.cfg.Record(msg.inputs...)
	}
	told := m.ledger.Apply(msg.inputs...)
	whole := false
	for i := range msg.inputs {
		switch in := &msg.inputs[i]; {
		case in.Observation != nil:
			m.reread(in.Observation.Key)
		case in.Health != nil:
			switch in.Health.State {
			case model.StateSynced, model.StateRecovered, model.StateTopology:
				whole = true // the end of a sweep, or another server: begin anew from what is known
			}
		}
	}
	m.note(told)
	if whole {
		m.rebuild()
	}
}

// note works transitions into what is on the screen.
func (m *Model) note(told []model.Transition) {
	for i := range told {
		t := &told[i]
		m.lastSeq = max(m.lastSeq, t.Seq)
		m.record.add(t)
		m.reread(t.Key)
	}
	m.inspector.Heed(m.ledger, told)
	m.rates.add(m.now, len(told))
}

// reread takes what the ledger now knows of a key into the live rows.
func (m *Model) reread(k model.Key) {
	l := m.ledger.Lease(k)
	if l == nil || l.Last.Seq == 0 && len(l.Tenures) == 0 {
		m.live.drop(k)
	} else if r := rowOf(l); r.listed(m.now) {
		m.live.put(r)
	} else {
		m.live.drop(k)
	}
}

// rebuild takes all rows anew: what can be seen has changed.
func (m *Model) rebuild() {
	for l := range m.ledger.Leases() {
		if len(l.Tenures) == 0 && m.live.rows[l.Key] == nil {
			continue
		}
		m.reread(l.Key)
	}
	for k := range m.live.rows {
		if m.ledger.Lease(k) == nil {
			m.live.drop(k)
		}
	}
}

// sum counts what the ledger keeps, for the page that tells it: that takes a
// walk over all leases.
func (m *Model) sum() {
	if m.page() == pageCommands && (m.now.Sub(m.summed) >= slowTick || m.now < m.summed) {
		m.sums, m.summed = m.ledger.Totals(m.now), m.now
	}
}

// setNow moves the clock. The feed's estimate may step back a little, and the
// screen's time does not; a clock that was set back is followed.
func (m *Model) setNow(now model.Instant) {
	switch {
	case now > m.now:
		m.now = now
	case m.now.Sub(now) > time.Second:
		m.now = now
		m.live.retally()
	}
}

func (m *Model) onTick(msg tickMsg) tea.Cmd {
	if msg.chain != m.chain {
		return nil
	}
	m.setNow(msg.now)
	m.counters, m.faults = msg.counters, msg.faults
	m.sending.look(m.now, msg.counters.Sent)
	if due, ok := m.ledger.NextDeadline(); ok && due <= m.now && m.cfg.Record != nil {
		m.cfg.Record(model.Input{Advance: m.now})
	}
	m.note(m.ledger.Advance(m.now))
	m.live.expire(m.now)
	m.seek()
	m.applyTimed()
	m.notice.fade(m.now)
	m.hint.fade(m.now)
	m.settle()
	return m.tick()
}

// firstTick starts a new chain of ticks with one at once.
func (m *Model) firstTick() tea.Cmd {
	m.chain++
	feed, chain, faults := m.cfg.Feed, m.chain, m.workerFaults
	return func() tea.Msg {
		return tickMsg{chain: chain, now: feed.Now(), counters: feed.Counters(), faults: faults()}
	}
}

func (m *Model) onFeedEnd(msg feedEndedMsg) tea.Cmd {
	m.ended, m.endErr = true, msg.err
	if msg.err != nil {
		return tea.Quit
	}
	return nil
}
