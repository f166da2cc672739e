package ui

import (
	"math"

	"leasetop/model"
)

// past is what is on the screen instead of now: a frozen moment, or one that
// was stepped to. The live rows go on beside it.
type past struct {
	book   *book
	cut    cut
	ahead  uint64 // transitions told when it was frozen
	totals model.Totals
	step   int // the step that it stands at, from 1; 0: frozen between two
}

// when is the instant on the screen.
func (m *Model) when() model.Instant {
	if m.past != nil {
		return m.past.cut.at
	}
	return m.now
}

// book is the rows on the screen.
func (m *Model) book() *book {
	if m.past != nil {
		return m.past.book
	}
	return m.live
}

// history is the part of a key's timeline that is on the screen.
func (m *Model) history(k model.Key) []model.Entry {
	entries := m.ledger.History(k)
	if m.past != nil {
		entries = m.past.cut.prefix(entries)
	}
	return entries
}

// lease is a key as it is on the screen; nil when nothing is known of it.
func (m *Model) lease(k model.Key) *model.Lease {
	if m.past == nil {
		return m.ledger.Lease(k)
	}
	return leaseAt(k, m.history(k))
}

// state is where a lease stands on the screen.
func (m *Model) state(l *model.Lease) model.LeaseState {
	return stateAt(l, m.when(), m.blind(l.Key.Node))
}

// blind reports whether a node cannot, or could not, be seen at the instant on
// the screen.
func (m *Model) blind(node string) bool {
	at := m.when()
	if m.past == nil && m.ledger.Health(node).State == model.StateDisconnected {
		return true
	}
	gaps := m.ledger.Gaps(node)
	for i := len(gaps) - 1; i >= 0; i-- {
		if g := gaps[i]; g.From <= at && (g.To == 0 || at < g.To) {
			return true
		}
	}
	return false
}

// blindSince is the last moment at which a blind node could be seen.
func (m *Model) blindSince(node string) model.Instant {
	if h := m.ledger.Health(node); m.past == nil && h.State == model.StateDisconnected {
		return h.At
	}
	at := m.when()
	for _, g := range m.ledger.Gaps(node) {
		if g.From <= at && (g.To == 0 || at < g.To) {
			return g.From
		}
	}
	return 0
}

// freeze holds the picture still; what happens is recorded all the same.
func (m *Model) freeze() {
	m.live.settle()
	m.past = &past{
		book:  m.live.clone(),
		cut:   cut{at: m.now, seq: math.MaxUint64, known: m.lastSeq},
		ahead: m.lastSeq,
	}
	m.past.count()
}

// thaw returns to now.
func (m *Model) thaw() {
	if m.past == nil {
		return
	}
	o, match := m.past.book.order, m.past.book.match
	m.live.groups = m.past.book.groups.clone()
	m.past = nil
	if m.live.order != o {
		m.live.sort(o)
	}
	if match != nil || m.live.match != nil {
		m.applyFilter()
	}
	m.live.groups.stale()
}

// missed is how many changes are not on the screen.
func (m *Model) missed() uint64 { return m.lastSeq - m.past.ahead }

// stepBy goes to the next or the previous thing that happened.
func (m *Model) stepBy(d int) {
	if m.past == nil {
		m.freeze()
	}
	p := m.past
	n := m.record.before(p.cut) // steps that have happened
	var i int
	if d < 0 {
		i = n - 1
		if i >= 0 && m.record.steps[i].at == p.cut.at && m.record.steps[i].seq == p.cut.seq {
			i--
		}
	} else {
		i = n
	}
	switch {
	case i < 0:
		m.say(note, m.oldestWords())
	case i >= len(m.record.steps):
		m.say(note, "nothing has happened since; end returns to now")
	default:
		m.showStep(i)
	}
}

func (m *Model) oldestWords() string {
	if m.record.dropped > 0 {
		return "the oldest of " + count(maxSteps) + " changes kept; what was before is given up"
	}
	return "nothing is known to have happened before"
}

// stepTo goes to the i-th thing that happened.
func (m *Model) showStep(i int) {
	s := m.record.steps[i]
	m.show(cut{at: s.at, seq: s.seq, known: m.lastSeq})
	m.past.step = i + 1
	m.cursor.sel, m.cursor.moved = selection{key: s.key, on: true}, true
}

// stepOldest goes to the first step that is kept.
func (m *Model) stepOldest() {
	if len(m.record.steps) == 0 {
		m.say(note, m.oldestWords())
		return
	}
	if m.past == nil {
		m.freeze()
	}
	m.showStep(0)
}

// show turns the picture to another cut. Only the keys to which something
// happened between the two, or shortly before, look different.
func (m *Model) show(c cut) {
	p := m.past
	from, to := min(c.at, p.cut.at).Add(-lingering), max(c.at, p.cut.at)
	keys := map[model.Key]bool{}
	for _, k := range m.record.between(from, to) {
		keys[k] = true
	}
	for _, s := range m.record.steps {
		if s.seq > p.cut.known {
			keys[s.key] = true
		}
	}
	p.cut = c
	p.ahead = m.lastSeq - m.after(c)
	for k := range keys {
		l := leaseAt(k, c.prefix(m.ledger.History(k)))
		if l == nil {
			p.book.drop(k)
		} else if r := rowOf(l); r.listed(c.at) {
			p.book.put(r)
		} else {
			p.book.drop(k)
		}
	}
	p.book.ended = nil // nothing ages in a picture
	p.book.settle()
	p.count()
}

// after is the number of steps that have not happened at a cut.
func (m *Model) after(c cut) uint64 { return uint64(len(m.record.steps) - m.record.before(c)) }

// count counts the rows of the picture by state.
func (p *past) count() {
	p.totals = model.Totals{}
	for _, r := range p.book.rows {
		switch {
		case r.ended != 0:
			p.totals.Free++
		case r.untold:
			p.totals.Held++
		case r.deadline == 0:
			p.totals.NoExpiry++
		case p.cut.at > r.deadline:
			p.totals.Overdue++
		default:
			p.totals.Held++
		}
	}
}

// rowState is where a row stands on the screen.
func (m *Model) rowState(r *row) model.LeaseState {
	switch now := m.when(); {
	case r.ended != 0:
		return model.Free
	case m.blind(r.key.Node):
		return model.Blind
	case r.untold:
		return model.Held
	case r.deadline == 0:
		return model.NoExpiry
	case now > r.deadline:
		return model.Over
	}
	return model.Held
}
