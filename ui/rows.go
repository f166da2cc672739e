package ui

import (
	"maps"
	"slices"

	"leasetop/model"
)

// book keeps the rows, all of them in their order, and those that match.
type book struct {
	rows   map[model.Key]*row
	all    list
	some   list            // those of all that match; not kept while all do
	match  func(*row) bool // nil: all
	order  order
	added  []*row        // put since the last settle
	gone   map[*row]bool // taken out since the last settle
	ended  []*row        // of the rows put, those that ended, oldest first
	tally  tally
	key    int // longest name so far, columns at most
	owner  int
	groups *grouping // nil: none
}

func newBook() *book {
	return &book{rows: map[model.Key]*row{}, gone: map[*row]bool{}, order: order{by: colTTL}, tally: newTally()}
}

// list is the rows that are shown.
func (b *book) list() []*row {
	if b.match == nil {
		return b.all.rows
	}
	return b.some.rows
}

// put adds a row, or takes the place of the one with its key.
func (b *book) put(r *row) {
	if old := b.rows[r.key]; old != nil && *old == *r {
		return
	}
	b.drop(r.key)
	b.rows[r.key] = r
	b.added = append(b.added, r)
	b.tally.add(r)
	b.key = max(b.key, min(len(r.key.Name), widestKey))
	b.owner = max(b.owner, min(len(r.owner.Token), shortToken))
	if r.ended != 0 {
		b.ended = append(b.ended, r)
	}
}

// drop takes a key out.
func (b *book) drop(k model.Key) {
	if old := b.rows[k]; old != nil {
		delete(b.rows, k)
		b.gone[old] = true
		b.tally.remove(old)
	}
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

// settle works the changes since the last time into the lists.
func (b *book) settle() {
	if len(b.gone) == 0 && len(b.added) == 0 {
		return
	}
	added := slices.DeleteFunc(b.added, func(r *row) bool { return b.rows[r.key] != r })
	b.all.remove(b.gone, b.order)
	b.all.insert(added, b.order)
	if b.match != nil {
		b.some.remove(b.gone, b.order)
		b.some.insert(slices.DeleteFunc(added, func(r *row) bool { return !b.match(r) }), b.order)
	}
	clear(b.gone)
	clear(b.added)
	b.added = b.added[:0]
	b.groups.stale()
}

// sort sets the order.
func (b *book) sort(o order) {
	b.settle()
	b.order = o
	slices.SortFunc(b.all.rows, o.compare)
	b.filter(b.match)
}

// filter sets which rows are shown; nil: all. It is also how a filter on what
// changes by itself is applied again.
func (b *book) filter(match func(*row) bool) {
	b.settle()
	b.match = match
	b.some.rows = b.some.rows[:0]
	if match != nil {
		for _, r := range b.all.rows {
			if match(r) {
				b.some.rows = append(b.some.rows, r)
			}
		}
	}
	b.groups.stale()
}

// index is where a key stands in the list; -1 when it is not there.
func (b *book) index(k model.Key) int {
	r := b.rows[k]
	switch {
	case r == nil:
		return -1
	case b.match == nil:
		return b.all.index(r, b.order)
	}
	return b.some.index(r, b.order)
}

// retally counts anew, after the clock was set back.
func (b *book) retally() {
	b.tally = newTally()
	for _, r := range b.rows {
		b.tally.add(r)
	}
}

// clone is a copy of a settled book that shares nothing that changes; it is not
// tallied.
func (b *book) clone() *book {
	c := newBook()
	c.rows = maps.Clone(b.rows)
	c.all.rows, c.some.rows = slices.Clone(b.all.rows), slices.Clone(b.some.rows)
	c.order, c.match, c.key, c.owner = b.order, b.match, b.key, b.owner
	c.groups = b.groups.clone()
	return c
}
