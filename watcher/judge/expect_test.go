package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"leasetop/keyspace"
	"leasetop/model"
)

// clock spells an instant in seconds since the start of the scenario.
func (g *stage) clock(i model.Instant) string {
	if i == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", i.Sub(model.InstantOf(g.start)).Seconds())
}

// tell spells a line as scenarios do, for people who compare the two.
func (g *stage) tell(t *model.Transition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s", g.clock(t.At), quoted(t.Key.Name), t.Change, ownerWord(t.Owner))
	fmt.Fprintf(&b, " [%s %s] until %s", g.clock(t.Earliest), g.clock(t.Latest), g.clock(t.Deadline))
	for _, f := range fieldNames {
		if v := field(t, f); v != "" && v != "null" && f != "until" {
			fmt.Fprintf(&b, " %s %s", f, v)
		}
	}
	return b.String()
}

func quoted(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) }

func ownerWord(o model.Owner) string {
	if !o.Known {
		return "null"
	}
	return quoted(o.Token)
}

// The fields that a line of a scenario may have besides `until`.
var fieldNames = []string{"granted", "held", "free", "after", "count", "renewals", "from", "was", "to", "format", "certainty", "source"}

func field(t *model.Transition, name string) string {
	seconds := func(d time.Duration) string {
		if d == model.NoDuration {
			return "null"
		}
		return fmt.Sprintf("%.3f", d.Seconds())
	}
	switch name {
	case "granted":
		return seconds(t.Granted)
	case "held":
		return seconds(t.Held)
	case "free":
		return seconds(t.Free)
	case "after":
		return t.After.String()
	case "count":
		return strconv.Itoa(int(t.Count))
	case "renewals":
		return strconv.Itoa(int(t.Renewals))
	case "to":
		return quoted(t.To)
	case "format":
		return t.Format
	case "certainty":
		return t.Certainty.String()
	case "source":
		return t.Source.String()
	}
	if t.Previous == nil {
		return ""
	}
	if name == "from" {
		return ownerWord(t.Previous.Owner)
	}
	return t.Previous.Format
}

// instants is when a moment of the scenario really was.
func (g *stage) instants(m moment) (s span, ok bool) {
	at := func(sec float64) model.Instant {
		return model.InstantOf(g.start.Add(time.Duration(sec * float64(time.Second))))
	}
	switch m.kind {
	case ofStep:
		g.mu.Lock()
		defer g.mu.Unlock()
		s, ok := g.done[m.step]
		plus := model.Instant(m.plus * 1e6) // a time.Duration would not hold six centuries
		if m.plus > 1e12 {
			return span{model.Forever, model.Forever}, ok
		}
		return span{s.lo + plus, s.hi + plus}, ok
	case ofSpan:
		return span{at(m.lo), at(m.hi)}, true
	}
	return span{}, true
}

// millisecond is how finely Redis keeps deadlines.
const millisecond = 1000

// fits says what a told line lacks to be the wanted one; "" when it is.
func (g *stage) fits(w *wantLine, t *model.Transition) string {
	switch {
	case t.Change.String() != w.change:
		return "the change"
	case w.owner != "-" && w.owner != ownerWord(t.Owner) && w.owner != t.Owner.Token:
		return "the owner"
	}
	s, ok := g.instants(w.at)
	if !ok {
		return fmt.Sprintf("no step at %.3f", w.at.step)
	}
	slack := g.stall.slack()
	if w.at.kind != whenever {
		if t.At < s.lo.Add(-slack) || t.At > s.hi.Add(slack) {
			return "the time"
		}
		if t.Earliest > s.hi+millisecond || t.Latest < s.lo-millisecond {
			return "the bounds of its time"
		}
	}
	if t.At < t.Earliest || t.At > t.Latest {
		return "a time within its bounds"
	}
	names := make([]string, 0, len(w.fields)+1)
	for name := range w.fields {
		names = append(names, name)
	}
	if w.fields["certainty"] == "" {
		names = append(names, "certainty")
	}
	slices.Sort(names)
	for _, name := range names {
		if !g.fieldFits(name, cmp.Or(w.fields[name], model.Observed.String()), t, slack) {
			return name
		}
	}
	return ""
}

func (g *stage) fieldFits(name, want string, t *model.Transition, slack time.Duration) bool {
	if name == "until" {
		m, err := parseMoment(want)
		s, ok := g.instants(m)
		return err == nil && ok && t.Deadline >= s.lo-2*millisecond && t.Deadline <= s.hi+2*millisecond
	}
	got := field(t, name)
	switch {
	case want == "-":
		return true
	case name == "granted" || name == "held" || name == "free":
		a, err1 := strconv.ParseFloat(got, 64)
		b, err2 := strconv.ParseFloat(want, 64)
		if err1 != nil || err2 != nil {
			return got == want
		}
		d := time.Duration(a*float64(time.Second)) - time.Duration(b*float64(time.Second))
		return d.Abs() <= 2*slack
	}
	return got == want
}

// verdict compares what a watcher told with what its story says. It gives what
// is wrong, nothing when all is right.
func (g *stage) verdict(name string) []string {
	o, st := g.observers[name], g.s.stories[name]
	if st == nil {
		st = &story{}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var wrong []string
	told := map[string][]*model.Transition{}
	var keys []string
	for i := range o.told {
		t := &o.told[i]
		if slices.ContainsFunc(st.ignore, func(glob string) bool { return keyspace.Match(glob, t.Key.Name) }) {
			continue
		}
		if !slices.Contains(keys, t.Key.Name) {
			keys = append(keys, t.Key.Name)
		}
		told[t.Key.Name] = append(told[t.Key.Name], t)
		for _, n := range st.never {
			if isTold(n, t) {
				wrong = append(wrong, "claimed what must not be: "+g.tell(t))
			}
		}
	}
	for _, w := range st.lines {
		if !slices.Contains(keys, w.key) {
			keys = append(keys, w.key)
		}
	}
	for _, k := range keys {
		wrong = append(wrong, g.compareKey(k, st.lines, told[k])...)
	}
	wrong = append(wrong, compareFindings(st, o)...)
	return append(wrong, compareStatus(st, o)...)
}

// isTold reports whether words of a `never` line fit: key or *, change or *,
// owner, and pairs of field and value.
func isTold(words []string, t *model.Transition) bool {
	is := func(i int, got string) bool { return i >= len(words) || words[i] == "*" || words[i] == got }
	if !is(0, t.Key.Name) || !is(1, t.Change.String()) || !is(2, ownerWord(t.Owner)) {
		return false
	}
	for i := 3; i+1 < len(words); i += 2 {
		if field(t, words[i]) != words[i+1] {
			return false
		}
	}
	return true
}

func (g *stage) compareKey(key string, lines []wantLine, told []*model.Transition) (wrong []string) {
	var want []*wantLine
	overdue := false
	for i := range lines {
		if lines[i].key == key {
			want = append(want, &lines[i])
			overdue = overdue || lines[i].change == model.Overdue.String()
		}
	}
	if !overdue {
		// Told when this machine was too slow for the confirming read.
		told = slices.DeleteFunc(told, func(t *model.Transition) bool { return t.Change == model.Overdue })
	}
	for i := range max(len(want), len(told)) {
		switch {
		case i >= len(told):
			wrong = append(wrong, "not told: "+want[i].text)
		case i >= len(want):
			wrong = append(wrong, "told too much: "+g.tell(told[i]))
		default:
			if lack := g.fits(want[i], told[i]); lack != "" {
				wrong = append(wrong, fmt.Sprintf("%s differs:\n      want %s\n      told %s", lack, want[i].text, g.tell(told[i])))
			}
		}
	}
	return wrong
}

func compareFindings(st *story, o *observer) (wrong []string) {
	want := slices.Clone(st.findings)
	for i := range o.findings {
		f := &o.findings[i]
		if slices.ContainsFunc(st.ignore, func(glob string) bool { return keyspace.Match(glob, f.Key.Name) }) {
			continue
		}
		id := f.Rule.Name + " " + quoted(f.Key.Name)
		if k := slices.IndexFunc(want, func(w string) bool { return w == id || w == f.Rule.Name+" "+f.Key.Name }); k >= 0 {
			want = slices.Delete(want, k, k+1)
			continue
		}
		wrong = append(wrong, fmt.Sprintf("found what it should not: %s %s %s: %s", id, ownerWord(f.Owner), f.Rule.Severity, f.Detail))
	}
	for _, w := range want {
		wrong = append(wrong, "not found: "+w)
	}
	return wrong
}

func compareStatus(st *story, o *observer) (wrong []string) {
	states := map[string]bool{}
	for i := range o.health {
		states[string(o.health[i].State)] = true
		if o.health[i].Notify != "" {
			states["notifications="+string(o.health[i].Notify)] = true
		}
		if o.health[i].Flushed {
			states["flushed"] = true
		}
	}
	for _, s := range st.status {
		if !states[s] {
			wrong = append(wrong, "no status "+s)
		}
	}
	for _, s := range st.noStatus {
		if states[s] {
			wrong = append(wrong, "a status that must not be: "+s)
		}
	}
	if n := o.source.Counters().Sent; st.sentMost > 0 && n > st.sentMost {
		wrong = append(wrong, fmt.Sprintf("sent %d commands", n))
	}
	for _, c := range o.source.Counters().Commands {
		if slices.Contains(st.sentNever, c.Name) {
			wrong = append(wrong, fmt.Sprintf("sent %s %d times", c.Name, c.Count))
		}
	}
	return wrong
}
