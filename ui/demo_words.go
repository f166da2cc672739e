package ui

import (
	"strconv"
	"strings"

	"leasetop/model"
)

// demoEvent says in a few words what a worker told. Its detail may quote what a
// server said.
func (m *Model) demoEvent(e *model.WorkerEvent) (style, string) {
	fence := ""
	if e.Fence != nil {
		fence = ", fence " + strconv.FormatInt(*e.Fence, 10)
	}
	switch e.Event {
	case "acquire_attempt":
		return dim, "asks for the lease"
	case "acquired":
		return good, "acquired" + fence
	case "acquire_denied":
		return dim, "refused: it is held"
	case "acquire_uncertain":
		return warn, "no answer: does no work"
	case "job_start":
		return plain, "work started"
	case "lease_renewal":
		return renewalWords(e.Outcome)
	case "ownership_uncertain":
		return warn, "ownership uncertain"
	case "job_stop_requested":
		return warn, "work is told to stop"
	case "job_stopped":
		if e.StopMs != nil {
			return warn, "work stopped after " + strconv.FormatInt(*e.StopMs, 10) + " ms"
		}
		return warn, "work stopped"
	case "write_attempt":
		return plain, "writes" + fence
	case "write_accepted":
		return good, "write accepted" + fence
	case "write_rejected":
		return bad, "write refused" + fence
	case "write_duplicate":
		return note, "done already, same result"
	case "release":
		return releaseWords(e.Outcome)
	case "job_finish":
		return plain, "work finished"
	}
	return plain, m.names.text.Cut(strings.ReplaceAll(e.Event, "_", " ")+" "+e.Outcome, 40)
}

func renewalWords(outcome string) (style, string) {
	switch outcome {
	case "ok":
		return note, "renewed"
	case "rejected":
		return bad, "renewal refused"
	case "timeout":
		return warn, "renewal without an answer"
	case "late":
		return warn, "renewal answered too late"
	}
	return warn, "renewal: unknown outcome"
}

func releaseWords(outcome string) (style, string) {
	switch outcome {
	case "deleted":
		return good, "release: deleted 1"
	case "not-owner":
		return bad, "release: deleted 0"
	}
	return warn, "release failed"
}

// workerLine is one line of a worker's log, ready to be drawn.
type workerLine struct {
	style style
	text  string
	at    model.Instant
}

// workerLines folds what a worker told: what repeats becomes one line.
func (m *Model) workerLines(w *DemoWorker) []workerLine {
	var out []workerLine
	times := 1
	for i := range w.Lines {
		e := &w.Lines[i]
		s, text := m.demoEvent(e)
		if i > 0 && e.Event == w.Lines[i-1].Event && e.Outcome == w.Lines[i-1].Outcome && repeats(e) {
			times++
			out[len(out)-1] = workerLine{s, text + " " + m.g.times + strconv.Itoa(times), e.At}
			continue
		}
		if e.Event == "acquire_attempt" && i > 0 {
			continue // told by what came of it
		}
		times = 1
		out = append(out, workerLine{s, text, e.At})
	}
	return out
}

func repeats(e *model.WorkerEvent) bool {
	return e.Event == "lease_renewal" || e.Event == "acquire_denied"
}

// workerState is the sign and the words for what a worker is doing.
func (m *Model) workerState(w *DemoWorker) []piece {
	switch w.State {
	case "working":
		return []piece{{good, m.g.live + " working"}}
	case "stopped":
		return []piece{{reverse | warn, " " + m.g.pause + " stopped "}, {dim, " " + m.names.text.String(w.How)}}
	case "finished":
		return []piece{{note, m.g.live + " work is over"}}
	case "ended":
		return []piece{{dim, m.g.none + " ended"}}
	case "killed":
		return []piece{{bad, m.g.blind + " killed"}}
	}
	return []piece{{dim, m.g.waiting + " waiting"}}
}

// verdictSigns are held, not held, not known.
func (m *Model) verdictSign(a *DemoAssertion) piece {
	switch {
	case !a.Known:
		return piece{dim, "?"}
	case a.Held:
		return piece{pick(a.Expected, good, bad), m.g.held}
	}
	return piece{pick(a.Expected, bad, warn) | bold, m.g.broken}
}
