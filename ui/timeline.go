package ui

import (
	"strconv"
	"strings"
	"time"

	"leasetop/model"
)

// timeline is the page of one key.
type timeline struct {
	key    model.Key
	window window
	back   int // lines that the list is scrolled back from its newest
	others others
}

// parts says how the room of the timeline is used, in rows.
type parts struct {
	facts, plot, lanes, list int
	air                      int // blank rows in front of the picture and of the list
}

// divide shares h rows out among so many facts, owners and entries. The list
// gets a third of the room, or more if the picture does not need it.
func divide(h, facts, owners, entries int) parts {
	p := parts{facts: min(facts, max(1, h/4))}
	if h >= 16 {
		p.air = 1
	}
	rest := h - p.facts - 2*p.air - 1       // and the axis
	p.lanes = min(owners+1, max(2, rest/4)) // and one for the time that it was free
	p.list = min(entries, max(3, rest/3))
	p.plot = min(max(3, rest-p.lanes-p.list), max(3, rest/3), 10)
	p.list = max(0, rest-p.lanes-p.plot)
	return p
}

// story is all that the page of a key shows.
type story struct {
	lease    *model.Lease
	history  []model.Entry
	scale    scale
	spans    []tenureSpan
	owners   []model.Owner
	facts    []fact
	work     []workLane
	overlaps []piece
	part     parts
}

func (m *Model) story(l plan) story {
	k := m.timeline.key
	s := story{lease: m.lease(k), history: m.history(k)}
	s.scale = m.timeline.window.over(m.when(), max(10, m.w-plotAt-1))
	s.spans = within(spansOf(s.history, m.when()), s.scale)
	s.owners = ownersOf(s.spans)
	s.facts = m.facts(s.lease)
	s.work = m.workOf(k, m.when())
	s.overlaps = m.workWords(k, s.work)
	s.overlaps = s.overlaps[:min(len(s.overlaps), max(0, l.body.h/4))]
	s.part = divide(l.body.h-len(s.work)-len(s.overlaps), len(s.facts), len(s.owners), len(s.history))
	return s
}

func (m *Model) drawTimeline(p *painter, l plan) {
	s := m.story(l)
	m.drawTimelineTitle(p, m.timeline.key, s.lease)
	if len(s.history) == 0 {
		p.end()
		p.put(plain, "   ")
		p.line(dim, "Nothing is known of this key at this moment.")
		return
	}
	for _, f := range s.facts[:min(s.part.facts, len(s.facts))] {
		m.drawFact(p, f)
	}
	p.fill(p.row + s.part.air)
	m.drawPlot(p, s.spans, s.scale, s.part.plot)
	m.drawOwnerLanes(p, s.spans, s.owners, s.scale, s.part.lanes)
	m.drawWork(p, s.work, s.scale, plotAt)
	m.drawWorkWords(p, s.overlaps)
	m.drawAxis(p, plotAt, s.scale)
	p.fill(p.row + s.part.air)
	m.drawHistory(p, s.history, s.part.list)
}

// suitable is a length of time that shows a few tenures of a key.
func (m *Model) suitable(history []model.Entry) time.Duration {
	if len(history) == 0 {
		return laneWindow
	}
	granted := time.Duration(0)
	for i := range history[max(0, len(history)-16):] {
		granted = max(granted, history[len(history)-1-i].Granted)
	}
	if granted <= 0 {
		return laneWindow
	}
	known := m.when().Sub(history[0].At)
	return max(2*time.Second, min(4*granted, max(granted, known)*11/10))
}

func (m *Model) drawTimelineTitle(p *painter, k model.Key, l *model.Lease) {
	p.put(plain, "   ")
	p.put(bold, m.names.key(k, max(20, p.w/2)))
	var words []string
	if l != nil {
		if l.Reading != nil && m.past == nil {
			words = append(words, l.Reading.Type)
		}
		if f := formatOf(l); f != "" && f != "string" {
			words = append(words, f)
		}
		if l.Reading != nil && l.Reading.Library != "" && l.Reading.Library != formatOf(l) {
			words = append(words, l.Reading.Library)
		}
		if len(l.Tenures) > 0 && shownTenure(l).Granted > 0 {
			words = append(words, "granted "+about(shownTenure(l).Granted))
		}
		if l.Generation > 0 {
			words = append(words, "tenure "+strconv.Itoa(int(l.Generation)))
		}
	}
	p.line(dim, "   "+m.names.text.String(strings.Join(words, " "+m.g.between+" ")))
}

// fact is one line about the key.
type fact struct {
	mark string
	ink  style
	term string
	text string
	tone style
}

// facts are what is known now beyond the timeline: the holders, what their
// tokens say, who waits.
func (m *Model) facts(l *model.Lease) []fact {
	if l == nil {
		return nil
	}
	var out []fact
	state := m.state(l)
	if len(l.Tenures) == 0 {
		out = append(out, fact{mark: m.g.changes[l.EndedBy], ink: dim, term: "free",
			text: "for " + whole(m.when().Sub(l.FreeSince)) + ", since its " + endNoun(l.EndedBy), tone: dim})
	}
	for i := range l.Tenures {
		out = append(out, m.holderFact(&l.Tenures[i], state))
	}
	for i := range l.Tenures {
		if t := l.Tenures[i].Told; t != nil {
			out = append(out, fact{term: "says", text: m.toldWords(t), tone: dim})
		}
	}
	if f, ok := m.togetherFact(); ok {
		out = append(out, f)
	}
	if r := l.Reading; r != nil && m.past == nil {
		out = append(out, m.readingFacts(r)...)
	}
	return out
}

func (m *Model) holderFact(t *model.Tenure, state model.LeaseState) fact {
	mark, ink, name := m.names.owner(t.Owner, shortToken)
	if t.Owner.Known {
		name = m.names.text.Cut(t.Owner.Token, max(12, m.w/3))
	}
	words := []string{name + m.names.holder(t)}
	now := m.when()
	tone := plain
	switch {
	case t.Deadline == 0:
		words = append(words, "no expiry: it will not free itself")
		tone = warn
	case t.Deadline <= now:
		words = append(words, "overdue for "+whole(now.Sub(t.Deadline))+", its end is not confirmed")
		tone = bad
	default:
		words = append(words, countdown(t.Deadline.Sub(now))+" left until "+m.cfg.Options.clock(t.Deadline, toMilli))
	}
	if t.LowWater != model.NoDuration {
		words = append(words, "renewed with "+about(t.LowWater)+" left at least")
	}
	if state == model.Blind {
		tone = dim
	}
	return fact{mark: mark, ink: ink, term: "holder", text: strings.Join(words, "   "), tone: tone}
}

func (m *Model) toldWords(t *model.Told) string {
	var words []string
	add := func(name, v string) {
		if v != "" {
			words = append(words, name+" "+m.names.text.String(v))
		}
	}
	add("host", t.Host)
	add("process", t.Process)
	add("thread", t.Thread)
	add("acquired", m.cfg.Options.clock(t.Acquired, toMilli))
	add("refreshed", m.cfg.Options.clock(t.Refreshed, toMilli))
	add("", t.Metadata)
	add("shape", t.Shape)
	return strings.Join(words, ", ") + "   (read from the token)"
}

func (m *Model) readingFacts(r *model.Reading) []fact {
	var out []fact
	if r.Fence != nil {
		out = append(out, fact{term: "fence", text: strconv.FormatInt(*r.Fence, 10) + "   the resource must check it; the lock cannot", tone: plain})
	}
	if len(r.Waiters) > 0 {
		names := make([]string, 0, 4)
		for _, w := range r.Waiters[:min(3, len(r.Waiters))] {
			names = append(names, m.names.token(w, 16))
		}
		out = append(out, fact{term: "waiters", text: count(len(r.Waiters)) + ": " + strings.Join(names, ", "), tone: plain})
	}
	if len(r.Expired) > 0 {
		out = append(out, fact{term: "dead", text: plural(len(r.Expired), "member", "members") + " past their own deadline", tone: dim})
	}
	if r.Note != "" {
		out = append(out, fact{term: "note", text: m.names.text.String(r.Note), tone: dim})
	}
	return out
}

func (m *Model) drawFact(p *painter, f fact) {
	p.put(plain, "   ")
	p.cell(dim, f.term, plotAt-gutter-2)
	p.put(f.ink, pick(f.mark == "", " ", f.mark)+" ")
	p.line(f.tone, f.text)
}

// drawHistory draws the list of entries, the newest at the bottom.
func (m *Model) drawHistory(p *painter, history []model.Entry, h int) {
	to := len(history) - m.timeline.back
	dropped := m.ledger.Dropped(m.timeline.key)
	for i := max(0, to-h); i < to; i++ {
		e := &history[i]
		var before *model.Entry
		if i > 0 {
			before = &history[i-1]
		}
		p.put(plain, " ")
		p.cellRight(dim, "#"+strconv.Itoa(dropped+i+1), 6)
		p.put(plain, "  ")
		m.drawEvent(p, stripLine{key: m.timeline.key, entry: e, before: before}, 0)
	}
}
