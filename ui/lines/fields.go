package lines

import (
	"time"

	"leasetop/model"
)

// transitionFields are the fields of a transition line. Those that only some
// changes have come last.
func transitionFields(s sink, t *model.Transition) {
	s.text("kind", "transition")
	s.number("seq", int64(t.Seq))
	s.instant("at", t.At)
	s.instant("earliest", t.Earliest)
	s.instant("latest", t.Latest)
	keyFields(s, t.Key)
	s.text("format", t.Format)
	s.text("change", t.Change.String())
	owner(s, "owner", t.Owner)
	s.number("generation", int64(t.Generation))
	s.instant("deadline", t.Deadline)
	millis(s, "ttl_ms", left(t))
	between(s, "granted_ms", t.Granted)
	between(s, "held_ms", t.Held)
	s.number("renewals", int64(t.Renewals))
	s.flag("renewals_exact", t.RenewalsExact)
	s.text("source", t.Source.String())
	s.text("certainty", t.Certainty.String())
	s.instant("told_at", t.ToldAt)
	if t.Untold {
		s.flag("deadline_read", false)
	}
	if t.Count != 0 {
		s.number("count", int64(t.Count))
	}
	if t.Change == model.Acquired {
		word(s, "after", t.After.String())
		between(s, "free_ms", t.Free)
	}
	if t.To != "" {
		s.bytes("to", t.To)
	}
	if t.Previous != nil {
		previousFields(s, t.Previous)
	}
}

// left is the time to the deadline at the moment of the line: what the holder
// has from here on, so nothing once the line has ended the tenure.
func left(t *model.Transition) time.Duration {
	if t.Deadline.IsZero() || t.Change.Ends() {
		return model.NoDuration
	}
	return t.Deadline.Sub(t.At)
}

func previousFields(s sink, p *model.Previous) {
	owner(s, "previous_owner", p.Owner)
	s.text("previous_format", p.Format)
	s.number("previous_generation", int64(p.Generation))
	s.instant("previous_deadline", p.Deadline)
	between(s, "previous_granted_ms", p.Granted)
	between(s, "previous_held_ms", p.Held)
	s.number("previous_renewals", int64(p.Renewals))
	s.flag("previous_renewals_exact", p.RenewalsExact)
}

func keyFields(s sink, k model.Key) {
	s.text("node", k.Node)
	s.number("db", int64(k.DB))
	s.bytes("key", k.Name)
}

// statusFields are the fields of a status line.
func statusFields(s sink, h *model.Health) {
	s.text("kind", "status")
	s.instant("at", h.At)
	s.text("node", h.Node)
	s.text("state", string(h.State))
	s.text("detail", statusDetail(h))
	if h.State == model.StateGap {
		s.instant("from", h.From)
		s.instant("to", h.To)
	}
	if h.Notify != "" {
		s.text("notifications", string(h.Notify))
		s.text("flags", h.Flags)
	}
	if h.Source != 0 {
		s.text("source", h.Source.String())
	}
	optional(s, "role", h.Role)
	optional(s, "run_id", h.RunID)
	if h.State == model.StateTopology {
		s.flag("changed", h.Changed)
		s.flag("flushed", h.Flushed)
	}
}

// statusDetail is the node's own words, or for notifications the contract's:
// on, off, unknown or partial, and the flags.
func statusDetail(h *model.Health) string {
	if h.Detail != "" || h.Notify == "" {
		return h.Detail
	}
	if h.Flags == "" {
		return string(h.Notify)
	}
	return string(h.Notify) + ", flags " + h.Flags
}
