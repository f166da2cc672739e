package ui

import (
	"slices"
	"sort"
	"strings"
	"time"

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
	granted    time.Duration
	renewals   int32
	generation int32
	untold     bool // the deadline was moved and not read since
	format     string
}

// lingering is how long an ended lease stays on the screen.
const lingering = 10 * time.Second

// flagging is how long a change stays marked.
const flagging = 2 * time.Second

func rowOf(l *model.Lease) *row {
	r := &row{
		key: l.Key, owners: len(l.Tenures), ended: l.FreeSince, told: l.Last.ToldAt, changed: l.Last.At,
		generation: l.Generation, format: l.Last.Format,
	}
	if l.Reading != nil && l.Reading.Format != "" {
		r.format = l.Reading.Format
	}
	if len(l.Tenures) == 0 {
		r.owner, r.deadline, r.renewals, r.granted = l.Last.Owner, l.Last.Deadline, l.Last.Renewals, l.Last.Granted
		if l.Last.Held != model.NoDuration {
			r.acquired = l.Last.At.Add(-l.Last.Held)
		}
		if r.ended == 0 {
			r.ended = l.Last.At
		}
		return r
	}
	t := shownTenure(l)
	r.owner, r.acquired, r.granted, r.renewals = t.Owner, t.Acquired, t.Granted, t.Renewals
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
		c = strings.Compare(a.format, b.format)
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

// book keeps the rows, and those of them that match in their order.
type book struct {
	rows   map[model.Key]*row
	list   []*row // sorted; exactly the rows of the map that match
	order  order
	match  func(*row) bool // nil: all
	added  []*row          // to be merged into list by settle
	gone   map[*row]bool   // to be taken from list by settle
	ended  []*row          // of the rows put, those that ended, oldest first
	key    int             // longest name so far, columns at most
	owner  int
	groups *grouping // nil: none
}

func newBook() *book {
	return &book{rows: map[model.Key]*row{}, gone: map[*row]bool{}, order: order{by: colTTL}}
}

// put adds a row, or takes the place of the one with its key.
func (b *book) put(r *row) {
	b.drop(r.key)
	b.rows[r.key] = r
	b.key = max(b.key, min(len(r.key.Name), widestKey))
	b.owner = max(b.owner, min(len(r.owner.Token), shortToken))
	if r.ended != 0 {
		b.ended = append(b.ended, r)
	}
	if b.match == nil || b.match(r) {
		b.added = append(b.added, r)
	}
}

// drop takes a key out.
func (b *book) drop(k model.Key) {
	old := b.rows[k]
	if old == nil {
		return
	}
	delete(b.rows, k)
	if i := slices.Index(b.added, old); i >= 0 && len(b.added) < 64 {
		b.added = slices.Delete(b.added, i, i+1)
		return
	}
	b.gone[old] = true
}

// expire drops the rows that ended long enough ago.
func (b *book) expire(now model.Instant) {
	n := 0
	for ; n < len(b.ended); n++ {
		r := b.ended[n]
		if b.rows[r.key] != r {
			continue // it is another row by now
		}
		if r.listed(now) {
			break
		}
		b.drop(r.key)
	}
	b.ended = b.ended[n:]
}

// few is up to how many changes are worked into the list one at a time.
const few = 48

// settle works the changes since the last time into the list.
func (b *book) settle() {
	if len(b.gone) == 0 && len(b.added) == 0 {
		return
	}
	if len(b.gone) > 0 {
		b.sweepOut()
	}
	b.added = slices.DeleteFunc(b.added, func(r *row) bool { return b.rows[r.key] != r })
	if len(b.added) <= few {
		for _, r := range b.added {
			i, _ := slices.BinarySearchFunc(b.list, r, b.order.compare)
			b.list = slices.Insert(b.list, i, r)
		}
	} else {
		slices.SortFunc(b.added, b.order.compare)
		b.merge(b.added)
	}
	clear(b.added)
	b.added = b.added[:0]
	b.groups.stale()
}

func (b *book) sweepOut() {
	if len(b.gone) <= few {
		for r := range b.gone {
			if i, ok := slices.BinarySearchFunc(b.list, r, b.order.compare); ok && b.list[i] == r {
				b.list = slices.Delete(b.list, i, i+1)
			}
		}
	} else {
		b.list = slices.DeleteFunc(b.list, func(r *row) bool { return b.gone[r] })
	}
	clear(b.gone)
}

// merge works sorted rows into the list from the end, in place.
func (b *book) merge(rows []*row) {
	i := len(b.list) - 1
	b.list = slices.Grow(b.list, len(rows))[:len(b.list)+len(rows)]
	for j, k := len(rows)-1, len(b.list)-1; j >= 0; k-- {
		if i >= 0 && b.order.compare(b.list[i], rows[j]) > 0 {
			b.list[k] = b.list[i]
			i--
			continue
		}
		b.list[k] = rows[j]
		j--
	}
}

// arrange sets the order and the filter; nil matches all.
func (b *book) arrange(o order, match func(*row) bool) {
	b.order, b.match = o, match
	b.list = b.list[:0]
	for _, r := range b.rows {
		if match == nil || match(r) {
			b.list = append(b.list, r)
		}
	}
	slices.SortFunc(b.list, o.compare)
	b.added = b.added[:0]
	clear(b.gone)
	b.groups.stale()
}

// index is where a key stands in the list; -1 when it is not there.
func (b *book) index(k model.Key) int {
	r := b.rows[k]
	if r == nil {
		return -1
	}
	i := sort.Search(len(b.list), func(i int) bool { return b.order.compare(b.list[i], r) >= 0 })
	if i < len(b.list) && b.list[i] == r {
		return i
	}
	return -1
}

// clone is a copy that shares nothing that changes.
func (b *book) clone() *book {
	c := newBook()
	for k, r := range b.rows {
		c.rows[k] = r
	}
	c.list = slices.Clone(b.list)
	c.order, c.match, c.key, c.owner = b.order, b.match, b.key, b.owner
	c.groups = b.groups.clone()
	return c
}
