package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"leasetop/model"
)

// keyCase is one key before the judge: what was true and what was told.
type keyCase struct {
	name  string
	hints bool
	// Without the class of `new`, a write on a key that a flush has just emptied is
	// a write over a lock, until the flush is noticed.
	flushUntold bool
	monitor     []monitored // every command that named the key
	names       map[string][]string
	steps       []step
	all         []*tenure
	readings    []reading
	told        []told
	windows     []window
}

// reading is one reading of the key, in the order of the inputs.
type reading struct {
	input int
	seen  *model.Reading
	o     *model.Observation
	ends  int // events since the reading before it that told the end of the key
}

// instant is when the reading was taken. Redis before 7.2 goes by the time at
// which a transaction began and tells a later one inside of it, so that a key may
// be shown alive behind its deadline.
func (r *reading) instant() model.Instant {
	at := r.seen.At
	for _, h := range r.seen.Holders {
		if h.Deadline != 0 {
			at = min(at, h.Deadline+millisecond-1)
		}
	}
	return at
}

// endsIn counts the events of an observation that told the end of the key.
func endsIn(o *model.Observation) (n int) {
	for _, h := range o.Hints {
		if model.EndsKey(h.Op) {
			n++
		}
	}
	return n
}

func (r *reading) tells(op string) bool {
	return slices.ContainsFunc(r.o.Hints, func(h model.Hint) bool { return h.Op == op })
}

// lastHint is when the last event came that the reading goes with.
func (r *reading) lastHint() model.Instant {
	if n := len(r.o.Hints); n > 0 {
		return r.o.Hints[n-1].At.Add(r.o.Bound)
	}
	return 0
}

type told struct {
	*model.Transition
	window int
}

// gather sorts what an observer was given and told by key.
func gather(o *observer, truth *simulator, flushes []model.Instant, hints, flushUntold bool) map[string]*keyCase {
	cases := map[string]*keyCase{}
	for _, k := range judgedKeys {
		cases[k] = &keyCase{name: k, hints: hints, steps: truth.steps[k], all: tenuresOf(truth.steps[k]), names: truth.names, flushUntold: flushUntold}
	}
	ends := map[string]int{}
	blind := map[string][]int{} // by key: observations without a reading
	for i := range o.inputs {
		ob := o.inputs[i].Observation
		if ob == nil || cases[ob.Key.Name] == nil {
			continue
		}
		c := cases[ob.Key.Name]
		ends[ob.Key.Name] += endsIn(ob)
		if ob.Reading != nil {
			c.readings = append(c.readings, reading{i, ob.Reading, ob, ends[ob.Key.Name]})
			ends[ob.Key.Name] = 0
		} else {
			blind[ob.Key.Name] = append(blind[ob.Key.Name], i)
		}
	}
	for _, c := range cases {
		t := teller{hints: hints, renewals: map[string]int{}, changes: map[string]int{}, flushes: flushes}
		c.windows = t.windows(c.steps, c.readings)
		for _, i := range blind[c.name] {
			c.windows[c.windowOf(i)].blur = true
		}
		for i, r := range c.readings {
			if r.o.Lost > 0 {
				c.windows[i].blur = true
			}
			if n := i + 1; n < len(c.readings) && len(c.readings[n].o.Hints) > 0 {
				c.windows[i].late = c.readings[n].o.Hints[0].At <= r.o.ToldAt
			}
		}
	}
	for i := range o.told {
		t := &o.told[i]
		if c := cases[t.Key.Name]; c != nil {
			c.told = append(c.told, told{t, c.windowOf(c.causeOf(t, o, o.cause[i]))})
		}
	}
	return cases
}

// windowOf is the window that ends with the first reading that is no older than
// an input.
func (c *keyCase) windowOf(input int) int {
	n, _ := slices.BinarySearchFunc(c.readings, input, func(r reading, i int) int { return r.input - i })
	return n
}

// causeOf is the input that a line belongs to. The end of a renamed key waits for
// its new name and comes with a later input: it belongs to the observation with
// the hint.
func (c *keyCase) causeOf(t *model.Transition, o *observer, cause int) int {
	if t.Change != model.Renamed {
		return cause
	}
	for i := cause; i >= 0; i-- {
		ob := o.inputs[i].Observation
		if ob != nil && ob.Key == t.Key && ob.ToldAt == t.ToldAt && slices.ContainsFunc(ob.Hints, func(h model.Hint) bool { return h.Op == "rename_from" }) {
			return i
		}
	}
	return cause
}

// judge says all that is wrong with what was told of a key.
func (c *keyCase) judge() (wrong []string) {
	say := func(w int, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s: %s\n%s", c.name, fmt.Sprintf(format, args...), c.around(w)))
	}
	lines := make([][]told, len(c.windows))
	var before *model.Transition
	for _, t := range c.told {
		if why := c.lawful(t.Transition); why != "" {
			say(t.window, "%s: %s", spellLine(t.Transition), why)
		}
		if before != nil && (t.At < before.At || t.Seq <= before.Seq) {
			say(t.window, "%s: it goes back in time", spellLine(t.Transition))
		}
		before = t.Transition
		if t.Change != model.Overdue {
			lines[t.window] = append(lines[t.window], t)
		}
	}
	doubt := false // about the number of renewals
	for i := range c.windows {
		w := &c.windows[i]
		doubt = doubt || w.blur || w.late
		if w.blur {
			continue
		}
		why := ""
		if c.name[5] != 'z' {
			doubt, why = compareWindow(w.wants, lines[i], doubt, w.late)
		} else if i < len(c.readings) {
			why = c.compareMembers(i, lines[i])
		}
		if why != "" {
			say(i, "%s", why)
		}
	}
	for i := range c.readings {
		if why := c.readsTruth(&c.readings[i]); why != "" {
			say(i, "a reading is not true: %s%s", why, c.commandsBefore(c.readings[i].seen.At))
		}
	}
	return wrong
}

// compareWindow compares what a window must have told with what was told. The
// doubt about the renewals of a tenure ends with the tenure; hints that come with
// the next reading cast one on the last.
func compareWindow(wants []want, lines []told, doubt, late bool) (bool, string) {
	for k := range max(len(wants), len(lines)) {
		switch {
		case k >= len(lines):
			return doubt, "not told: " + wants[k].String()
		case k >= len(wants):
			return doubt, "told too much: " + spellLine(lines[k].Transition)
		}
		if why := wants[k].differs(lines[k].Transition, doubt && (late || !lines[k].Change.Begins())); why != "" {
			return doubt, fmt.Sprintf("%s differs:\n    want %s\n    told %s", why, wants[k], spellLine(lines[k].Transition))
		}
		if lines[k].Change.Begins() {
			doubt = late
		}
	}
	return doubt, ""
}

// differs names the first thing in which a told line is not the wanted one.
func (w *want) differs(t *model.Transition, doubt bool) string {
	same := func(owner *string, o model.Owner) bool {
		return owner == nil && !o.Known || owner != nil && o.Known && *owner == o.Token
	}
	switch {
	case t.Change.String() != w.change && !slices.Contains(w.or, t.Change.String()):
		return "the change"
	case !same(w.owner, t.Owner):
		return "the owner"
	case doubt && t.Deadline == 0 && t.Change.Ends():
	case w.told && w.exact && t.Deadline != w.deadline, w.told && (t.Deadline == 0) != (w.deadline == 0), !w.told && t.Deadline != 0:
		return "the deadline"
	case int64(t.Count) != w.count && !t.Change.Ends():
		return "the count"
	case w.previous != nil && (t.Previous == nil || !same(w.previous, t.Previous.Owner) || t.Previous.Format != w.was):
		return "the previous owner"
	case w.certainty != "" && t.Certainty.String() != w.certainty:
		return "the certainty"
	case !doubt && (t.RenewalsExact && int(t.Renewals) != w.renewals || int(t.Renewals) > w.changes):
		return "the number of renewals"
	case w.change == "expired" && w.told && (t.At != w.deadline || t.Earliest != t.At || t.Latest != t.At) && w.exact:
		return "the instant of the expiry"
	case len(w.at) > 0 && !slices.ContainsFunc(w.at, func(at model.Instant) bool { return at >= t.Earliest-trueBlur && at <= t.Latest+trueBlur }):
		return "the bounds"
	}
	return ""
}

// readsTruth compares a reading with what the key held at its instant.
func (c *keyCase) readsTruth(r *reading) string {
	at := r.instant()
	holders := map[string]model.Holder{}
	for _, h := range r.seen.Holders {
		holders[h.Owner] = h
	}
	for _, x := range c.all {
		edge := func(i model.Instant) bool { return (at-i) <= trueBlur && (i-at) <= trueBlur }
		if edge(x.from) || edge(x.to) {
			delete(holders, x.owner)
			continue
		}
		alive := x.from < at && at < x.to
		h, shown := holders[x.owner]
		switch {
		case alive && !shown:
			return fmt.Sprintf("at %d: %s held it and is not shown", at%1e10, x.owner)
		case !alive:
			continue
		}
		s := x.stateAt(at)
		if s.exact && !edge(s.at) && (h.Deadline != s.deadline || h.Count != s.count) {
			return fmt.Sprintf("at %d: %s until %d count %d, and not %d count %d", at%1e10, x.owner, s.deadline%1e10, s.count, h.Deadline%1e10, h.Count)
		}
		delete(holders, x.owner)
	}
	for owner := range holders {
		return fmt.Sprintf("at %d: %q does not hold it", at%1e10, owner)
	}
	return ""
}

// commandsBefore spells what MONITOR told about the key around a moment.
func (c *keyCase) commandsBefore(at model.Instant) string {
	var b strings.Builder
	for i := range c.monitor {
		if l := &c.monitor[i]; l.at > at.Add(-15*time.Millisecond) && l.at < at.Add(5*time.Millisecond) {
			fmt.Fprintf(&b, "\n    %d %s %s", l.at%1e10, l.from, l.name)
		}
	}
	return b.String()
}

func (x *tenure) stateAt(at model.Instant) state {
	s := x.states[0]
	for _, n := range x.states {
		if n.at <= at {
			s = n
		}
	}
	return s
}

// around spells the steps, readings and lines near a window.
func (c *keyCase) around(w int) string {
	var b strings.Builder
	for i := max(0, w-2); i < min(len(c.windows), w+2); i++ {
		for _, s := range c.windows[i].steps {
			fmt.Fprintf(&b, "      %d %s\n", s.at%1e10, spellStep(&s))
		}
		for _, t := range c.told {
			if t.window == i {
				fmt.Fprintf(&b, "        > %s\n", spellLine(t.Transition))
			}
		}
		if i < len(c.readings) {
			r := c.readings[i]
			fmt.Fprintf(&b, "      %d read %s, %s %s %q", r.seen.At%1e10, r.o.Source, r.seen.Type, r.seen.Format, r.seen.Note)
			for _, h := range r.o.Hints {
				fmt.Fprintf(&b, " %s@%d", h.Op, h.At%1e10)
			}
			for _, h := range r.seen.Holders {
				fmt.Fprintf(&b, " [%s until %d]", h.Owner, h.Deadline%1e10)
			}
			fmt.Fprintf(&b, " blur %v, told at %d\n", c.windows[i].blur, r.o.ToldAt%1e10)
		}
	}
	return b.String()
}

func spellStep(s *step) string {
	kind := [...]string{"", "taken by", "written by", "moved, of", "counted, of", "ended:"}[s.kind]
	return fmt.Sprintf("%s %s %s until %d count %d %s   (%s)", kind, s.owner, s.how, s.deadline%1e10, s.count, s.to, s.by)
}

func spellLine(t *model.Transition) string {
	s := fmt.Sprintf("%s %s at %d [%d %d] until %d count %d renewals %d", t.Change, ownerWord(t.Owner), t.At%1e10, t.Earliest%1e10, t.Latest%1e10, t.Deadline%1e10, t.Count, t.Renewals)
	if !t.RenewalsExact {
		s += " or more"
	}
	if t.Previous != nil {
		s += " from " + ownerWord(t.Previous.Owner) + " " + t.Previous.Format
	}
	if t.After != 0 {
		s += " after " + t.After.String()
	}
	return fmt.Sprintf("%s (%s, %s) told at %d", s, t.Certainty, t.Source, t.ToldAt%1e10)
}
