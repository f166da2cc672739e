package ui

import (
	"strings"
	"time"

	"leasetop/model"
	"leasetop/ui/printable"
)

// lastWords are the words for what happened last to a lease, short enough for w
// columns. A leading "~" says that it was inferred.
func (m *Model) lastWords(l *model.Lease, state model.LeaseState, now model.Instant, w int) (style, string) {
	e := &l.Last
	since := max(0, now.Sub(e.At))
	switch state {
	case model.Over:
		return bad, "for " + lateBy(now.Sub(l.Deadline())) + pick(w >= 20, ", unconfirmed", "")
	case model.Blind:
		return dim, pick(w >= 21, "unseen since ", "unseen ") + m.cfg.Options.clock(m.blindSince(l.Key.Node), toSecond)
	}
	if state == model.NoExpiry && !m.fresh(l) {
		return warn, pick(w >= 24, m.g.warning+" will not free itself", "stays for ever")
	}
	sure := ""
	if e.Certainty == model.Inferred && e.Change != model.Found {
		sure = m.g.inferred + " "
	}
	s := plain
	if state == model.Free || !m.fresh(l) {
		s = dim
	}
	return s, sure + m.changeWords(e, since, w-len(sure))
}

// lateBy is how long a deadline has passed, in whole seconds.
func lateBy(d time.Duration) string {
	if d < time.Second {
		return "<1 s"
	}
	return whole(d)
}

// changeWords choose the longest wording that fits.
func (m *Model) changeWords(e *model.Entry, since time.Duration, w int) string {
	var longest, long, short string
	switch e.Change {
	case model.Found:
		long, short = "found "+ago(since), "found"
	case model.Acquired:
		short = "acquired" // how long ago stands in the column beside it
		if e.Granted != model.NoDuration {
			long = "acquired for " + about(e.Granted)
		}
		if since < lingering && e.Free != model.NoDuration && e.After != 0 {
			longest = "acquired " + about(e.Free) + " after " + endNoun(e.After)
		}
	case model.Expired:
		long, short = "expired, "+renewedWords(e), "expired"
	case model.Released:
		short = "released"
		if d := e.Deadline.Sub(e.At); e.Deadline != 0 && d > 0 {
			long = "released " + about(d) + " early"
		}
	case model.Overwritten, model.Replaced:
		verb := pick(e.Change == model.Overwritten, "overwrote", "replaced")
		short = verb + " " + ago(since)
		if e.Previous != nil {
			_, _, name := m.names.owner(e.Previous.Owner, shortToken)
			long = verb + " " + name
		}
	case model.Recount:
		long, short = "re-entered "+ago(since), "re-entered"
	case model.ExpiryAdded:
		long, short = "got an expiry "+ago(since), "got an expiry"
	case model.ExpiryRemoved:
		long, short = "lost its expiry "+ago(since), "lost its expiry"
	case model.Renamed:
		short = "renamed"
		if e.To != "" {
			long = "renamed to " + m.names.text.Middle(e.To, 20)
		}
	case model.Lost:
		long, short = "gone while unseen", "gone unseen"
	default:
		long, short = e.Change.String()+" "+ago(since), e.Change.String()
	}
	for _, words := range []string{longest, long} {
		if words != "" && printable.Width(words) <= w {
			return words
		}
	}
	return short
}

// endNoun is the end of a tenure as a thing: "expiry", "release".
func endNoun(c model.Change) string {
	switch c {
	case model.Expired:
		return "expiry"
	case model.Released:
		return "release"
	case model.Evicted:
		return "eviction"
	case model.Flushed:
		return "flush"
	case model.Renamed:
		return "rename"
	case model.Lost:
		return "loss"
	}
	return c.String()
}

func renewedWords(e *model.Entry) string {
	switch {
	case e.Renewals == 0 && e.RenewalsExact:
		return "never renewed"
	case e.Renewals == 0:
		return "no renewal seen"
	case e.RenewalsExact:
		return plural(e.Renewals, "renewal", "renewals")
	}
	return plural(e.Renewals, "renewal", "renewals") + " or more"
}

// eventWords say in full what one entry means. before is the entry in front of
// it on the same key, nil where there is none.
func (m *Model) eventWords(e, before *model.Entry) string {
	switch e.Change {
	case model.Found:
		return "held already; " + leftWords(e)
	case model.Acquired:
		return joinWords(freeWords(e), grantWords(e))
	case model.Renewed:
		return joinWords(about(e.Deadline.Sub(e.At))+" now", hadWords(e, before))
	case model.Shortened:
		return joinWords("only "+about(e.Deadline.Sub(e.At))+" now", hadWords(e, before))
	case model.ExpiryAdded:
		return leftWords(e)
	case model.ExpiryRemoved:
		return "will not free itself any more"
	case model.Recount:
		return "re-entry count " + count(e.Count)
	case model.Overdue:
		return "deadline passed, end not confirmed"
	case model.Expired:
		return joinWords(heldWords(e.Held), renewedWords(e))
	case model.Released:
		early := ""
		if d := e.Deadline.Sub(e.At); e.Deadline != 0 && d > 0 {
			early = about(d) + " early"
		}
		return joinWords(heldWords(e.Held), early)
	case model.Overwritten, model.Replaced:
		if p := e.Previous; p != nil {
			mark, _, name := m.names.owner(p.Owner, shortToken)
			return joinWords("in place of "+mark+" "+name, heldWords(p.Held), grantWords(e))
		}
		return grantWords(e)
	case model.Evicted:
		return joinWords("removed for memory", heldWords(e.Held))
	case model.Flushed:
		return joinWords("removed with the whole database", heldWords(e.Held))
	case model.Renamed:
		if e.To != "" {
			return "to " + m.names.text.Middle(e.To, 32)
		}
		return "to another name"
	case model.Lost:
		return "gone while it could not be seen"
	}
	return ""
}

func joinWords(words ...string) string {
	out := words[:0]
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, ", ")
}

func heldWords(d time.Duration) string {
	if d == model.NoDuration {
		return "held since before we looked"
	}
	return "held " + about(d)
}

func grantWords(e *model.Entry) string {
	switch {
	case e.Untold && !e.Owner.Known:
		return "too short to be read"
	case e.Untold:
		return "granted a time that nobody read"
	case e.Deadline == 0:
		return "without expiry"
	case e.Granted == model.NoDuration:
		return leftWords(e)
	}
	return "granted " + about(e.Granted)
}

func freeWords(e *model.Entry) string {
	switch {
	case e.Free == model.NoDuration || e.Free == 0 && e.After == 0:
		return ""
	case e.After == 0:
		return "free for " + about(e.Free)
	}
	return about(e.Free) + " after " + endNoun(e.After)
}

func leftWords(e *model.Entry) string {
	if e.Deadline == 0 {
		return "no expiry"
	}
	return about(e.Deadline.Sub(e.At)) + " left"
}

// hadWords is how much was left when it was renewed.
func hadWords(e, before *model.Entry) string {
	if before == nil || before.Deadline == 0 || before.Owner != e.Owner || before.Change.Ends() {
		return ""
	}
	return "had " + about(before.Deadline.Sub(e.At)) + " left"
}

// proof says where an entry comes from and how late it was told.
func (m *Model) proof(e *model.Entry) string {
	s := e.Source.String()
	if e.Certainty == model.Inferred {
		s = m.g.inferred + " " + s
	}
	if lag := e.ToldAt.Sub(e.At); e.ToldAt != 0 && lag >= 100*time.Microsecond {
		s += " +" + span(lag)
	}
	return s
}
