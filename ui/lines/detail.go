package lines

import (
	"fmt"
	"strings"
	"time"

	"leasetop/model"
)

// transitionDetail says in a few words what the change means for the lease.
func transitionDetail(tr *model.Transition, t *text) string {
	switch tr.Change {
	case model.Found:
		return remaining(tr)
	case model.Acquired:
		return freeFor(tr) + granted(tr)
	case model.Renewed:
		return "now " + remaining(tr) + renewalNumber(tr)
	case model.Shortened:
		return "now only " + remaining(tr)
	case model.ExpiryAdded:
		return "it had no expiry; now " + remaining(tr)
	case model.ExpiryRemoved:
		return "will not free itself any more"
	case model.Recount:
		return fmt.Sprintf("re-entry count %d", tr.Count)
	case model.Overdue:
		return "the deadline passed; its end is not confirmed"
	case model.Released:
		return tenure(tr.Held, tr.Renewals, tr.RenewalsExact) + early(tr)
	case model.Expired:
		return tenure(tr.Held, tr.Renewals, tr.RenewalsExact)
	case model.Overwritten, model.Replaced:
		return succession(tr, t) + "; " + granted(tr)
	case model.Evicted:
		return "removed for memory, " + tenure(tr.Held, tr.Renewals, tr.RenewalsExact)
	case model.Flushed:
		return "removed with the database, " + tenure(tr.Held, tr.Renewals, tr.RenewalsExact)
	case model.Renamed:
		return moved(tr, t)
	case model.Lost:
		return "gone while it could not be seen"
	}
	return ""
}

func remaining(tr *model.Transition) string {
	switch {
	case tr.Untold:
		return "a deadline that nobody read"
	case tr.Deadline.IsZero():
		return "no expiry"
	}
	return span(tr.Deadline.Sub(tr.At)) + " left"
}

func freeFor(tr *model.Transition) string {
	if tr.Free == model.NoDuration {
		return ""
	}
	if end, ok := endings[tr.After]; ok {
		return about(tr.Free) + " after " + end + ", "
	}
	return "free for " + about(tr.Free) + ", "
}

// endings name what the last tenure ended by.
var endings = map[model.Change]string{
	model.Released: "release", model.Expired: "expiry", model.Evicted: "eviction",
	model.Flushed: "a flush", model.Renamed: "a renaming",
}

func granted(tr *model.Transition) string {
	switch {
	case tr.Untold && !tr.Owner.Known:
		return "too short to be read"
	case tr.Untold:
		return "granted a time that nobody read"
	case tr.Deadline.IsZero():
		return "without expiry"
	}
	return "granted " + about(tr.Granted)
}

func renewalNumber(tr *model.Transition) string {
	if tr.RenewalsExact {
		return fmt.Sprintf(", renewal %d", tr.Renewals)
	}
	return fmt.Sprintf(", renewal %d or later", tr.Renewals)
}

// tenure tells how long it was held and how often renewed.
func tenure(held time.Duration, renewals int32, exact bool) string {
	s := "held since before we looked"
	if held != model.NoDuration {
		s = "held " + about(held)
	}
	switch {
	case renewals == 0 && exact:
		return s + ", never renewed"
	case renewals == 0:
		return s + ", no renewal seen"
	case renewals == 1 && exact:
		return s + ", 1 renewal"
	case exact:
		return fmt.Sprintf("%s, %d renewals", s, renewals)
	}
	return fmt.Sprintf("%s, %d renewals or more", s, renewals)
}

func early(tr *model.Transition) string {
	if d := tr.Deadline.Sub(tr.At); !tr.Deadline.IsZero() && d > 0 {
		return ", " + span(d) + " early"
	}
	return ""
}

func succession(tr *model.Transition, t *text) string {
	p := tr.Previous
	if p == nil {
		return "in place of another owner"
	}
	s := "in place of " + t.token(p.Owner)
	if p.Held != model.NoDuration {
		s += ", held " + about(p.Held)
	}
	if p.Format != "" && p.Format != tr.Format {
		s += ", was " + t.shown(p.Format)
	}
	return s
}

func moved(tr *model.Transition, t *text) string {
	if tr.To == "" {
		return "renamed away"
	}
	return "to " + t.shown(tr.To)
}

// evidence says where the line comes from, how late it was told and, where it
// is deduced, how wide the span is in which it happened.
func evidence(tr *model.Transition) string {
	var b strings.Builder
	if tr.Certainty == model.Inferred {
		b.WriteString("inferred from ")
	}
	b.WriteString(tr.Source.String())
	if lag := tr.ToldAt.Sub(tr.At); lag >= 100*time.Microsecond && !tr.ToldAt.IsZero() {
		b.WriteString(" +" + span(lag))
	}
	if width := tr.Latest.Sub(tr.Earliest); tr.Certainty == model.Inferred && width > 0 && !tr.Earliest.IsZero() {
		b.WriteString(", within " + span(width))
	}
	return b.String()
}
