package lines

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"leasetop/model"
)

// Lease is one key as a single reading shows it: a line of list.
type Lease struct {
	Key     model.Key
	Reading *model.Reading
}

// SortLeases puts leases into the order of their names, then node and database.
func SortLeases(leases []Lease) {
	slices.SortFunc(leases, func(a, b Lease) int {
		return cmp.Or(
			strings.Compare(a.Key.Name, b.Key.Name),
			strings.Compare(a.Key.Node, b.Key.Node),
			cmp.Compare(a.Key.DB, b.Key.DB),
		)
	})
}

// Deadline is the latest among the holders: 0 when one of them has none. With
// nobody alive on the key it is the latest of the dead members, else the key's.
func (l Lease) Deadline() model.Instant {
	members := l.Reading.Holders
	if len(members) == 0 {
		members = l.Reading.Expired
	}
	if len(members) == 0 {
		return l.Reading.Deadline
	}
	var d model.Instant
	for i := range members {
		if members[i].Deadline.IsZero() {
			return 0
		}
		d = model.Later(d, members[i].Deadline)
	}
	return d
}

// State is held, no-expiry or overdue, as the reading alone shows it.
func (l Lease) State() model.LeaseState {
	d := l.Deadline()
	switch {
	case d.IsZero():
		return model.NoExpiry
	case d < l.Reading.At:
		return model.Over
	}
	return model.Held
}

// Left is the time to the deadline when it was read, model.NoDuration without one.
func (l Lease) Left() time.Duration { return leftAt(l.Deadline(), l.Reading.At) }

func leftAt(deadline, at model.Instant) time.Duration {
	if deadline.IsZero() {
		return model.NoDuration
	}
	return deadline.Sub(at)
}

// appendLease appends the JSON object of a lease line.
func appendLease(b []byte, l Lease) []byte {
	o, r := newObject(b), l.Reading
	leaseFields(o, l)
	o.list("holders", len(r.Holders), func(i int, s *object) { holderFields(s, &r.Holders[i], r.At) })
	if len(r.Expired) > 0 {
		o.list("expired_holders", len(r.Expired), func(i int, s *object) { holderFields(s, &r.Expired[i], r.At) })
	}
	if r.Waiters == nil {
		o.none("waiters")
	} else {
		appendWaiters(o, r.Waiters)
	}
	fenceField(o, r)
	o.instant("read_at", r.At)
	noteFields(o, r)
	return o.close()
}

func leaseFields(s sink, l Lease) {
	s.text("kind", "lease")
	keyFields(s, l.Key)
	s.text("format", formatName(l.Reading))
	optional(s, "library", l.Reading.Library)
	s.text("type", l.Reading.Type)
	s.text("state", l.State().String())
	millis(s, "ttl_ms", l.Left())
	s.instant("deadline", l.Deadline())
}

func formatName(r *model.Reading) string {
	if r.Format == "" {
		return "unknown"
	}
	return r.Format
}

// holderFields are those of one party on a key. A holder counts as one where
// its format has no re-entry count.
func holderFields(s sink, h *model.Holder, at model.Instant) {
	owner(s, "owner", ownerOf(h))
	s.number("count", max(h.Count, 1))
	millis(s, "ttl_ms", leftAt(h.Deadline, at))
	optional(s, "mode", h.Mode)
	if h.Told != nil {
		toldFields(s, h.Told)
	}
}

func ownerOf(h *model.Holder) model.Owner {
	if h.Anonymous {
		return model.Owner{}
	}
	return model.OwnerOf(h.Owner)
}

// toldFields are what the token says of itself.
func toldFields(s sink, t *model.Told) {
	optional(s, "told_shape", t.Shape)
	optional(s, "told_host", t.Host)
	optional(s, "told_process", t.Process)
	optional(s, "told_thread", t.Thread)
	optional(s, "told_metadata", t.Metadata)
	if !t.Acquired.IsZero() {
		s.instant("told_acquired", t.Acquired)
	}
	if !t.Refreshed.IsZero() {
		s.instant("told_refreshed", t.Refreshed)
	}
}

// appendWaiters writes an array of owners in their order. When one of them is
// not UTF-8 the whole array is given as waiters_b64.
func appendWaiters(o *object, waiters []string) {
	raw := slices.ContainsFunc(waiters, func(w string) bool { return !utf8.ValidString(w) })
	name := "waiters"
	if raw {
		name += base64Suffix
	}
	o.name(name)
	o.b = append(o.b, '[')
	for i, w := range waiters {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		if raw {
			w = encode(w)
		}
		o.b = appendString(o.b, w)
	}
	o.b = append(o.b, ']')
}

func fenceField(s sink, r *model.Reading) {
	if r.Fence == nil {
		s.none("fence")
		return
	}
	s.number("fence", *r.Fence)
}

func noteFields(s sink, r *model.Reading) {
	if r.Group != "" {
		s.bytes("group", r.Group)
	}
	optional(s, "note", r.Note)
	if r.Cut {
		s.flag("cut", true)
		s.number("size", r.Size)
	}
}
