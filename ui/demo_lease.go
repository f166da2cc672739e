package ui

import (
	"strconv"
	"time"

	"leasetop/model"
)

// demoMiddle is what the workers work on: the lease as the watcher sees it, and
// the resource.
func (m *Model) demoMiddle(r *recorded, live bool, width int) []pieces {
	if r.Lease.Key.Name == "" {
		return nil
	}
	name := m.names.key(r.Lease.Key, width-7)
	out := []pieces{{{bold, "LEASE  "}, {plain, name}}}
	out = append(out, m.demoLease(r, live, width)...)
	if m.w >= threeAbreast {
		out = append(out, nil)
	}
	out = append(out, pieces{{bold, "RESOURCE  "}, {plain, m.names.text.Cut(r.Resource.Job, 20)}, {dim, " (SQLite)"}})
	value := pieces{{dim, "  nothing written yet"}}
	if r.Resource.Writer != "" {
		value = pieces{{plain, "  value "}, {bold, strconv.Quote(m.names.text.Cut(r.Resource.Value, 12))}, {dim, "  by " + m.names.text.Cut(r.Resource.Writer, 16)}}
	}
	guard := guardWords(&r.Resource, m.g.none)
	if m.w >= threeAbreast {
		return append(out, value, append(pieces{{plain, "  "}}, guard...))
	}
	out[len(out)-1] = out[len(out)-1][:2] // one line for all of it
	return append(out[:len(out)-1], append(append(out[len(out)-1], value...), append(pieces{{plain, "  "}}, guard...)...))
}

// guardWords say what the resource checks before it takes a write.
func guardWords(r *DemoResource, none string) pieces {
	switch r.Guarded {
	case "fenced":
		return pieces{{plain, "accepted fence "}, {bold, pick(r.Fence == 0, none, strconv.FormatInt(r.Fence, 10))}, {dim, "  (checked)"}}
	case "once":
		return pieces{{plain, "one completion for each job"}, {dim, "  (checked)"}}
	}
	return pieces{{plain, "fence " + none}, {warn, "  (not checked)"}}
}

// demoLease is the lease at the moment on the screen, by the ledger: what the
// monitor knows through its watcher. Where that does not see the lock, the
// demo's own reading is shown and said to be one.
func (m *Model) demoLease(r *recorded, live bool, width int) []pieces {
	l := m.demoLeaseAt(r, live)
	if l == nil {
		return m.demoOwnReading(r, live, width)
	}
	if len(l.Tenures) == 0 {
		ended := endNoun(l.EndedBy)
		return []pieces{{{dim, "  " + m.g.changes[l.EndedBy] + " free for " + about(r.at.Sub(l.FreeSince).Truncate(100*time.Millisecond)) + " since its " + ended}},
			{{dim, "  tenure " + strconv.Itoa(int(l.Generation)) + " was the last"}}}
	}
	t := shownTenure(l)
	line := m.demoHolder(r, t.Owner, t.Deadline, width)
	facts := "  " + renewedOften(t)
	if t.Granted > 0 {
		facts += ", granted " + about(t.Granted)
	}
	if tenure := ", tenure " + strconv.Itoa(int(l.Generation)); len(facts)+len(tenure) <= width {
		facts += tenure
	}
	return []pieces{line, {{dim, facts}}}
}

func renewedOften(t *model.Tenure) string {
	switch {
	case t.Renewals == 0 && !t.Inexact:
		return "never renewed"
	case t.Renewals == 0:
		return "no renewal seen"
	}
	return "renewed " + count(t.Renewals) + pick(t.Inexact, "+ times", pick(t.Renewals == 1, " time", " times"))
}

// demoHolder is who holds the lease, and for how long yet.
func (m *Model) demoHolder(r *recorded, owner model.Owner, deadline model.Instant, width int) pieces {
	who := ""
	switch owner.Token {
	case "":
	case r.A.Owner:
		who = "A "
	case r.B.Owner:
		who = "B "
	}
	mark, ink, name := m.names.owner(owner, shortToken)
	line := pieces{{plain, "  "}, {ink, mark + " "}, {bold | ink, who}, {ink, name}}
	switch left := deadline.Sub(r.at); {
	case deadline == 0:
		line = append(line, piece{warn, "  no expiry"})
	case left <= 0:
		line = append(line, piece{bold | bad, "  overdue"})
	default:
		line = append(line, piece{plain, "  " + countdown(left) + " "})
		line = append(line, m.demoBar(left, max(left, m.demoGranted(r, deadline)), width-widthOf(line)-1)...)
	}
	return line
}

// demoGranted is what a bar is scaled to.
func (m *Model) demoGranted(r *recorded, deadline model.Instant) time.Duration {
	if l := m.ledger.Lease(r.Lease.Key); l != nil && len(l.Tenures) > 0 {
		if t := shownTenure(l); t.Deadline == deadline {
			return grantedOf(t, r.at)
		}
	}
	return deadline.Sub(r.Lease.ReadAt)
}

func (m *Model) demoBar(left, granted time.Duration, width int) pieces {
	width = min(width, 16)
	if width < 4 || granted <= 0 {
		return nil
	}
	full := min(width, max(1, int(int64(left)*int64(width)/int64(granted))))
	bar, rest := "", ""
	for i := range width {
		if i < full {
			bar += m.g.full
		} else {
			rest += m.g.empty
		}
	}
	return pieces{{barInk(left, granted), bar}, {rule, rest}}
}

// demoOwnReading shows what the demo read itself.
func (m *Model) demoOwnReading(r *recorded, live bool, width int) []pieces {
	if r.Lease.ReadAt == 0 || r.Lease.Owner == "" {
		words := "  free: nobody has taken it yet"
		if r.Lease.Key.Node != "" && r.Lease.Key.Node+"/"+strconv.Itoa(r.Lease.Key.DB) != m.counters.Address {
			words = "  free on " + m.names.text.Cut(r.Lease.Key.Node, width-10)
		}
		return []pieces{{{dim, words}}, nil}
	}
	at := *r
	if !live {
		at.at = r.Lease.ReadAt
	}
	return []pieces{m.demoHolder(&at, model.OwnerOf(r.Lease.Owner), r.Lease.Deadline, width), {{dim, "  by the demo's own reading: not watched"}}}
}

// demoLeaseAt is the lease as the ledger has it at the moment on the screen; nil
// where the watcher does not see it.
func (m *Model) demoLeaseAt(r *recorded, live bool) *model.Lease {
	if live {
		return m.ledger.Lease(r.Lease.Key)
	}
	c := wholeStory
	c.at = r.at
	return leaseAt(r.Lease.Key, c.prefix(m.ledger.History(r.Lease.Key)))
}

// pastLease says that a worker goes on, or stands, although its lease has ended.
// By the timeline: the worker itself need not know. Nil while that is not so.
func (m *Model) pastLease(w *DemoWorker, r *recorded) pieces {
	if w.Owner == "" || w.State != "working" && w.State != "stopped" {
		return nil
	}
	var ended model.Instant
	owner := model.OwnerOf(w.Owner)
	for _, e := range m.ledger.History(r.Lease.Key) {
		switch {
		case e.At > r.at:
		case e.Owner == owner && e.Change.Ends(), e.Previous != nil && e.Previous.Owner == owner:
			ended = e.At
		case e.Owner == owner && e.Change.Begins():
			ended = 0
		}
	}
	if ended == 0 {
		return nil
	}
	return pieces{{warn, "  " + m.g.warning + " past its lease for " + about(r.at.Sub(ended).Truncate(100*time.Millisecond))}}
}
