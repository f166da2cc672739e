package ui

import (
	"strings"
	"time"
	"unique"

	"leasetop/model"
)

// row is what sorting and filtering look at. A row never changes: a new one
// takes its place, so that the order can be searched at any time.
type row struct {
	key        model.Key
	owner      model.Owner // the holder that shows
	owners     int
	deadline   model.Instant // 0: none. Of an ended lease: what it last was
	acquired   model.Instant // 0: not known
	ended      model.Instant // 0: held
	told       model.Instant // when its last change was told
	changed    model.Instant // when its last change was
	format     unique.Handle[string]
	renewals   int32
	generation int32
	untold     bool // the deadline was moved and not read since
}

// lingering is how long an ended lease stays on the screen.
const lingering = 10 * time.Second

// flagging is how long a change stays marked.
const flagging = 2 * time.Second

func rowOf(l *model.Lease) *row {
	r := &row{
		key: l.Key, owners: len(l.Tenures), ended: l.FreeSince, told: l.Last.ToldAt, changed: l.Last.At,
		generation: l.Generation, format: unique.Make(formatOf(l)),
	}
	if len(l.Tenures) == 0 {
		r.owner, r.deadline, r.renewals = l.Last.Owner, l.Last.Deadline, l.Last.Renewals
		if l.Last.Held != model.NoDuration {
			r.acquired = l.Last.At.Add(-l.Last.Held)
		}
		if r.ended == 0 {
			r.ended = l.Last.At
		}
		return r
	}
	t := shownTenure(l)
	r.owner, r.acquired, r.renewals = t.Owner, t.Acquired, t.Renewals
	r.deadline = l.Deadline()
	for i := range l.Tenures {
		r.untold = r.untold || l.Tenures[i].Untold
	}
	return r
}

// shownTenure is the holder that a row shows: the one that holds it longest.
func shownTenure(l *model.Lease) *model.Tenure {
	best := &l.Tenures[0]
	for i := range l.Tenures[1:] {
		t := &l.Tenures[i+1]
		if best.Deadline != 0 && (t.Deadline == 0 || t.Deadline > best.Deadline) {
			best = t
		}
	}
	return best
}

// listed reports whether the row is on the screen at now: held, or ended a
// short while ago.
func (r *row) listed(now model.Instant) bool {
	return r.ended == 0 || now < r.since(now).Add(lingering)
}

// since is when the last change became visible: when it was told, or, for a
// picture of the past, when it was.
func (r *row) since(now model.Instant) model.Instant {
	if r.told > now {
		return r.changed
	}
	return r.told
}

// order is what rows are sorted by.
type order struct {
	by   column
	down bool
}

func (o order) compare(a, b *row) int {
	c := 0
	switch o.by {
	case colOwner:
		c = strings.Compare(a.owner.Token, b.owner.Token)
	case colTTL:
		c = cmpOf(orForever(a.deadline), orForever(b.deadline))
	case colHeld: // the longest is the one acquired first; unknown is longer
		c = cmpOf(b.acquired, a.acquired)
	case colRenewed:
		c = cmpOf(int(a.renewals), int(b.renewals))
	case colGen:
		c = cmpOf(int(a.generation), int(b.generation))
	case colChange: // newest first
		c = cmpOf(b.told, a.told)
	case colFormat:
		c = strings.Compare(a.format.Value(), b.format.Value())
	}
	if o.down {
		c = -c
	}
	if c != 0 {
		return c
	}
	c = compareKeys(a.key, b.key)
	if o.down && o.by == colKey {
		c = -c
	}
	return c
}

func orForever(i model.Instant) model.Instant {
	if i == 0 {
		return model.Forever
	}
	return i
}

func compareKeys(a, b model.Key) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	if c := strings.Compare(a.Node, b.Node); c != 0 {
		return c
	}
	return cmpOf(a.DB, b.DB)
}
