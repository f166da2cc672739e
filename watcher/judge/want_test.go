package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"leasetop/model"
)

// want is a line that must be told of a key with one holder at a time. It
// follows from the true steps and from the instants at which the key was read:
// what lies between two readings is one window, and only its end was seen.
type want struct {
	change    string
	or        []string // other changes that are as right
	owner     *string  // nil: null
	deadline  model.Instant
	told      bool // the deadline is told; else it is null
	exact     bool
	count     int64   // not looked at in the end of a tenure
	previous  *string // owner before, on overwritten and replaced
	was       string  // format before
	to        string
	at        []model.Instant // instants of which one must lie within the bounds
	certainty string          // "": either
	renewals  int             // of the tenure by then
	changes   int             // of its deadline: no more renewals can have been counted
}

func (w want) String() string {
	owner := "null"
	if w.owner != nil {
		owner = *w.owner
	}
	s := fmt.Sprintf("%s %s until %d", strings.Join(append([]string{w.change}, w.or...), "|"), owner, w.deadline%1e10)
	if !w.told {
		s = strings.Replace(s, "until", "not until", 1)
	}
	if w.previous != nil {
		s += " from " + *w.previous
	}
	return s + fmt.Sprintf(" count %d renewals %d at %v %s %s", w.count, w.renewals, ends(w.at), w.certainty, w.to)
}

func ends(list []model.Instant) []int64 {
	out := make([]int64, len(list))
	for i, x := range list {
		out[i] = int64(x % 1e10)
	}
	return out
}

// window is what happened to a key between two readings.
type window struct {
	until model.Instant
	told  model.Instant
	steps []step
	wants []want
	blur  bool // a flush, or hints that were dropped: lines are judged one by one
	late  bool // hints from before the reading may have come with the next one
}

// flushKnown is how long a flush may go unnoticed: it is looked for every two
// seconds.
const flushKnown = 3 * time.Second

func (t *teller) flushedBefore(until model.Instant) bool {
	return slices.ContainsFunc(t.flushes, func(at model.Instant) bool { return at < until && until.Sub(at) < flushKnown })
}

// teller writes down what must be told of a key.
type teller struct {
	hints bool // named events come; else readings are all

	known    bool           // somebody holds it, as far as was told
	state    step           // the latest state that a reading showed
	renewals map[string]int // by owner: true ones of the owner's latest tenure
	changes  map[string]int // by owner: changes of the deadline, over all its tenures
	flushes  []model.Instant

	opened   *step // a tenure begun in this window
	writes   int   // on opened
	wrote    int   // on the known tenure
	moves    int
	times    []model.Instant
	silent   bool // the step before, in this window, wrote without a deadline
	renewing step // state before the next step, for the count of renewals
}

// windows cuts the steps at the readings and says what each must have told.
func (t *teller) windows(steps []step, readings []reading) []window {
	var out []window
	i, vague := 0, false
	for _, r := range readings {
		w := window{until: r.instant(), told: r.o.ToldAt, blur: vague}
		vague = false
		ends := r.ends
		// An end that was announced after the reading, of a key that was missing in
		// it, comes with it: missing still or missing again is the same.
		for i < len(steps) && (steps[i].reached(w.until) || ends > 0 && t.hints && !r.seen.Present() && steps[i].at <= r.lastHint()) {
			if steps[i].kind == ended && steps[i].how != "flushed" && (!steps[i].silent || r.tells("expired")) {
				ends--
			}
			// Whether that was announced is not known, nor then where this window ends.
			vague = vague || steps[i].kind == ended && steps[i].silent
			w.steps = append(w.steps, steps[i])
			i++
		}
		for k := range w.steps {
			w.blur = w.blur || w.steps[k].how == "flushed" || w.steps[k].kind == ended && w.steps[k].silent
		}
		t.tell(&w)
		out = append(out, w)
	}
	return append(out, window{until: model.Forever, steps: steps[i:]})
}

// reached reports whether a reading shows a step: a key is alive to the end of
// the millisecond of its deadline.
func (s *step) reached(reading model.Instant) bool {
	if s.how == "expired" {
		return s.at+millisecond <= reading
	}
	return s.at <= reading
}

func (t *teller) tell(w *window) {
	t.opened, t.writes, t.wrote, t.moves, t.times, t.silent = nil, 0, 0, 0, nil, false
	var last *step
	for i := range w.steps {
		s := &w.steps[i]
		last = s
		t.countRenewal(s)
		switch {
		case s.kind == taken && t.hints:
			t.opened, t.writes, t.times = s, 0, []model.Instant{s.at}
		case s.kind == taken:
			t.times = append(t.times, s.at)
		case s.kind == ended && t.hints:
			t.end(w, s)
		default:
			t.touch(s)
		}
	}
	t.read(w, last)
}

func (t *teller) touch(s *step) {
	t.times = append(t.times, s.at)
	switch {
	case t.opened != nil && s.kind == written:
		t.writes++
	case t.opened != nil:
	case s.kind == written:
		t.wrote++
	case (s.kind == moved || s.kind == counted) && !s.silent:
		t.moves++
	}
}

// countRenewal keeps the true number of renewals of the tenure that steps are in.
// Readings do not tell an owner's tenure from the next of the same, so that no
// more than all its changes together bounds what may be told.
func (t *teller) countRenewal(s *step) {
	before := t.renewing
	t.renewing = *s
	silent := t.silent
	if s.deadline != before.deadline || s.kind == taken {
		t.changes[s.owner]++
	}
	t.silent = s.silent && (s.kind == taken || s.kind == counted || s.kind == written && s.owner != before.owner)
	switch {
	case s.kind == taken || s.kind == written && s.owner != before.owner:
		t.renewals[s.owner] = 0
	case s.kind == ended || s.kind == counted:
	case silent && s.kind == moved:
		// A write without a deadline and then a deadline: nothing tells the two from
		// one write with it.
	case s.deadline != before.deadline && s.deadline != 0 && before.deadline != 0:
		t.renewals[s.owner]++
	}
}

// surely is how sure the end of a tenure is told: after a flush, a member's may
// have been silent.
func (t *teller) surely(w *window, s *step) string {
	if s.format != "string" && t.flushedBefore(w.told) {
		return ""
	}
	return "observed"
}

// end is told by the event that ended the tenure.
func (t *teller) end(w *window, s *step) {
	line := want{change: s.how, at: []model.Instant{s.at}, to: s.to, certainty: t.surely(w, s), renewals: t.renewals[s.owner], changes: t.changes[s.owner]}
	switch {
	case t.opened != nil:
		w.wants = append(w.wants, want{change: "acquired", at: []model.Instant{t.opened.at}, certainty: "observed"})
	case t.wrote == 0:
		line.owner, line.deadline, line.exact, line.told = &s.owner, s.deadline, s.exact, t.moves == 0
	}
	w.wants = append(w.wants, line)
	t.known, t.opened, t.writes, t.wrote, t.moves, t.times = false, nil, 0, 0, 0, nil
}

// read is the reading at the end of a window. last is nil when nothing happened
// in it.
func (t *teller) read(w *window, last *step) {
	if last == nil {
		return
	}
	line := want{at: t.times, certainty: "observed"}
	if !t.hints {
		line.certainty = "inferred"
	}
	was := t.state
	if last.kind == ended {
		if t.known { // by readings alone: it is gone
			t.missing(w, &was, line)
		}
		t.known = false
		return
	}
	line.owner, line.deadline, line.exact, line.told, line.count = &last.owner, last.deadline, last.exact, true, last.count
	line.renewals, line.changes = t.renewals[last.owner], t.changes[last.owner]
	known := t.known
	t.known, t.state = true, *last
	switch {
	case t.opened != nil || !known:
		line.change = "acquired"
		if t.writes > 0 && last.format == "string" {
			line.certainty = "inferred"
		}
	case was.owner != last.owner || was.format != last.format:
		line.change, line.previous, line.was = "replaced", &was.owner, was.format
		if t.hints {
			line.change = "overwritten"
			if t.flushedBefore(w.told) {
				line.or, line.certainty = []string{"replaced"}, ""
			}
			if t.wrote > 1 {
				line.certainty = "inferred"
			} else if slices.ContainsFunc(w.steps, func(s step) bool { return s.kind == counted }) {
				line.certainty = "" // a recount is a write too
			}
		}
	case was.count != last.count:
		line.change = "recount"
	case was.deadline == last.deadline:
		return
	case was.deadline == 0:
		line.change = "expiry-added"
	case last.deadline == 0:
		line.change = "expiry-removed"
	case last.deadline > was.deadline:
		line.change = "renewed"
	default:
		line.change = "shortened"
	}
	w.wants = append(w.wants, line)
}

// missing is what a reading alone may say of a tenure that it does not show.
func (t *teller) missing(w *window, was *step, line want) {
	line.owner, line.deadline, line.exact, line.told, line.count = &was.owner, was.deadline, was.exact, true, was.count
	line.change, line.renewals, line.changes = "released", t.renewals[was.owner], t.changes[was.owner]
	if t.flushedBefore(w.until) {
		line.or = []string{"flushed"}
	}
	if was.deadline != 0 && w.until > was.deadline {
		line.change = "expired"
		line.at = nil // its deadline, by CONTRACT
	}
	w.wants = append(w.wants, line)
}
