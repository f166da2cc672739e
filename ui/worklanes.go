package ui

import (
	"slices"
	"strconv"

	"leasetop/model"
)

// workLane is what one worker told of one attempt, in the order of its telling.
type workLane struct {
	pod    string
	id     string
	events []model.WorkerEvent
}

// maxWorkLanes bounds the workers that a timeline shows, the latest of them.
const maxWorkLanes = 4

// workOf gathers what workers told of a key until an instant, by attempt.
func (m *Model) workOf(k model.Key, until model.Instant) []workLane {
	var lanes []workLane
	for _, e := range m.workers {
		if e.Key != k.Name || e.At > until {
			continue
		}
		i := len(lanes) - 1
		for i >= 0 && lanes[i].id != e.ExecutionID {
			i--
		}
		if i < 0 {
			lanes = append(lanes, workLane{pod: e.Pod, id: e.ExecutionID})
			i = len(lanes) - 1
		}
		lanes[i].events = append(lanes[i].events, e)
	}
	return lanes[max(0, len(lanes)-maxWorkLanes):]
}

// drawWork draws the workers' own story under the owners' lanes: from the start
// of a job to its end, with what the lock and the resource answered. The times
// are by each worker's own clock. The picture begins at a column.
func (m *Model) drawWork(p *painter, lanes []workLane, sc scale, at int) {
	for _, l := range lanes {
		p.put(plain, "   ")
		p.put(dim, m.g.open+" ")
		p.cell(dim, m.names.text.Middle(l.pod, min(ownerName, at-gutter-2)), at-gutter-2)
		line := make([]dot, sc.w)
		m.drawJob(line, &l, sc)
		for i := range l.events {
			m.drawWorkMark(line, &l.events[i], m.nextMark(l.events[i+1:], sc), sc)
		}
		p.dots(line)
		p.end()
	}
}

// drawJob fills the time in which the job ran, as its worker believes.
func (m *Model) drawJob(line []dot, l *workLane, sc scale) {
	from, ink := model.Instant(0), note
	for i := range l.events {
		e := &l.events[i]
		if e.Owner != "" {
			ink = badgeOf(e.Owner).ink
		}
		to := e.At
		switch e.Event {
		case "job_start":
			from = e.At
			continue
		case "job_finish", "job_stopped":
		default:
			if i < len(l.events)-1 {
				continue
			}
			to = m.when() // it has not told its end
		}
		if from == 0 {
			continue
		}
		for c := max(sc.col(from), 0); c <= min(sc.col(to), sc.w-1); c++ {
			line[c] = dot{m.g.full, ink}
		}
		from = 0
	}
}

// drawWorkMark marks an answer that decides something, with words where there
// is room for them before the next mark.
func (m *Model) drawWorkMark(line []dot, e *model.WorkerEvent, next int, sc scale) {
	glyph, ink, word := m.workMark(e)
	c := sc.col(e.At)
	if glyph == "" || c < 0 || c >= sc.w {
		return
	}
	line[c] = dot{glyph, ink}
	if word != "" {
		if e.Fence != nil {
			word += " (fence " + strconv.FormatInt(*e.Fence, 10) + ")"
		}
		switch at := c + 1; {
		case at+len(word)+2 <= next:
			writeOver(line, at, " "+word+" ", ink)
		case c > len(word)+1 && m.unmarked(line[c-len(word)-1:c]):
			writeOver(line, c-len(word)-1, word+" ", ink)
		}
	}
}

// unmarked reports whether a part of a line holds nothing but the time of a job.
func (m *Model) unmarked(part []dot) bool {
	return !slices.ContainsFunc(part, func(d dot) bool { return d.glyph != "" && d.glyph != m.g.full })
}

// nextMark is the column of the next mark, or the end of the line.
func (m *Model) nextMark(events []model.WorkerEvent, sc scale) int {
	for i := range events {
		if glyph, _, _ := m.workMark(&events[i]); glyph != "" {
			return min(max(sc.col(events[i].At), 0), sc.w)
		}
	}
	return sc.w
}

func (m *Model) workMark(e *model.WorkerEvent) (glyph string, ink style, word string) {
	g := m.g
	switch e.Event {
	case "acquired":
		return g.start, good, ""
	case "acquire_uncertain", "ownership_uncertain":
		return g.warning, warn, "uncertain"
	case "lease_renewal":
		if e.Outcome == "ok" {
			return g.renewal, note, ""
		}
		return g.changes[model.Overdue], warn, "renewal " + m.names.text.Cut(e.Outcome, 12)
	case "job_stop_requested":
		return g.warning, warn, "asked to stop"
	case "job_stopped":
		return g.blind, warn, "stopped"
	case "write_accepted":
		return g.done, good, "written"
	case "write_duplicate":
		return g.done, note, "written before"
	case "write_rejected":
		return g.blind, bad, "write refused"
	case "release":
		if e.Outcome == "deleted" {
			return g.changes[model.Released], plain, ""
		}
		return g.blind, bad, "release refused"
	}
	return "", plain, ""
}
