package ui

import (
	"time"

	"leasetop/model"
	"leasetop/model/overlap"
)

// workWords tell, of the attempts on one key, who went on after its lease had
// ended and who worked at the same time. Two questions are kept apart: work that
// overlapped costs load, effects that were there twice cost correctness.
func (m *Model) workWords(k model.Key, lanes []workLane) []piece {
	var events []model.WorkerEvent
	for i := range lanes {
		events = append(events, lanes[i].events...)
	}
	if len(events) == 0 {
		return nil
	}
	now := m.when()
	attempts := overlap.Of(events, m.history(k), m.clocks(k, lanes))
	var out []piece
	for i := range attempts {
		a := &attempts[i]
		if past, ok := a.RanPast(now); ok && past.Max >= time.Millisecond {
			verb := pick(a.End == 0, " is ", " ran ")
			out = append(out, piece{warn, m.attemptName(a) + verb + rangeWords(past) + " past its lease" + m.clockWords(a)})
		}
	}
	for i := range attempts {
		for j := range i {
			if both, ok := overlap.Between(&attempts[j], &attempts[i], now); ok && both.Max >= time.Millisecond {
				out = append(out, piece{bad, m.attemptName(&attempts[j]) + " and " + m.attemptName(&attempts[i]) + " worked at the same time for " + rangeWords(both)})
			}
		}
	}
	if accepted, duplicate, rejected := overlap.Effects(attempts); len(out) > 0 && accepted+duplicate+rejected > 0 {
		out = append(out, piece{pick(accepted > 1, bad, good), effectWords(accepted, duplicate, rejected)})
	}
	return out
}

// clocks are the offsets that are known: those of the demo's own workers.
func (m *Model) clocks(k model.Key, lanes []workLane) map[string]overlap.Clock {
	if k.Name != m.demo.key {
		return nil
	}
	out := map[string]overlap.Clock{}
	for i := range lanes {
		out[lanes[i].pod] = m.demo.clock
	}
	return out
}

func (m *Model) attemptName(a *overlap.Attempt) string {
	name := m.names.text.Middle(a.Execution, ownerName)
	if a.Pod != "" {
		name = m.names.text.Middle(a.Pod, ownerName) + " (" + name + ")"
	}
	return name
}

// effectWords count the effects, which is another thing than the work.
func effectWords(accepted, duplicate, rejected int64) string {
	s := "effects: " + count(int(accepted)) + " accepted"
	if duplicate > 0 {
		s += ", " + count(int(duplicate)) + " there already"
	}
	if rejected > 0 {
		s += ", " + count(int(rejected)) + " refused"
	}
	return s
}

// rangeWords spell a duration by its bounds, where they are worth telling apart.
// Without bounds it holds as far as the worker's clock agrees with the server's.
func rangeWords(r overlap.Range) string {
	switch {
	case !r.Bounded && r.Min == 0 && r.Max > 0:
		return "up to " + about(r.Max) + " if the clocks agree"
	case !r.Bounded:
		return about(r.Middle()) + " if the clocks agree"
	case r.Max-r.Min < 10*time.Millisecond:
		return about(r.Middle())
	}
	return about(r.Min) + " to " + about(r.Max)
}

// clockWords say how far a worker's clock may be off, where that is more than
// can be neglected.
func (m *Model) clockWords(a *overlap.Attempt) string {
	c := a.Clock
	if !c.Bounded() || max(c.Max.Abs(), c.Min.Abs()) < 50*time.Millisecond {
		return ""
	}
	return ", its clock corrected by " + about(c.Min) + " to " + about(c.Max)
}

// drawWorkWords draws them beneath the lanes.
func (m *Model) drawWorkWords(p *painter, words []piece) {
	for i, w := range words {
		p.put(plain, "   ")
		p.cell(dim, pick(i == 0, "  overlap", ""), plotAt-gutter)
		p.line(w.style, w.text)
	}
}

// drawLaneWork draws under the lanes what the workers of the selected key told,
// on the same scale, in place of the latest changes. It is false where they told
// nothing.
func (m *Model) drawLaneWork(p *painter, h int) bool {
	k, ok := m.selected()
	if !ok {
		return false
	}
	work := m.workOf(k, m.when())
	if len(work) == 0 {
		return false
	}
	words := m.workWords(k, work)
	words = words[:min(len(words), max(0, h-min(len(work), 2)))]
	work = work[max(0, len(work)-h+len(words)):]
	at := gutter + m.laneNames() + between
	m.drawWork(p, work, m.lanes.over(m.when(), max(10, p.w-at-1)), at)
	for _, w := range words {
		p.put(plain, "   ")
		p.line(w.style, w.text)
	}
	return true
}
